"""An update finds every change in the folders of its events, and writes nothing if there is none."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from playshuffle.config.model import Reshuffle
from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.service.update_process import Update, UpdateProcess
from playshuffle.service.update_protocol import Message, PlaylistUpdated, UpdateRequest, UpdateStarted
from playshuffle.watch.debounce import Batch
from tests.support.managed import START, Managed, event_in
from tests.support.program import DATA, listed
from tests.support.service import aged, wait_for

_FOLDERS = 36


class Albums:
    """A folder of albums, a second one, and playlists of both."""

    def __init__(self, managed: Managed, deal: DealSettings | None = None) -> None:
        self.managed = managed
        self.top = managed.top
        self.music, self.other = self.top / "Music", self.top / "Other"
        for number in range(_FOLDERS):
            _put(self.music / f"{number:02}/1.mp3")
        for number in range(3):
            _put(self.other / f"{number}.mp3")
        self.album = self.music / "07"
        _put(self.album / "2.mp3")
        for root in (self.music, self.other):
            aged(root)
        self.file = managed.file("all")
        self.manage("all", deal=deal)
        for _ in range(2):  # until nothing is left to write
            self.update(START)

    def manage(self, name: str, deal: DealSettings | None = None) -> None:
        self.managed.manage(name, self.music, self.other, deal=deal)

    def update(self, batch: Batch, name: str = "all") -> PlaylistUpdated:
        return self.managed.update(batch, name)[name]

    def look(self, *folders: Path) -> PlaylistUpdated:
        """Update for events in these folders."""
        return self.update(self.batch(*folders))

    def batch(self, *folders: Path) -> Batch:
        return event_in(*folders or (self.album,))


def _put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((DATA / "v24.mp3").read_bytes() + bytes(str(path), "utf-8"))


@pytest.fixture
def albums(managed: Managed) -> Albums:
    return Albums(managed)


def _snapshot(*tops: Path) -> Mapping[Path, tuple[int, int]]:
    """All files except for the cache and the locks."""
    files = (path for top in tops for path in top.rglob("*") if path.is_file())
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in files
        if ".cache" not in path.parts and path.suffix != ".lock"
    }


def test_nothing_is_written_if_nothing_has_changed(albums: Albums, home: Path) -> None:
    (albums.album / "cover.jpg").write_bytes(b"x")
    before = _snapshot(home, albums.top)

    assert not albums.look().is_changed
    assert not albums.look(albums.album, albums.top / "Elsewhere").is_changed
    assert _snapshot(home, albums.top) == before


def test_a_file_that_was_renamed_and_renamed_back_does_not_count_as_renamed(albums: Albums) -> None:
    track, between = albums.album / "1.mp3", albums.album / "x.mp3"
    moves = [(os.fsencode(old), os.fsencode(new)) for old, new in ((track, between), (between, track))]
    batch = replace(albums.batch(), gone=frozenset(old for old, _ in moves), moved=tuple(moves))

    message = albums.update(batch)

    assert (message.is_changed, message.renamed) == (False, 0)


# What an update finds in the folders of its events


def link_to_a_folder(albums: Albums) -> Batch:
    _put(albums.top / "Linked/1.mp3")
    (albums.album / "link").symlink_to(albums.top / "Linked")
    return albums.batch()


def ignore_file(albums: Albums) -> Batch:
    (albums.album / ".nomedia").touch()
    return albums.batch()


def hidden_by_pattern(albums: Albums) -> Batch:
    (albums.album / ".ndignore").write_text("2.mp3\n")
    return albums.batch()


def exchanged_folder(albums: Albums) -> Batch:
    albums.album.rename(albums.top / "former")
    albums.album.mkdir()
    for name in ("1.mp3", "2.mp3"):
        (albums.top / "former" / name).rename(albums.album / name)
    return albums.batch()


def second_of_two_folders(albums: Albums) -> Batch:
    (albums.album / "2.mp3").unlink()
    return albums.batch(albums.music / "03", albums.album)


def tree(albums: Albums) -> Batch:
    _put(albums.album / "More/Deep/1.mp3")
    return Batch(albums.batch().folders, trees=frozenset({os.fsencode(albums.music / "New") + b"/"}))


def playlist_removed(albums: Albums) -> Batch:
    albums.file.unlink()
    return albums.batch()


def playlist_edited(albums: Albums) -> Batch:
    content = albums.file.read_bytes()
    head, _, entries = content.partition(b"#EXTINF")
    albums.file.write_bytes(head + b"#EXTINF" + entries[::-1])
    return albums.batch()


def playlist_emptied(albums: Albums) -> Batch:
    albums.file.write_bytes(b"")
    return albums.batch()


def other_playlist_made(albums: Albums) -> Batch:
    albums.manage("other")
    albums.update(START, "other")
    return albums.batch()


def root_exchanged(albums: Albums) -> Batch:
    albums.other.rename(albums.top / "former")
    shutil.copytree(albums.top / "former", albums.other)
    return albums.batch()


def reshuffle_due(albums: Albums) -> Batch:
    albums.managed.config = albums.managed.config._replace(
        playlists=tuple(
            playlist._replace(reshuffle=Reshuffle.ON_START) for playlist in albums.managed.config.playlists
        )
    )
    albums.managed.began_s = int(time.time()) + 1000
    return albums.batch()


# What test_promises_model does at random is left out here.
CHANGES = (
    link_to_a_folder, ignore_file, hidden_by_pattern, exchanged_folder, second_of_two_folders,
    tree, playlist_removed, playlist_edited, playlist_emptied, other_playlist_made, root_exchanged,
    reshuffle_due,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_after_an_update_the_playlist_has_the_files_of_the_folders(
    change: Callable[[Albums], Batch], albums: Albums
) -> None:
    albums.update(change(albums))

    roots = (albums.music, albums.other)
    hidden = {albums.album} if change is ignore_file else set()
    left_out = {albums.album / "2.mp3"} if change is hidden_by_pattern else set()
    found = [path for root in roots for path in root.rglob("*.mp3") if path.parent not in hidden]
    if change is link_to_a_folder:
        found.append(albums.album / "link/1.mp3")
    entries = [albums.top / entry for entry in listed(albums.file)]
    assert sorted(entries) == sorted({*found} - left_out)


def test_a_new_file_is_added_to_a_playlist_though_an_update_of_another_playlist_has_cached_it(
    albums: Albums,
) -> None:
    """The cache has the new file then, so that the folder looks unchanged."""
    albums.manage("other")
    albums.update(START, "other")
    albums.look()
    _put(albums.album / "3.mp3")
    aged(albums.album)
    albums.update(albums.batch(), "other")

    albums.look()

    assert len(listed(albums.file)) == len(listed(albums.top / "other.m3u")) == _FOLDERS + 5


# Deals


@pytest.fixture
def dealt(managed: Managed) -> Albums:
    return Albums(managed, deal=DealSettings(Amount(tracks=5), Every.DAY))


def test_an_update_does_not_change_a_playlist_that_was_dealt_today(dealt: Albums, home: Path) -> None:
    before = _snapshot(home, dealt.top)

    assert not dealt.look().is_changed
    assert _snapshot(home, dealt.top) == before


def test_the_playlist_file_of_a_deal_is_rewritten_if_another_program_changed_it(dealt: Albums) -> None:
    before = dealt.file.read_bytes()
    playlist_edited(dealt)

    assert dealt.look().is_changed
    assert dealt.file.read_bytes() == before


# The process of an update


def make_hanging_update() -> Update:
    def hang(request: UpdateRequest, send: Callable[[Message], None]) -> None:
        time.sleep(3600)

    return hang


@pytest.mark.process
def test_an_update_that_never_ends_does_not_hold_up_the_service() -> None:
    """As one does that waits for a file system which does not answer: not even SIGKILL ends it."""
    messages: list[Message] = []
    with UpdateProcess(make_hanging_update) as updates:
        updates.begin(UpdateRequest(frozenset(), Batch()))
        wait_for(lambda: messages.extend(updates.receive()) or messages)  # type: ignore[func-returns-value]

    (started,) = messages
    assert isinstance(started, UpdateStarted)
    os.kill(started.process, signal.SIGKILL)  # so it outlived the process that waited for it
