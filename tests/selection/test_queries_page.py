"""Execute the examples of docs/reference/queries.md."""

import re
from pathlib import Path

import pytest

from playshuffle.selection.fields import FIELDS
from playshuffle.selection.query import parse
from playshuffle.tags.reading import Tags
from tests.support.tagged import tagged

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "queries.md").read_text()
EXAMPLES = re.findall(r"^\| `(.*)` \| ([\d ]*)\|$", PAGE, re.MULTILINE)
TRACKS = re.findall(
    r"^\| `([^`]*)` \| (.*?) \| (.*?) ?\| (.*?) \| (\d*) ?\| (\d+):(\d\d) \| (\d?) ?\|$", PAGE, re.MULTILINE
)


def library() -> dict[str, Tags]:
    return {
        f"/music/{path}": Tags(
            (int(minutes) * 60 + int(seconds)) * 1000,
            title,
            artist,
            genre=genre,
            date=year,
            rating=int(stars) / 5 if stars else None,
            bitrate=128_000 if path == "Albums/1.mp3" else 192_000,
        )
        for path, artist, title, genre, year, minutes, seconds, stars in TRACKS
    }


def test_the_queries_page_has_a_table_of_five_tracks_and_a_table_of_over_thirty_examples() -> None:
    assert len(TRACKS) == 5
    assert len(EXAMPLES) > 30


@pytest.mark.parametrize(("text", "numbers"), EXAMPLES)
def test_each_example_on_the_page_selects_the_tracks_listed_beside_it(text: str, numbers: str) -> None:
    tracks, tags_of = tagged(library())
    kept = parse(text.replace("\\|", "|"), [b"/music"]).select(tracks, range(len(tracks)), tags_of).kept

    assert (
        sorted(re.findall(r"(\d)\.", b" ".join(tracks.paths[index] for index in kept).decode()))
        == numbers.split()
    )


def test_the_table_of_fields_on_the_queries_page_lists_exactly_the_fields_of_queries() -> None:
    table = PAGE.partition("## Fields")[2].partition("##")[0]
    named = [
        name
        for row in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
        for name in re.findall("`(.*?)`", row)
    ]

    assert sorted(named) == sorted(FIELDS)
