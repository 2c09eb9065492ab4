"""How a gap is written, and how many plays it is."""

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering.gap import Gap, parse_gap


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
    with pytest.raises(
        PlayshuffleError, match=r"50 \(plays\) or 25% \(of the tracks, at most 100%\)"
    ) as caught:
        parse_gap(text)

    assert caught.value.code == Exit.USAGE


@pytest.mark.parametrize(("percent", "tracks", "plays"), [(25, 8, 2), (25, 9, 3), (1, 1, 1), (100, 7, 7)])
def test_a_share_is_rounded_up(percent: int, tracks: int, plays: int) -> None:
    assert Gap(percent, True).plays(tracks) == plays
