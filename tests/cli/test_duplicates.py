"""Test the command that lists copies of the same recording."""

import json
from pathlib import Path

import pytest

from tests.support.program import listed, make, ran, run
from tests.support.tagging import tone
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process


def test_copies_are_listed_with_the_best_first_and_nothing_is_deleted(tmp_path: Path) -> None:
    tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")
    tone(tmp_path / "b.flac", 41, artist="miles davis", title="So  what")
    tone(tmp_path / "live.flac", 40, artist="Miles Davis", title="So What (live)")
    tone(tmp_path / "short.flac", 5, artist="Miles Davis", title="So What")
    before = sorted(tmp_path.iterdir())
    done = ran("duplicates", tmp_path)
    assert done.out.decode().splitlines() == [
        f"{tmp_path}/b.flac",
        f"  copy: {tmp_path}/a.ogg",
        "1 copy of 1 recording",
    ]
    groups = json.loads(run("duplicates", tmp_path, "--json").out)["groups"]
    assert groups == [[f"{tmp_path}/b.flac", f"{tmp_path}/a.ogg"]]
    assert sorted(tmp_path.iterdir()) == before


def test_without_copies_it_says_so(tmp_path: Path) -> None:
    tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")

    assert run("duplicates", tmp_path).out == b"No duplicates\n"
    assert run("duplicates", tmp_path / "gone").code == 66


def test_no_duplicates_keeps_the_best_copy_and_says_so(tmp_path: Path) -> None:
    tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")
    tone(tmp_path / "b.flac", 41, artist="miles davis", title="So  what")
    said = make(tmp_path, "--no-duplicates", "-v")

    assert listed(tmp_path / "playshuffle.m3u") == ["b.flac"]
    assert "Left out: 1 duplicate: a better or equal copy is kept" in said
    assert f"{tmp_path}/a.ogg: duplicate of {tmp_path}/b.flac" in said
    done = run("why", tmp_path / "a.ogg")
    assert (done.code, f"no: duplicate of {tmp_path}/b.flac" in done.out.decode()) == (1, True)


def test_a_terminal_gets_lines_that_fit(tmp_path: Path) -> None:
    name = "a name that is longer than a terminal is wide, as names of classical music often are"
    tone(tmp_path / f"{name} 0.ogg", 40, artist="Miles Davis", title="So What")
    (tmp_path / f"{name} 1.ogg").write_bytes((tmp_path / f"{name} 0.ogg").read_bytes())
    seen = on_terminal("duplicates", tmp_path)
    lines = seen.text.splitlines()

    assert lines[0].endswith(" 0.ogg")
    assert lines[1].startswith("  copy: …")
    assert max(map(len, lines)) <= 80
