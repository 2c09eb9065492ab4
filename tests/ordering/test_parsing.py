"""Parse the texts of a gap and of a limit for each tag."""

from collections.abc import Callable

import pytest

from playshuffle.errors import Exit
from playshuffle.ordering.gap import Gap, parse_gap
from playshuffle.ordering.limit_per_tag import LimitPerTag, parse_limit
from tests.support.refusals import refusal


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (parse_gap, "50", Gap(50)),
        (parse_gap, "2", Gap(2)),
        (parse_gap, "1%", Gap(1, True)),
        (parse_gap, "100%", Gap(100, True)),
        *((parse_gap, text, None) for text in ("0", "1", "0%", "00")),  # no effect
        (parse_limit, "3:artist", LimitPerTag(3, "artist")),
        (parse_limit, "artist:3", LimitPerTag(3, "artist")),
        (parse_limit, " Year : 03 ", LimitPerTag(3, "year")),
        (parse_limit, " 03 : Album ", LimitPerTag(3, "album")),
        (parse_limit, "1:album_artist", LimitPerTag(1, "albumartist")),
    ],
)
def test_the_text_of_a_gap_or_limit_is_parsed(
    parse: Callable[[str], object], text: str, value: object
) -> None:
    assert parse(text) == value


NO_GAPS = ("", "-1", "x", "5 %", "101%", "12.5%", "%", "50%%", "1e3", "9999999999", "²")
NO_LIMITS = ("x", "0:artist", "-1:artist", "3:", "artist:0", ":3", "9" * 5000 + ":artist", "٣:artist")


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        *((parse_gap, text, "50 (plays) or 25% (of the tracks, at most 100%)") for text in NO_GAPS),
        *((parse_limit, text, "--most must be a number from 1 and a tag, such as 3:a") for text in NO_LIMITS),
        (parse_limit, "0:artist", "not '0:artist'"),
        (parse_limit, "3:artst", "Unknown field 'artst'. Did you mean 'artist'?"),
        (parse_limit, "3:nosuch", "Unknown field 'nosuch'. To see all: playshuffle tags"),
    ],
)
def test_the_error_for_an_invalid_gap_or_limit_shows_the_valid_form(
    parse: Callable[[str], object], text: str, message: str
) -> None:
    said = refusal(Exit.USAGE, parse, text)

    assert message in said
    assert len(said) < 6000


@pytest.mark.parametrize(("percent", "tracks", "plays"), [(25, 8, 2), (25, 9, 3), (1, 1, 1), (100, 7, 7)])
def test_a_gap_in_percent_of_the_tracks_is_rounded_up_to_a_whole_number_of_plays(
    percent: int, tracks: int, plays: int
) -> None:
    assert Gap(percent, True).plays(tracks) == plays
