"""`playshuffle demo` as a user runs it."""

from itertools import pairwise
from pathlib import Path

import pytest

from playshuffle.demo.tones import tracks
from tests.support.program import entries, ran, refused

pytestmark = pytest.mark.process


def test_the_demo_makes_a_playlist_of_every_tone_with_no_artist_twice_in_a_row(tmp_path: Path) -> None:
    done = ran("demo", cwd=tmp_path)
    top = tmp_path / "playshuffle-demo"
    listed = entries((top / "playshuffle.m3u").read_bytes())
    assert sorted(listed) == sorted(track.path for track in tracks())
    shown = [line[5:].split("  ")[0] for line in done.out.decode().splitlines()]
    artists = [path.split("/")[0] for path in listed]
    assert shown == artists
    assert all(first != second for first, second in pairwise(artists))


def test_the_demo_leaves_a_folder_with_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    assert "is not empty: it contains 'notes.txt'" in refused(73, "demo", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
