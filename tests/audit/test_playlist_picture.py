"""`playshuffle audit FILE --plot` draws a cell for each track, coloured by artist."""

import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.audit.test_audit_order import need_matplotlib
from tests.audit.test_audit_playlist import playlist
from tests.support.in_process import Program
from tests.support.tagging import tagged_library

_FILL = re.compile(r'<path d="([^"]*)"[^>]*style="fill: (#[0-9a-f]{6})')


def pictures() -> Any:
    """Return the module that draws, which needs matplotlib."""
    need_matplotlib()
    return import_module("playshuffle.audit.playlist_picture")


def drawn(keys: list[int], names: dict[int, str] | None = None) -> str:
    """Draw a playlist whose n-th track is by the n-th artist, in path order from the last to the first."""
    paths = [b"/music/%05d.mp3" % number for number in reversed(range(len(keys)))]
    by = [(key, (names or {}).get(key, f"Artist {key}" if key >= 0 else "")) for key in keys]
    return str(pictures().draw("x.svg", "x", paths, by).decode())


def cells(svg: str) -> Counter[str]:
    """Return the number of boxes of each colour, in both panels and the legend of a picture."""
    found = _FILL.findall(svg)
    return Counter(colour for path, colour in found for _ in range(path.count("M")))


def test_each_track_has_a_cell_in_the_colour_of_its_artist_in_both_panels_of_the_picture() -> None:
    svg = drawn([0, 1, 0, 1, 0, 2, -1])

    first, second, *_ = [colour.lower() for colour in pictures()._COLOURS]
    found = cells(svg)
    # Each in two panels and once in the legend.
    assert (found[first], found[second]) == (3 * 2 + 1, 2 * 2 + 1)
    assert found[pictures()._OTHERS.lower()] == found[pictures()._UNTAGGED.lower()] == 1 * 2 + 1


@pytest.mark.parametrize(
    ("keys", "runs"),
    [
        ([0, 1, 0, 1], []),
        ([0, 0, 1, 1, 1], [(0, 2), (2, 3)]),
        ([-1, -1, 0], []),  # two tracks without an artist
        ([0] * 52, [(0, 50), (50, 2)]),  # over the end of a row
    ],
)
def test_tracks_in_a_row_by_one_artist_get_one_outline_split_at_the_end_of_a_row_of_cells(
    keys: list[int], runs: list[tuple[int, int]]
) -> None:
    groups = [(key, "") for key in keys]

    found = [part for run in pictures()._runs(groups) for part in pictures()._in_rows(run)]
    assert found == runs


def test_a_playlist_of_6000_tracks_with_odd_artist_names_is_drawn_as_fewer_than_4000_svg_paths() -> None:
    svg = drawn([number % 40 for number in range(6000)], {0: "$x^2", 1: "椎名林檎" * 20, 2: "\x1b[2J"})

    assert svg.count("<path") < 4000


def test_the_picture_of_a_playlist_that_is_in_path_order_has_one_panel_only() -> None:
    by = [(0, "A"), (0, "A"), (1, "B")]
    once = pictures().draw("x.svg", "x", [b"/1", b"/2", b"/3"], by).decode()

    assert cells(once)[pictures()._COLOURS[0].lower()] == 2 + 1


@pytest.mark.process
def test_an_audit_of_a_playlist_prints_a_report_and_draws_a_picture(tmp_path: Path, program: Program) -> None:
    need_matplotlib()
    tagged_library(tmp_path, {f"{number}.mp3": {"artist": "A" if number else "B"} for number in range(3)})
    file, picture = playlist(tmp_path, ["2.mp3", "0.mp3", "1.mp3"]), tmp_path / "x.png"
    done = program("audit", file, "--plot", str(picture))

    assert (done.code, done.out[:4], done.err) == (0, "ok: ", f"Wrote {picture}\n")
    assert picture.read_bytes().startswith(b"\x89PNG")
