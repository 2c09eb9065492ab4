"""Test that the demo writes real audio with tags, and never replaces other files."""

from io import BytesIO
from itertools import pairwise
from pathlib import Path

import pytest
from mutagen.wave import WAVE

from playshuffle.demo.tones import tracks, wav, write_library
from tests.support.program import entries, ran, refused


def test_every_track_of_the_demo_is_a_wav_file_with_its_tags() -> None:
    for track in tracks():
        audio = WAVE(BytesIO(wav(track)))

        assert 1 < audio.info.length < 1.5
        assert [str(audio.tags[frame]) for frame in ("TIT2", "TPE1", "TALB", "TRCK")] == [
            track.title, track.artist, track.album, str(track.number),
        ]  # fmt: skip


def test_the_library_of_the_demo_is_smaller_than_half_a_megabyte(tmp_path: Path) -> None:
    write_library(str(tmp_path / "demo"))

    assert sum(file.stat().st_size for file in (tmp_path / "demo").rglob("*.wav")) < 500_000


def test_a_second_demo_in_the_same_folder_changes_no_file(tmp_path: Path) -> None:
    write_library(str(tmp_path))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.wav")}
    write_library(str(tmp_path))

    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.wav")} == before


# The command


@pytest.mark.process
def test_the_demo_makes_a_playlist_of_all_its_tracks_with_no_artist_twice_in_a_row(tmp_path: Path) -> None:
    done = ran("demo", cwd=tmp_path)
    top = tmp_path / "playshuffle-demo"
    listed = entries((top / "playshuffle.m3u").read_bytes())
    assert sorted(listed) == sorted(track.path for track in tracks())
    shown = [line[5:].split("  ")[0] for line in done.out.decode().splitlines()]
    artists = [path.split("/")[0] for path in listed]
    assert shown == artists
    assert all(first != second for first, second in pairwise(artists))


@pytest.mark.process
def test_the_demo_refuses_to_write_into_a_folder_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")

    assert "is not empty: it contains 'notes.txt'" in refused(73, "demo", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
