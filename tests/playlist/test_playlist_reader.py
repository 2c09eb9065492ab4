"""Playlists of other programs, damaged ones too, are read within limits of memory."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.errors import PlayshuffleError
from playshuffle.playlist import playlist_reader
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.playlist.playlist_reader import read, read_file_list
from tests.support.bad_audio import mutants

_PEAK = """
import sys
from playshuffle.playlist.playlist_reader import read
entries = read(sys.argv[1].encode()).entries
lengths = [len(entry.text) for entry in entries]
# Not getrusage(): after a fork its maximum is at least that of the parent.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(status["VmHWM"].split()[0], len(entries), *lengths)
"""


@pytest.mark.process
@pytest.mark.parametrize("line", [b"x" * (40 << 20), b"%41" * (13 << 20), b"x" * (40 << 20) + b"\xff"])
def test_a_playlist_line_of_40_mb_is_cut_and_reading_it_takes_less_than_500_mb_of_memory(
    tmp_path: Path, line: bytes
) -> None:
    playlist = tmp_path / "x.m3u"
    playlist.write_bytes(line + b"\nsong.mp3\n")

    done = subprocess.run(
        [sys.executable, "-c", _PEAK, playlist], capture_output=True, check=True, timeout=500, text=True
    )

    peak_kib, *rest = map(int, done.stdout.split())
    assert rest == [2, 64 << 10, 8]
    assert peak_kib < 500 << 10


def test_a_uri_of_the_longest_possible_path_is_not_cut(tmp_path: Path) -> None:
    """Each byte of the path takes three bytes in the URI."""
    (tmp_path / "x.m3u").write_bytes(b"file://" + b"/%41" * 4095 + b"\n")

    (entry,) = read(bytes(tmp_path / "x.m3u")).entries

    assert entry.path == b"/A" * 4095


_PIECES = st.sampled_from(
    [b"a", b"Z", b"/", b"//", b".", b"..", b" ", b"%41", b":", b"file:", b"http:", b"#", b"\\", b"+", b"\xff"]
)
_LINES = st.lists(st.lists(_PIECES, max_size=6).map(b"".join), max_size=6)
_HEADS = st.sampled_from([b"", b"#EXTM3U\n", b"#PLAYSHUFFLE-ORDER:random\n", b"#PLAYSHUFFLE-ESCAPES:%XX\n"])


@given(_HEADS, _LINES, st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
def test_each_entry_read_from_a_playlist_has_the_number_of_its_line(
    head: bytes, lines: list[bytes], newline: bytes
) -> None:
    content = head + newline.join(lines)
    found = playlist_reader.read_content(content, b"/music/x.m3u").entries

    assert [entry.line for entry in found] == [
        number
        for number, line in enumerate(content.replace(b"\r\n", b"\n").split(b"\n"), 1)
        if line.strip() and not line.strip().startswith(b"#")
    ]


# Damaged playlists


ENTRIES = (
    "a.mp3", "Noël “x”.mp3", "in/b.flac", "../up/c.ogg", "/d.mp3", "file:///e%20f.mp3",
    "http://radio/x", "100%.mp3", "C:\\Music\\x.mp3",
)  # fmt: skip
M3U = "".join(f"#EXTINF:12,A - {name}\n{name}\n" for name in ENTRIES)
OURS = "#EXTM3U\n#PLAYSHUFFLE-ORDER:random\n#PLAYSHUFFLE-BASE:/x\n#PLAYSHUFFLE-ESCAPES:%XX\n"
XSPF = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<playlist version="1" xmlns="http://xspf.org/ns/0/">'
    '<meta rel="playshuffle:ORDER">random</meta><trackList>'
    + "".join(f"<track><location>{name}</location></track>\n" for name in ENTRIES)
    + "</trackList></playlist>"
)


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """A folder of undamaged lists in several encodings and formats."""
    folder = tmp_path / "lists"
    folder.mkdir()
    for encoding in ("utf-8", "utf-8-sig", "cp1252", "mac_roman", "utf-16"):
        head = f"#EXTM3U\n#EXTENC:{encoding}\n"
        (folder / f"{encoding}.m3u").write_bytes((head + M3U).encode(encoding, "replace"))
        (folder / f"{encoding}.m3u8").write_bytes(M3U.replace("\n", "\r\n").encode(encoding, "replace"))
    (folder / "ours.m3u").write_text(OURS + M3U)
    (folder / "a.xspf").write_text(XSPF)
    (folder / "b.xspf").write_text(XSPF)
    (folder / "nul.txt").write_text("\0".join(ENTRIES))
    return folder


@pytest.mark.parametrize("count", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_reading_a_damaged_list_succeeds_or_ends_with_an_error_message(
    lists: Path, tmp_path: Path, count: int
) -> None:
    for name, data in mutants(lists, count, seed=1):
        path = bytes(tmp_path / name)
        (tmp_path / name).write_bytes(data)
        with contextlib.suppress(PlayshuffleError):
            read(path)
        with contextlib.suppress(PlayshuffleError):
            read_file_list(os.fsdecode(path))
        with contextlib.suppress(PlayshuffleError):
            file = PlaylistFile.find(path)
            file.has_mark()
            file.comments()
            file.entries()
        (tmp_path / name).unlink()
