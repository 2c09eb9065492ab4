"""Test how paths below the home folder are stored, and that only some folders of a state are loaded."""

from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow, FormerFile, TrackTable
from playshuffle.store.home_paths import HomePaths
from playshuffle.store.state import State


@pytest.mark.parametrize(
    ("path", "stored"),
    [
        (b"/home/ann", b"~"),
        (b"/home/ann/", b"~/"),
        (b"/home/ann/a\xff\n.mp3", b"~/a\xff\n.mp3"),
        (b"/home/ann2/a.mp3", b"/home/ann2/a.mp3"),
        (b"/home/ann/~/a.mp3", b"~/~/a.mp3"),
        (b"/mnt/~/a.mp3", b"/mnt/~/a.mp3"),
        (b"-", b"-"),
        (b"~x", b"~x"),
    ],
)
@pytest.mark.parametrize("top", [b"/home/ann", b"/home/ann/"])
def test_only_paths_below_the_home_are_stored_relative_to_it(top: bytes, path: bytes, stored: bytes) -> None:
    assert HomePaths(top).stored(path) == stored
    assert HomePaths(top).absolute(stored) == path


@pytest.mark.parametrize("top", [b"", b"/", b"~", b"relative"])
def test_no_path_is_stored_relative_to_a_home_that_is_the_root_folder_or_not_absolute(top: bytes) -> None:
    assert HomePaths(top).stored(b"/home/ann/a.mp3") == b"/home/ann/a.mp3"


@given(st.sampled_from([b"/", b"/h", b"/h/a"]), st.binary().map(b"/".__add__))
def test_a_stored_path_is_read_back_unchanged(top: bytes, path: bytes) -> None:
    assert HomePaths(top).absolute(HomePaths(top).stored(path)) == path


@pytest.mark.parametrize(
    ("root", "parts"),
    [
        ("ann/Music", ["ann/Music/", "ann/Music/b/"]),
        ("ann", ["ann/", "ann/Music/", "ann/Music/b/", "ann/Music2/"]),
        (".", ["ann/", "ann/Music/", "ann/Music/b/", "ann/Music2/", "bob/"]),
        ("ann/other", []),
    ],
)
def test_only_folders_below_the_requested_music_folders_are_loaded_from_the_table_of_tracks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str, parts: list[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    names = ("ann/", "ann/Music/", "ann/Music/b/", "ann/Music2/", "bob/")
    folders = {
        bytes(tmp_path / name) + b"/": FolderRow(b"a.mp3", array("I", [number]).tobytes(), bytes(MARK_BYTES))
        for number, name in enumerate(names, 1)
    }
    top = bytes(tmp_path / root)
    roots = {(path, True): Root(array("I", [1]), []) for path in (top, bytes(tmp_path / "x"))}
    whole = TrackTable(folders, {9: FormerFile(b"/gone.mp3", (1, 2, 3, 4), 1)}, {}, 10, roots)
    with State() as state:
        state.save_tracks(TrackTable(), whole)

        part = state.load_tracks([top])

        assert state.load_tracks() == whole
    assert part.folders == {path: folders[path] for path in (bytes(tmp_path / name) + b"/" for name in parts)}
    assert (part.vanished, part.next_number, part.is_whole) == ({}, 10, False)
    assert part.roots == {(top, True): roots[top, True]}
