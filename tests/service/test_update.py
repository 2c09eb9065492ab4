"""An update finds the changes in the folders of its events, and writes nothing if there are none."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from playshuffle.config.model import QueuePlayer, Reshuffle
from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.service.update_process import Update, UpdateProcess
from playshuffle.service.update_protocol import Message, PlaylistUpdated, UpdateRequest, UpdateStarted
from playshuffle.store import to_tell
from playshuffle.watch.debounce import Batch
from tests.support.managed import START, Managed, event_in
from tests.support.program import DATA, listed
from tests.support.service import aged, wait_for

_FOLDERS = 36


class Albums:
    """A folder of albums, a second folder of files, and a playlist of both that is up to date."""

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
        """Update for events in the album, or in these folders."""
        return self.update(event_in(*folders or (self.album,)))


def _put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((DATA / "v24.mp3").read_bytes() + bytes(str(path), "utf-8"))


@pytest.fixture
def albums(managed: Managed) -> Albums:
    return Albums(managed)


def _snapshot(*tops: Path) -> Mapping[Path, tuple[int, int]]:
    """Return the time and size of each file below these folders, except for the cache and locks."""
    files = (path for top in tops for path in top.rglob("*") if path.is_file())
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in files
        if ".cache" not in path.parts and path.suffix != ".lock"
    }


DAILY = DealSettings(Amount(tracks=5), Every.DAY)


@pytest.mark.parametrize("deal", [None, DAILY], ids=["kept", "dealt today"])
def test_an_update_writes_no_file_if_no_track_has_changed(
    managed: Managed, deal: DealSettings | None, home: Path
) -> None:
    albums = Albums(managed, deal)
    (albums.album / "cover.jpg").write_bytes(b"x")
    before = _snapshot(home, albums.top)

    assert not albums.look().is_changed
    assert not albums.look(albums.album, albums.top / "Elsewhere").is_changed
    assert _snapshot(home, albums.top) == before


def test_the_playlist_file_of_a_deal_is_restored_if_another_program_changed_it(managed: Managed) -> None:
    albums = Albums(managed, DAILY)
    before = albums.file.read_bytes()
    edit_playlist(albums)

    assert albums.look().is_changed
    assert albums.file.read_bytes() == before


def test_each_playlist_that_an_update_writes_is_noted_for_the_command_tell(albums: Albums) -> None:
    """At the start of the service even an unchanged one, which a killed service may not have noted."""
    (playlist,) = albums.managed.config.playlists
    albums.managed.config = albums.managed.config._replace(
        playlists=(playlist._replace(tell=(QueuePlayer.MPD,)),)
    )
    to_tell.make_folders()

    albums.look()
    assert to_tell.take() == []
    albums.update(START)
    (noted,) = to_tell.take()
    to_tell.finish(noted)
    _put(albums.album / "3.mp3")
    aged(albums.album)
    albums.look()
    assert to_tell.take() == [noted]


def test_a_file_that_was_renamed_and_renamed_back_does_not_count_as_renamed(albums: Albums) -> None:
    track, between = albums.album / "1.mp3", albums.album / "x.mp3"
    moves = [(os.fsencode(old), os.fsencode(new)) for old, new in ((track, between), (between, track))]
    gone = frozenset(old for old, _ in moves)
    message = albums.update(event_in(albums.album)._replace(gone=gone, moved=tuple(moves)))

    assert (message.is_changed, message.renamed) == (False, 0)


# Changes that the random ones of test_promises_model lack


def link_to_a_folder(albums: Albums) -> None:
    _put(albums.top / "Linked/1.mp3")
    (albums.album / "link").symlink_to(albums.top / "Linked")


def ignore_file(albums: Albums) -> None:
    (albums.album / ".nomedia").touch()


def hide_by_pattern(albums: Albums) -> None:
    (albums.album / ".ndignore").write_text("2.mp3\n")


def exchange_folder(albums: Albums) -> None:
    albums.album.rename(albums.top / "former")
    albums.album.mkdir()
    for name in ("1.mp3", "2.mp3"):
        (albums.top / "former" / name).rename(albums.album / name)


def remove_playlist(albums: Albums) -> None:
    albums.file.unlink()


def edit_playlist(albums: Albums) -> None:
    head, _, entries = albums.file.read_bytes().partition(b"#EXTINF")
    albums.file.write_bytes(head + b"#EXTINF" + entries[::-1])


def empty_playlist(albums: Albums) -> None:
    albums.file.write_bytes(b"")


def exchange_root(albums: Albums) -> None:
    albums.other.rename(albums.top / "former")
    shutil.copytree(albums.top / "former", albums.other)


def make_reshuffle_due(albums: Albums) -> None:
    (playlist,) = albums.managed.config.playlists
    playlist = playlist._replace(reshuffle=Reshuffle.ON_START)
    albums.managed.config = albums.managed.config._replace(playlists=(playlist,))
    albums.managed.began_s = int(time.time()) + 1000


CHANGES = (
    link_to_a_folder, ignore_file, hide_by_pattern, exchange_folder, remove_playlist, edit_playlist,
    empty_playlist, exchange_root, make_reshuffle_due,
)  # fmt: skip
# Files of the album that only the playlist or only the folder has.
DIFFERENCES: Mapping[Callable[[Albums], None], Sequence[str]] = {
    link_to_a_folder: ["link/1.mp3"],
    ignore_file: ["1.mp3", "2.mp3"],
    hide_by_pattern: ["2.mp3"],
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_after_an_update_for_one_folder_the_playlist_has_the_files_of_all_its_folders(
    change: Callable[[Albums], None], albums: Albums
) -> None:
    change(albums)
    albums.look()

    found = {path for root in (albums.music, albums.other) for path in root.rglob("*.mp3")}
    found ^= {albums.album / name for name in DIFFERENCES.get(change, ())}
    assert sorted(albums.top / entry for entry in listed(albums.file)) == sorted(found)


def test_a_new_file_is_added_to_a_playlist_though_an_update_of_another_playlist_has_cached_it(
    albums: Albums,
) -> None:
    """By its cached state, the folder looks unchanged."""
    albums.manage("other")
    albums.update(START, "other")
    albums.look()
    _put(albums.album / "3.mp3")
    aged(albums.album)
    albums.update(event_in(albums.album), "other")

    albums.look()

    assert len(listed(albums.file)) == len(listed(albums.top / "other.m3u")) == _FOLDERS + 5


# The process of an update


def make_hanging_update() -> Update:
    def hang(request: UpdateRequest, send: Callable[[Message], None]) -> None:
        time.sleep(3600)

    return hang


@pytest.mark.process
def test_the_service_can_end_while_an_update_hangs_in_a_system_call() -> None:
    """Not even SIGKILL ends an update that waits for a dead file system."""
    messages: list[Message] = []
    with UpdateProcess(make_hanging_update) as updates:
        updates.begin(UpdateRequest(frozenset(), Batch()))
        wait_for(lambda: messages.extend(updates.receive()) or messages)  # type: ignore[func-returns-value]

    (started,) = messages
    assert isinstance(started, UpdateStarted)
    os.kill(started.process, signal.SIGKILL)  # so it outlived the process that waited for it
