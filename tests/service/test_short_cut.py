"""An update ends at once if nothing can have changed for its playlist, and runs in full otherwise."""

import contextlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from playshuffle.config.build_request import build_request
from playshuffle.config.deal_settings import DealSettings
from playshuffle.config.model import Config, ConfiguredPlaylist, Reshuffle
from playshuffle.config.options import Options
from playshuffle.dealing.amount import Amount
from playshuffle.dealing.period import Every
from playshuffle.library import cache as cache_module
from playshuffle.library.cache import Cache
from playshuffle.library.walk import Changes, Dirty
from playshuffle.ordering.vanished import VANISHED_S
from playshuffle.pipeline.basis import Basis
from playshuffle.pipeline.short_cut import is_unaffected
from playshuffle.service import update
from playshuffle.service.backlog import Backlog
from playshuffle.service.update_protocol import (
    Message,
    PlaylistFailed,
    PlaylistUnaffected,
    PlaylistUpdated,
    pack,
    pack_request,
    unpack,
    unpack_request,
)
from playshuffle.store import state_file
from playshuffle.watch.debounce import Batch
from tests.service.test_backlog import read_here
from tests.support.program import DATA, listed
from tests.support.service import aged

_FOLDERS = 36  # more than fit on one shelf of the cache


class Managed:
    """A folder of albums, a second one, and playlists of both that are updated as the service does."""

    def __init__(self, top: Path, deal: DealSettings | None = None) -> None:
        self.top = top
        self.music, self.other = top / "Music", top / "Other"
        for number in range(_FOLDERS):
            _put(self.music / f"{number:02}/1.mp3")
        for number in range(3):
            _put(self.other / f"{number}.mp3")
        self.album = self.music / "07"
        _put(self.album / "2.mp3")
        for root in (self.music, self.other):
            aged(root)
        self.file = top / "all.m3u"
        self.began_s = 0
        self.backlogs: dict[str, Backlog] = {}
        self.config = Config(None, (), settle_s=0)
        self.manage("all", deal=deal)

    def manage(self, name: str, deal: DealSettings | None = None, **options: Any) -> None:
        """Add a playlist, or change the options of one."""
        folders = (str(self.music), str(self.other))
        asked = Options(folders=folders, output=str(self.top / f"{name}.m3u"), **options)
        others = tuple(each for each in self.config.playlists if each.name != name)
        playlist = ConfiguredPlaylist(name, asked, build_request(asked), deal=deal)
        self.config = replace(self.config, playlists=(*others, playlist))

    def start(self) -> Message:
        """Update everything until nothing is left to write."""
        for _ in range(2):
            message = self.update(Batch(is_whole=True, why="start"))
        return message

    def update(self, batch: Batch, name: str = "all") -> Message:
        if name not in self.backlogs:
            roots = [os.fsencode(self.music), os.fsencode(self.other)]
            self.backlogs[name] = Backlog({name: roots}, settle_s=0, unfinished={}, now_s=0)
        backlog = self.backlogs[name]
        backlog.add(batch, 0)
        batches, bases = unpack_request(pack_request(backlog.begin(0), backlog.bases))
        messages: list[Message] = []
        update.update(self.config, self.began_s, batches, messages.append, bases)
        message = unpack(pack(messages[-1]))
        if isinstance(message, PlaylistUpdated):
            backlog.finish(name, basis=message.basis)
        elif isinstance(message, PlaylistUnaffected):
            backlog.finish_unaffected(name, message.basis)
        backlog.end(0)
        assert message is not None
        return message

    def look(self, *folders: Path) -> Message:
        """Update for events in these folders."""
        return self.update(self.batch(*folders))

    def batch(self, *folders: Path) -> Batch:
        return Batch(frozenset(os.fsencode(folder) + b"/" for folder in folders or (self.album,)))


def _put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((DATA / "v24.mp3").read_bytes() + bytes(str(path), "utf-8"))


@pytest.fixture
def managed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Managed:
    monkeypatch.setattr(update, "read_all", read_here)
    return Managed(tmp_path)


def _snapshot(*tops: Path) -> Mapping[Path, tuple[int, int]]:
    files = (path for top in tops for path in [top, *top.rglob("*")] if path.is_file())
    return {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in files}


def test_nothing_is_read_or_written_where_nothing_has_changed(
    managed: Managed, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the state, nor what the cache knows of other folders, nor the playlist."""
    managed.start()
    before = _snapshot(home, managed.top)
    shelves: list[int] = []
    load = Cache._load

    def count(cache: Cache, number: int) -> object:
        shelves.append(number)
        return load(cache, number)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the state, the whole cache or the playlist is read")

    monkeypatch.setattr(Cache, "_load", count)
    monkeypatch.setattr(Cache, "folders", refuse)
    monkeypatch.setattr(Cache, "keep", refuse)
    monkeypatch.setattr(state_file, "connect", refuse)
    monkeypatch.setattr(update, "keep", refuse)

    for _ in range(3):
        assert isinstance(managed.look(), PlaylistUnaffected)

    assert len(shelves) == 3
    assert _snapshot(home, managed.top) == before


def test_files_that_are_no_tracks_do_not_count(managed: Managed, home: Path) -> None:
    managed.start()
    (managed.album / "cover.jpg").write_bytes(b"x")
    before = _snapshot(home, managed.top)

    assert isinstance(managed.look(), PlaylistUnaffected)
    assert _snapshot(home, managed.top) == before


def test_observed_renames_that_lead_nowhere_do_not_count(managed: Managed) -> None:
    managed.start()
    track, between = managed.album / "1.mp3", managed.album / "x.mp3"
    moves = [(os.fsencode(old), os.fsencode(new)) for old, new in ((track, between), (between, track))]
    batch = replace(managed.batch(), gone=frozenset(old for old, _ in moves), moved=tuple(moves))

    assert isinstance(managed.update(batch), PlaylistUnaffected)


def test_folders_of_other_playlists_do_not_count(managed: Managed) -> None:
    managed.start()

    assert isinstance(managed.look(managed.album, managed.top / "Elsewhere"), PlaylistUnaffected)


# What an update looks at before it ends at once


def new_file(managed: Managed) -> Batch:
    _put(managed.album / "3.mp3")
    return managed.batch()


def removed_file(managed: Managed) -> Batch:
    (managed.album / "2.mp3").unlink()
    return managed.batch()


def renamed_file(managed: Managed) -> Batch:
    (managed.album / "2.mp3").rename(managed.album / "3.mp3")
    return managed.batch()


def touched_file(managed: Managed) -> Batch:
    os.utime(managed.album / "2.mp3", (1, 1))
    return managed.batch()


def swapped_files(managed: Managed) -> Batch:
    one, other, between = (managed.album / name for name in ("1.mp3", "2.mp3", "between"))
    one.rename(between)
    other.rename(one)
    between.rename(other)
    return managed.batch()


def new_folder(managed: Managed) -> Batch:
    _put(managed.album / "More/1.mp3")
    return managed.batch()


def hard_link(managed: Managed) -> Batch:
    os.link(managed.album / "2.mp3", managed.top / "2.mp3")
    return managed.batch()


def link_to_a_folder(managed: Managed) -> Batch:
    _put(managed.top / "Linked/1.mp3")
    (managed.album / "link").symlink_to(managed.top / "Linked")
    return managed.batch()


def ignore_file(managed: Managed) -> Batch:
    (managed.album / ".nomedia").touch()
    return managed.batch()


def hidden_by_pattern(managed: Managed) -> Batch:
    (managed.album / ".ndignore").write_text("2.mp3\n")
    return managed.batch()


def exchanged_folder(managed: Managed) -> Batch:
    managed.album.rename(managed.top / "former")
    managed.album.mkdir()
    for name in ("1.mp3", "2.mp3"):
        (managed.top / "former" / name).rename(managed.album / name)
    return managed.batch()


def unknown_folder(managed: Managed) -> Batch:
    _put(managed.music / "New/1.mp3")
    return managed.batch(managed.music / "New")


def vanished_folder(managed: Managed) -> Batch:
    shutil.rmtree(managed.album)
    return managed.batch()


def second_of_two_folders(managed: Managed) -> Batch:
    (managed.album / "2.mp3").unlink()
    return managed.batch(managed.music / "03", managed.album)


def whole(_: Managed) -> Batch:
    return Batch(is_whole=True, why="hourly")


def tree(managed: Managed) -> Batch:
    _put(managed.album / "More/Deep/1.mp3")
    return Batch(managed.batch().folders, trees=frozenset({os.fsencode(managed.music / "New") + b"/"}))


def tree_of_folders_alone(managed: Managed) -> Batch:
    _put(managed.music / "New/Deep/1.mp3")
    return Batch(trees=frozenset({os.fsencode(managed.music / "New") + b"/"}))


def playlist_removed(managed: Managed) -> Batch:
    managed.file.unlink()
    return managed.batch()


def playlist_edited(managed: Managed) -> Batch:
    content = managed.file.read_bytes()
    head, _, entries = content.partition(b"#EXTINF")
    managed.file.write_bytes(head + b"#EXTINF" + entries[::-1])
    return managed.batch()


def playlist_emptied(managed: Managed) -> Batch:
    managed.file.write_bytes(b"")
    return managed.batch()


def other_playlist_made(managed: Managed) -> Batch:
    managed.manage("other")
    managed.update(Batch(is_whole=True, why="start"), "other")
    return managed.batch()


def root_exchanged(managed: Managed) -> Batch:
    managed.other.rename(managed.top / "former")
    shutil.copytree(managed.top / "former", managed.other)
    return managed.batch()


def reshuffle_due(managed: Managed) -> Batch:
    managed.config = replace(
        managed.config,
        playlists=tuple(
            replace(playlist, reshuffle=Reshuffle.ON_START) for playlist in managed.config.playlists
        ),
    )
    managed.began_s = int(time.time()) + 1000
    return managed.batch()


CHANGES = (
    new_file, removed_file, renamed_file, touched_file, swapped_files, new_folder, hard_link,
    link_to_a_folder, ignore_file, hidden_by_pattern, exchanged_folder, unknown_folder, vanished_folder,
    second_of_two_folders, whole, tree, tree_of_folders_alone, playlist_removed, playlist_edited,
    playlist_emptied, other_playlist_made, root_exchanged, reshuffle_due,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_the_update_runs_in_full_after(change: Callable[[Managed], Batch], managed: Managed) -> None:
    managed.start()
    assert isinstance(managed.look(), PlaylistUnaffected)

    message = managed.update(change(managed))

    assert isinstance(message, PlaylistUpdated)
    roots = (managed.music, managed.other)
    hidden = {managed.album} if change is ignore_file else set()
    left_out = {managed.album / "2.mp3"} if change is hidden_by_pattern else set()
    found = [path for root in roots for path in root.rglob("*.mp3") if path.parent not in hidden]
    if change is link_to_a_folder:
        found.append(managed.album / "link/1.mp3")
    entries = [managed.top / entry for entry in listed(managed.file)]
    if change not in (tree_of_folders_alone, unknown_folder):  # whose parent is not in the batch
        assert sorted(entries) == sorted({*found} - left_out)


def test_a_root_that_is_missing_is_reported(managed: Managed) -> None:
    managed.start()
    managed.other.rename(managed.top / "away")

    message = managed.look()

    assert isinstance(message, PlaylistFailed)
    assert message.missing == str(managed.other)


def test_a_change_that_another_playlist_has_seen_first_is_not_missed(managed: Managed) -> None:
    """The cache has the new file then, so that the folder looks unchanged."""
    managed.manage("other")
    managed.start()
    managed.update(Batch(is_whole=True, why="start"), "other")
    assert isinstance(managed.look(), (PlaylistUpdated, PlaylistUnaffected))
    _put(managed.album / "3.mp3")
    aged(managed.album)
    managed.update(managed.batch(), "other")

    managed.look()

    assert len(listed(managed.file)) == len(listed(managed.top / "other.m3u")) == _FOLDERS + 5


def test_a_failed_update_leaves_no_basis(managed: Managed) -> None:
    managed.start()
    managed.other.rename(managed.top / "away")
    managed.look()
    (managed.top / "away").rename(managed.other)

    assert isinstance(managed.look(), PlaylistUpdated)
    assert isinstance(managed.look(), PlaylistUnaffected)


def test_an_update_that_does_not_end_leaves_no_basis() -> None:
    backlog = Backlog({"one": (b"/m",)}, settle_s=0, unfinished={}, now_s=0)
    batch = Batch(frozenset({b"/m/"}))
    backlog.add(batch, 0)
    backlog.begin(0)
    backlog.finish("one", basis=(basis := _basis()))
    backlog.end(0)
    backlog.add(batch, 1)
    backlog.begin(1)
    assert backlog.bases == {"one": basis}
    backlog.end(1)  # it was killed

    backlog.add(batch, 2)
    backlog.begin(2)

    assert backlog.bases == {}


def test_what_could_not_be_read_is_tried_again_after_a_short_cut() -> None:
    backlog = Backlog({"one": (b"/m",)}, settle_s=0, unfinished={}, now_s=0)
    batch = Batch(frozenset({b"/m/"}))
    backlog.add(batch, 0)
    backlog.begin(0)
    backlog.finish("one", has_unreadable=True, basis=_basis())
    backlog.end(0)
    backlog.add(batch, 1)
    backlog.begin(1)
    backlog.finish_unaffected("one", _basis())
    backlog.end(1)

    backlog.retry(20)

    assert backlog.begin(20) == {"one": Batch(is_whole=True, why="retry")}


# Updates that return no basis


def _basis() -> Basis:
    return Basis([1, 2, 3], [4, 5, 6], [7, 8, 9, 10, 11], [[12, 13]], 14, None, 15)


def _basis_of(message: Message) -> object:
    assert isinstance(message, PlaylistUpdated)
    return message.basis


@pytest.mark.parametrize(
    ("options", "has_basis"),
    [
        ({}, True),
        ({"where": ("year:1..", "format:mp3")}, True),
        ({"where": ("mtime:1970..",)}, False),
        ({"where": ("date:1970..",)}, False),
        ({"most": "3:artist"}, False),
        ({"tags": False}, False),
        ({"max_per_file": 5}, False),
        ({"player": "mpd"}, False),
    ],
    ids=str,
)
def test_a_basis_is_left_only_if_the_folders_alone_decide(
    options: Mapping[str, Any], *, has_basis: bool, managed: Managed
) -> None:
    managed.manage("all", **options)

    assert (_basis_of(managed.start()) is not None) == has_basis


def test_a_playlist_with_skip_lists_leaves_no_basis(managed: Managed) -> None:
    never = managed.top / "never.m3u"
    never.write_text(f"{managed.album}/2.mp3\n")
    managed.manage("all", without=(str(never),))

    assert _basis_of(managed.start()) is None


def test_links_and_ignore_files_anywhere_leave_no_basis(managed: Managed) -> None:
    _put(managed.top / "Linked/1.mp3")
    (managed.music / "03/link").symlink_to(managed.top / "Linked")

    assert _basis_of(managed.start()) is None


def test_a_growing_file_leaves_no_basis(managed: Managed) -> None:
    managed.start()
    managed.config = replace(managed.config, settle_s=60)
    (managed.music / "03/2.mp3").write_bytes(b"half")

    message = managed.look(managed.music / "03")

    assert isinstance(message, PlaylistUpdated)
    assert message.growing
    assert message.basis is None


def test_an_unreadable_folder_leaves_no_basis(managed: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    managed.start()
    scandir = os.scandir

    def fail(path: bytes) -> object:
        if path == os.fsencode(managed.album) + b"/":
            raise OSError(5, "Input/output error")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", fail)
    message = managed.look()

    assert isinstance(message, PlaylistUpdated)
    assert message.unreadable
    assert message.basis is None


def test_a_playlist_that_another_program_changed_leaves_no_basis(managed: Managed) -> None:
    """So that the note about it is not repeated, and counts as new if it happens again."""
    managed.start()
    playlist_edited(managed)

    first, second = managed.look(), managed.look()

    assert _basis_of(first) is None
    assert _basis_of(second) is not None


def _change_state(home: Path, command: str, *values: object) -> None:
    with (
        contextlib.closing(sqlite3.connect(home / ".local/state/playshuffle/state.db")) as database,
        database,
    ):
        database.execute(command, values)


def test_an_order_dated_in_the_future_leaves_no_basis(managed: Managed, home: Path) -> None:
    """It is reported, and reported again if it happens again."""
    managed.start()
    _change_state(home, "UPDATE playlist SET shuffled = ?", int(time.time()) + 1_000_000)

    first, second = managed.look(), managed.look()

    assert _basis_of(first) is None
    assert _basis_of(second) is not None


@pytest.mark.damages_state
def test_a_damaged_state_leaves_no_basis(managed: Managed, home: Path) -> None:
    managed.start()
    _change_state(home, "UPDATE root SET tracks = 'many'")

    first, second = managed.look(), managed.look()

    assert _basis_of(first) is None
    assert _basis_of(second) is not None


def test_a_cache_that_cannot_be_written_leaves_no_basis(
    managed: Managed, monkeypatch: pytest.MonkeyPatch
) -> None:
    managed.start()

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_module, "connect", fail)

    assert _basis_of(managed.update(Batch(is_whole=True))) is None


@pytest.mark.parametrize("writes", [False, True])
def test_another_write_of_the_cache_during_an_update_is_no_basis(
    managed: Managed, monkeypatch: pytest.MonkeyPatch, *, writes: bool
) -> None:
    """Also if the update itself writes the cache later."""
    managed.start()
    if writes:
        _put(managed.album / "3.mp3")
    folders = Cache.folders

    def and_another(cache: Cache, roots: tuple[bytes, ...]) -> object:
        found = folders(cache, roots)
        with Cache() as other:
            other.keep([], [b"/nowhere/"])
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Cache, "folders", and_another)
        assert isinstance(managed.update(Batch(is_whole=True)), PlaylistUpdated)

    assert isinstance(managed.look(), PlaylistUpdated)
    assert isinstance(managed.look(), PlaylistUnaffected)


# Time


def _unaffected_at(managed: Managed, message: Message, now_s: float, redraw_before_s: float = 0) -> bool:
    assert isinstance(message, (PlaylistUpdated, PlaylistUnaffected))
    assert message.basis is not None
    changes = Changes(Dirty(managed.batch().folders))
    request = managed.config.playlists[0].request
    return is_unaffected(message.basis, request, changes, now_s=now_s, redraw_before_s=redraw_before_s)


def test_an_order_that_is_due_to_be_drawn_again_is_no_short_cut(managed: Managed) -> None:
    message = managed.start()
    now_s = time.time()

    assert _unaffected_at(managed, message, now_s, redraw_before_s=now_s - 86_400)
    assert not _unaffected_at(managed, message, now_s, redraw_before_s=now_s + 1)


def test_a_clock_that_was_set_back_is_no_short_cut(managed: Managed) -> None:
    message = managed.start()

    assert not _unaffected_at(managed, message, time.time() - 100)


def test_vanished_tracks_are_forgotten_in_time(managed: Managed) -> None:
    message = managed.start()
    assert _unaffected_at(managed, message, time.time() + 2 * VANISHED_S)
    (managed.album / "2.mp3").unlink()

    message = managed.look()

    assert _unaffected_at(managed, message, time.time() + VANISHED_S - 100)
    assert not _unaffected_at(managed, message, time.time() + VANISHED_S)


# Deals


@pytest.fixture
def dealt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Managed:
    monkeypatch.setattr(update, "read_all", read_here)
    return Managed(tmp_path, deal=DealSettings(Amount(count=5), Every.DAY))


def test_a_deal_of_today_is_left_alone(dealt: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    message = dealt.start()
    before = listed(dealt.file)

    assert isinstance(dealt.look(), PlaylistUnaffected)
    assert _unaffected_at(dealt, message, time.time())
    assert not _unaffected_at(dealt, message, time.time() + 86_400), "the next deal is due"
    assert listed(dealt.file) == before


def test_a_new_deal_is_looked_at_once_more(dealt: Managed) -> None:
    """It counts as dealt when the file has it."""
    assert _basis_of(dealt.update(Batch(is_whole=True, why="start"))) is None


def test_a_deal_of_the_future_leaves_no_basis(dealt: Managed, home: Path) -> None:
    dealt.start()
    tomorrow = str(datetime.now().astimezone().date() + timedelta(days=1))
    _change_deal(home, "$.deal.period", f'"{tomorrow}"')

    assert _basis_of(dealt.look()) is None


def test_a_deal_that_had_not_reached_its_file_leaves_no_basis(dealt: Managed, home: Path) -> None:
    dealt.start()
    before = dealt.file.read_bytes()
    dealt.file.unlink()
    _change_deal(home, "$.deal.is_pending", "true")

    assert _basis_of(dealt.look()) is None
    assert dealt.file.read_bytes() == before


def _change_deal(home: Path, name: str, value: str) -> None:
    _change_state(home, "UPDATE deck SET facts = json_set(facts, ?, json(?)) WHERE age = 0", name, value)


def test_a_deal_with_a_root_without_tracks_leaves_no_basis(dealt: Managed) -> None:
    for number in range(25):
        _put(dealt.other / f"more {number}.mp3")
    aged(dealt.other)
    dealt.start()
    for path in dealt.other.iterdir():
        path.unlink()

    message = dealt.update(Batch(is_whole=True))

    assert _basis_of(message) is None


def test_a_dealt_file_that_another_program_changed_is_written_again(dealt: Managed) -> None:
    dealt.start()
    before = dealt.file.read_bytes()
    playlist_edited(dealt)

    assert isinstance(dealt.look(), PlaylistUpdated)
    assert dealt.file.read_bytes() == before
