"""Playlists from other programs are read in bounded time and memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from playshuffle.playlist.reading import read

_PEAK = """
import sys
from playshuffle.playlist.reading import read
entries = read(sys.argv[1].encode()).entries
lengths = [len(entry.text) for entry in entries]
# Not getrusage(): after a fork its maximum is at least that of the parent.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(status["VmHWM"].split()[0], len(entries), *lengths)
"""


@pytest.mark.process
@pytest.mark.parametrize("line", [b"x" * (40 << 20), b"%41" * (13 << 20), b"x" * (40 << 20) + b"\xff"])
def test_one_line_of_40_mb_takes_less_than_500_mb_and_is_cut(tmp_path: Path, line: bytes) -> None:
    playlist = tmp_path / "x.m3u"
    playlist.write_bytes(line + b"\nsong.mp3\n")

    done = subprocess.run(
        [sys.executable, "-c", _PEAK, playlist], capture_output=True, check=True, timeout=60, text=True
    )

    peak_kib, *rest = map(int, done.stdout.split())
    assert rest == [2, 64 << 10, 8]
    assert peak_kib < 500 << 10


def test_a_long_uri_is_read_whole(tmp_path: Path) -> None:
    """Each byte of the longest path takes three in a URI."""
    (tmp_path / "x.m3u").write_bytes(b"file://" + b"/%41" * 4095 + b"\n")

    (entry,) = read(bytes(tmp_path / "x.m3u")).entries

    assert entry.path == b"/A" * 4095
