"""How counts, lists and names are written for users, and read from them."""

import pytest

from playshuffle.errors import Exit
from playshuffle.ordering.groups import KEYS
from playshuffle.ordering.orders import ORDERS
from playshuffle.players.profiles import PLAYERS
from playshuffle.text import any_of, counted, known, shortened
from tests.support.refusals import refusal


def test_a_number_of_tracks_is_written_with_the_right_plural() -> None:
    written = [counted(number, "track") for number in (0, 1, 2, 1234)]
    assert written == ["0 tracks", "1 track", "2 tracks", "1,234 tracks"]


@pytest.mark.parametrize(("words", "written"), [("a", "a"), ("ab", "a or b"), ("abc", "a, b or c")])
def test_a_list_of_alternatives_is_written_with_commas_and_or(words: str, written: str) -> None:
    assert any_of([*words]) == written


def test_a_shortened_list_ends_with_the_number_of_omitted_lines() -> None:
    assert shortened(["a", "b"], 2) == ["a", "b"]
    assert shortened(["a", "b", "c", "d"], 2) == ["a", "b", "… and 2 more"]


@pytest.mark.parametrize("name", ["random", "Random", " RANDOM", "uniform", "durstenfeld", "Shuffle"])
def test_the_order_random_is_found_by_its_synonyms_in_upper_and_lower_case(name: str) -> None:
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
def test_the_error_for_a_mistyped_name_suggests_the_right_one(what: str, name: str, suggestion: str) -> None:
    names = {"order": ORDERS, "player": PLAYERS, "field": KEYS}[what]

    assert f"Did you mean '{suggestion}'" in refusal(Exit.USAGE, known, what, name, names)
    assert known(what, suggestion, names) == suggestion


def test_the_error_for_an_unknown_name_lists_the_known_names_if_they_are_few() -> None:
    said = refusal(Exit.USAGE, known, "shape", "x\x1b[2J", ["round", "square"])
    assert said == "Unknown shape 'x\\x1b[2J'. Use round or square."


def test_the_error_for_an_unknown_name_gives_the_command_that_lists_the_names_if_they_are_many() -> None:
    said = refusal(Exit.USAGE, known, "player", "zzz", PLAYERS)
    assert said == "Unknown player 'zzz'. To see all: playshuffle help players"
