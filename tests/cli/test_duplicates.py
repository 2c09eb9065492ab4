"""Test the command that lists copies of the same recording."""

import json
import subprocess
from pathlib import Path

import mutagen
import pytest

from tests.support.program import run

pytestmark = pytest.mark.process


def write_tone(path: Path, seconds: int, **tags: str) -> None:
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"sine=d={seconds}", "-ac", "1", str(path)]
    subprocess.run(command, check=True, timeout=60)
    audio = mutagen.File(path, easy=True)
    assert audio is not None
    for tag, value in tags.items():
        audio[tag] = value
    audio.save()


def test_copies_are_listed_with_the_best_first_and_nothing_is_deleted(tmp_path: Path) -> None:
    write_tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")
    write_tone(tmp_path / "b.flac", 41, artist="miles davis", title="So  what")
    write_tone(tmp_path / "live.flac", 40, artist="Miles Davis", title="So What (live)")
    write_tone(tmp_path / "short.flac", 5, artist="Miles Davis", title="So What")
    before = sorted(tmp_path.iterdir())
    done = run("duplicates", tmp_path)

    assert done.code == 0
    assert done.out.decode().splitlines() == [
        f"{tmp_path}/b.flac",
        f"  copy: {tmp_path}/a.ogg",
        "1 copy of 1 recording",
    ]
    groups = json.loads(run("duplicates", tmp_path, "--json").out)["groups"]
    assert groups == [[f"{tmp_path}/b.flac", f"{tmp_path}/a.ogg"]]
    assert sorted(tmp_path.iterdir()) == before


def test_without_copies_it_says_so(tmp_path: Path) -> None:
    write_tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")

    assert run("duplicates", tmp_path).out == b"No duplicates\n"
    assert run("duplicates", tmp_path / "gone").code == 66
