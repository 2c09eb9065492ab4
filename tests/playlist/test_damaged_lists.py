"""Damaged lists are read, or refused with a sentence."""

import contextlib
import os
from pathlib import Path

import pytest

from playshuffle.errors import PlayshuffleError
from playshuffle.playlist.playlist_file import PlaylistFile
from playshuffle.playlist.playlist_reader import read, read_file_list
from tests.support.bad_audio import mutants

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
    """Lists in several encodings and formats."""
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
@pytest.mark.timeout(600)
def test_no_damaged_list_causes_another_error_than_a_sentence(
    lists: Path, tmp_path: Path, count: int
) -> None:
    for name, data in mutants(lists, count, seed=1):
        path = tmp_path / name
        path.write_bytes(data)
        for act in (_read, _read_files, _read_back):
            with contextlib.suppress(PlayshuffleError):
                act(os.fsencode(path))
        path.unlink()


def _read(path: bytes) -> None:
    read(path)


def _read_files(path: bytes) -> None:
    read_file_list(os.fsdecode(path))


def _read_back(path: bytes) -> None:
    file = PlaylistFile.find(path)
    file.has_mark()
    file.comments()
    file.entries()
