"""What a user says of an order, read or refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering.recipe import Gap, parse_gap, parse_part


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("1:3", [0, 1, 2]),
        ("4:1", [3]),
        ("1:3:1", [0, 1, 2]),
        ("2:3:5", [1, 6, 11]),
        ("01:02", [0, 1]),
    ],
)
def test_a_part_is_a_run_of_places_or_every_so_manyth(text: str, places: list[int]) -> None:
    assert list(parse_part(text)) == places


@pytest.mark.parametrize(
    "text",
    ["", "1", "1:", ":1", "0:3", "1:0", "1:3:0", "1:3:", "1:2:3:4", "-1:2", "a:b", "1 :2", "1:2\n", "²:1"],
)
def test_what_is_no_part_is_answered_with_how_to_write_one(text: str) -> None:
    with pytest.raises(PlayshuffleError, match="START:COUNT:STRIDE") as caught:
        parse_part(text)

    assert caught.value.code == Exit.USAGE


@given(st.integers(1, 10**9 - 1), st.integers(1, 10**9 - 1), st.integers(1, 10**9 - 1))
def test_a_part_has_as_many_places_as_it_says(start: int, count: int, stride: int) -> None:
    places = parse_part(f"{start}:{count}:{stride}")

    assert len(places) == count
    assert places[0] == start - 1
    assert places[-1] == start - 1 + (count - 1) * stride


@pytest.mark.parametrize(
    ("text", "gap"),
    [("50", Gap(50)), ("2", Gap(2)), ("25%", Gap(25, True)), ("1%", Gap(1, True)), ("100%", Gap(100, True))],
)
def test_a_gap_is_a_number_of_plays_or_a_share(text: str, gap: Gap) -> None:
    assert parse_gap(text) == gap


@pytest.mark.parametrize("text", ["0", "1", "0%", "00"])
def test_a_gap_of_none_or_one_play_asks_for_nothing(text: str) -> None:
    assert parse_gap(text) is None


@pytest.mark.parametrize(
    "text", ["", "-1", "x", "5 %", "101%", "12.5%", "%", "50%%", "1e3", "9999999999", "²"]
)
def test_what_is_no_gap_is_answered_with_how_to_write_one(text: str) -> None:
    with pytest.raises(PlayshuffleError, match=r"50 \(plays\) or 25% \(of the tracks\)") as caught:
        parse_gap(text)

    assert caught.value.code == Exit.USAGE


@pytest.mark.parametrize(("percent", "tracks", "plays"), [(25, 8, 2), (25, 9, 3), (1, 1, 1), (100, 7, 7)])
def test_a_share_is_rounded_up(percent: int, tracks: int, plays: int) -> None:
    assert Gap(percent, True).plays(tracks) == plays
