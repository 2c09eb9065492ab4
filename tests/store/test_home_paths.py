"""Paths below the home folder, as they are stored."""

import os
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deck
from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow, FormerFile, TrackTable
from playshuffle.store import records, skip_list_entries
from playshuffle.store.home_paths import HomePaths
from playshuffle.store.records import SavedDeck, SavedOrder
from playshuffle.store.state import State
from playshuffle.system.mounts import Mount


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
def test_only_paths_below_the_home_are_stored_relative_to_the_home(
    top: bytes, path: bytes, stored: bytes
) -> None:
    assert HomePaths(top).stored(path) == stored
    assert HomePaths(top).absolute(stored) == path


@pytest.mark.parametrize("top", [b"", b"/", b"~", b"relative"])
def test_nothing_is_below_a_home_that_is_the_root_folder_or_not_absolute(top: bytes) -> None:
    assert HomePaths(top).stored(b"/home/ann/a.mp3") == b"/home/ann/a.mp3"


@given(st.sampled_from([b"/", b"/h", b"/h/a"]), st.binary().map(b"/".__add__))
def test_a_stored_path_is_read_back_unchanged(top: bytes, path: bytes) -> None:
    assert HomePaths(top).absolute(HomePaths(top).stored(path)) == path


@pytest.mark.parametrize("is_link", [False, True])
def test_a_state_that_was_copied_with_its_home_has_paths_below_the_new_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_link: bool
) -> None:
    """Folders are named by the home, which may be a link, and playlists by its real path."""
    (tmp_path / "disk").mkdir()
    (tmp_path / "ann").symlink_to("disk") if is_link else (tmp_path / "ann").mkdir()
    order, deck = (
        SavedOrder(array("I", [1]), frozenset(), 1, 0, "1-1", b""),
        SavedDeck(Deck(dealt=(1,), round=1), "1-1"),
    )
    mark, names = bytes(MARK_BYTES), ("Music/all.m3u", "Music/today.m3u")

    def table(home: bytes) -> TrackTable:
        row = FolderRow(b"a.mp3", array("I", [1]).tobytes(), mark)
        vanished = {2: FormerFile(home + b"/gone.mp3", (1, 2, 3, 4), 1)}
        mount = Mount(os.path.realpath(home) + b"/Music", "fuse", b"disk", 1)
        roots = {(home, True): Root(array("I", [1]), [mount])}
        return TrackTable({home + b"/": row, b"/mnt/": replace_number(row, 3)}, vanished, {}, 4, roots)

    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    home = bytes(tmp_path / "ann")
    all_, today = (os.path.realpath(home + b"/" + os.fsencode(name)) for name in names)
    with State() as state:
        state.save_tracks(state.load_tracks(), table(home))
        records.save(state, all_, order)
        records.save(state, today, deck)
        skip_list_entries.save(state, all_, {home + b"/never.m3u": [home + b"/a.mp3", b"/mnt/a.mp3"]})

    monkeypatch.setenv("HOME", str(tmp_path / "bob"))
    home = bytes(tmp_path / "bob")
    all_, today = (home + b"/" + os.fsencode(name) for name in names)
    with State() as state:
        assert state.load_tracks() == table(home)
        assert (state.roots(), records.dealt(state)) == ([home], {all_: False, today: True})
        assert state.root(home) == table(home).roots[home, True]
        assert (records.last(state, all_), records.last(state, today)) == (order, deck)
        assert skip_list_entries.load(state, all_) == {
            home + b"/never.m3u": [home + b"/a.mp3", b"/mnt/a.mp3"]
        }
        assert state.forget(all_)
        assert records.dealt(state) == {today: True}


def replace_number(row: FolderRow, number: int) -> FolderRow:
    return row._replace(numbers=array("I", [number]).tobytes())


@pytest.mark.parametrize(
    ("root", "parts"),
    [
        ("ann/Music", ["ann/Music/", "ann/Music/b/"]),
        ("ann", ["ann/", "ann/Music/", "ann/Music/b/", "ann/Music2/"]),
        (".", ["ann/", "ann/Music/", "ann/Music/b/", "ann/Music2/", "bob/"]),
        ("ann/other", []),
    ],
)
def test_a_part_of_the_track_table_has_only_the_folders_below_the_requested_roots(
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
