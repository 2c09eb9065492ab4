"""Test that a playlist has only the best copy of each recording."""

from pathlib import Path

import pytest

from tests.support.program import listed, make, run
from tests.support.tagging import tone

pytestmark = pytest.mark.process


def test_no_duplicates_keeps_the_best_copy_and_says_so(tmp_path: Path) -> None:
    tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")
    tone(tmp_path / "b.flac", 41, artist="miles davis", title="So  what")
    peeked = make(tmp_path, "--no-duplicates", "--dry-run", "-v")
    said = make(tmp_path, "--no-duplicates", "-v")

    assert f"{tmp_path}/a.ogg: duplicate of {tmp_path}/b.flac" in peeked
    assert listed(tmp_path / "playshuffle.m3u") == ["b.flac"]
    assert "Left out: 1 duplicate: a better or equal copy is kept" in said
    assert f"{tmp_path}/a.ogg: duplicate of {tmp_path}/b.flac" in said
    done = run("why", tmp_path / "a.ogg")
    assert (done.code, f"no: duplicate of {tmp_path}/b.flac" in done.out.decode()) == (1, True)
