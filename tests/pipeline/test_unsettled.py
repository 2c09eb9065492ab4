"""A disk that fails for a moment costs `playshuffle make` no track, and nothing beyond that moment."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.needs import need
from tests.support.program import library, listed, report, run

pytestmark = pytest.mark.process

_NAMES = ["a.flac", "b.mp3", "c.mp3"]


def report_with_error(music: Path, broken: Path, call: str, error: str) -> dict[str, Any]:
    """What a run reports if a system call on a file fails; strace follows it into the readers of tags."""
    need("strace")
    injected = ("-e", f"trace={call}", "-e", f"inject={call}:error={error}")
    before = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", str(broken), *injected]
    done = run("make", music, "--json", "-q", before=before)
    assert done.code == 0, done.err
    said: dict[str, Any] = json.loads(done.out)
    return said


@pytest.mark.parametrize(
    ("name", "call", "error", "reason"),
    [
        ("a.flac", "openat", "EACCES", "Permission denied"),
        ("b.mp3", "read,pread64", "ESTALE", "Stale file handle"),
    ],
)
def test_what_could_not_be_read_is_a_track_and_is_read_by_the_next_run(
    tmp_path: Path, name: str, call: str, error: str, reason: str
) -> None:
    music = library(tmp_path / "Music", _NAMES)
    said = [{"path": str(music / name), "reason": f"could not be read: {reason}"}]

    broken = report_with_error(music, music / name, call, error)

    assert (broken["untagged"], broken["skipped"]) == (said, [])
    assert sorted(listed(music / "playshuffle.m3u")) == _NAMES
    assert_all_is_known(music)


def test_what_is_gone_for_a_moment_is_back_in_the_next_run(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", _NAMES)

    broken = report_with_error(music, music / "b.mp3", "openat", "ENOENT")

    assert [one["path"] for one in broken["skipped"]] == [str(music / "b.mp3")]
    assert sorted(listed(music / "playshuffle.m3u")) == ["a.flac", "c.mp3"]
    assert_all_is_known(music)


def assert_all_is_known(music: Path) -> None:
    """Whether an undisturbed run has every track, with its tags."""
    said = report(music)

    assert (said["untagged"], said["skipped"]) == ([], [])
    assert sorted(listed(music / "playshuffle.m3u")) == _NAMES
    assert (music / "playshuffle.m3u").read_bytes().count(b"#EXTINF") == len(_NAMES)
