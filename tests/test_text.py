"""Test how counts and lists are written for users."""

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering.groups import KEYS
from playshuffle.ordering.orders import ORDERS
from playshuffle.players.profiles import PLAYERS
from playshuffle.text import any_of, counted, known, shortened
from tests.support.refusals import refusal


@pytest.mark.parametrize(
    ("number", "written"), [(0, "0 tracks"), (1, "1 track"), (2, "2 tracks"), (1234, "1,234 tracks")]
)
def test_a_count_has_the_right_plural(number: int, written: str) -> None:
    assert counted(number, "track") == written


@pytest.mark.parametrize(
    ("words", "written"), [(["a"], "a"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")]
)
def test_alternatives_are_written_as_in_a_sentence(words: list[str], written: str) -> None:
    assert any_of(words) == written


def test_a_long_list_ends_with_the_number_of_lines_that_are_missing() -> None:
    assert shortened(["a", "b"], 2) == ["a", "b"]
    assert shortened(["a", "b", "c", "d"], 2) == ["a", "b", "… and 2 more"]


@pytest.mark.parametrize("name", ["random", "Random", " RANDOM", "uniform", "durstenfeld", "Shuffle"])
def test_an_order_is_found_by_other_names_and_in_capitals(name: str) -> None:
    assert known("order", name, ORDERS) == "random"


@pytest.mark.parametrize(
    ("what", "name", "suggestion"),
    [
        ("order", "radnom", "random"),
        ("order", "Album", "albums"),
        ("player", "mpdd", "mpd"),
        ("field", "gener", "genre"),
    ],
)
def test_the_error_for_a_mistyped_name_suggests_the_similar_name(
    what: str, name: str, suggestion: str
) -> None:
    names = {"order": ORDERS, "player": PLAYERS, "field": KEYS}[what]

    assert f"Did you mean '{suggestion}'" in refusal(Exit.USAGE, known, what, name, names)
    assert known(what, suggestion, names) == suggestion


def test_the_error_for_a_name_similar_to_no_other_lists_the_names() -> None:
    said = refusal(Exit.USAGE, known, "shape", "x\x1b[2J", ["round", "square"])
    assert said == "Unknown shape 'x\\x1b[2J'. Use round or square."


def test_the_error_for_a_name_similar_to_none_of_many_names_the_command_that_lists_them() -> None:
    with pytest.raises(
        PlayshuffleError, match=r"^Unknown player 'zzz'. To see all: playshuffle help players$"
    ):
        known("player", "zzz", PLAYERS)
