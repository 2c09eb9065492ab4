"""An update finds every change in the folders of its events, and writes nothing if there is none."""

import os
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from playshuffle.config.build_request import build_request
from playshuffle.config.model import Config, ConfiguredPlaylist, Reshuffle
from playshuffle.config.options import Options
from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.service import update
from playshuffle.service.update_protocol import (
    Message,
    PlaylistFailed,
    PlaylistUpdated,
    pack,
    unpack,
)
from playshuffle.watch.debounce import Batch
from tests.support.library import read_here
from tests.support.program import DATA, listed
from tests.support.service import aged

_FOLDERS = 36


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
        self.config = Config(None, (), settle_s=0)
        self.manage("all", deal=deal)

    def manage(self, name: str, deal: DealSettings | None = None, **options: Any) -> None:
        """Add a playlist, or change the options of one."""
        folders = (str(self.music), str(self.other))
        asked = Options(folders=folders, output=str(self.top / f"{name}.m3u"), **options)
        others = tuple(each for each in self.config.playlists if each.name != name)
        playlist = ConfiguredPlaylist(name, asked, build_request(asked)._replace(deal=deal))
        self.config = replace(self.config, playlists=(*others, playlist))

    def start(self) -> None:
        """Update everything until nothing is left to write."""
        for _ in range(2):
            self.update(Batch(is_whole=True, why="start"))

    def update(self, batch: Batch, name: str = "all") -> PlaylistUpdated:
        """Update a playlist, which succeeds."""
        message = self._message(batch, name)
        assert isinstance(message, PlaylistUpdated), message
        return message

    def _message(self, batch: Batch, name: str) -> Message | None:
        messages: list[Message] = []
        update.update(self.config, self.began_s, unpack(pack({name: batch})), messages.append)
        message: Message | None = unpack(pack(messages[-1]))
        return message

    def look(self, *folders: Path) -> PlaylistUpdated:
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
    """All files except for the cache and the locks."""
    files = (path for top in tops for path in top.rglob("*") if path.is_file())
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in files
        if ".cache" not in path.parts and path.suffix != ".lock"
    }


def test_nothing_is_written_where_nothing_has_changed(managed: Managed, home: Path) -> None:
    managed.start()
    before = _snapshot(home, managed.top)

    assert not managed.look().is_changed
    assert _snapshot(home, managed.top) == before


def test_files_that_are_no_tracks_do_not_count(managed: Managed, home: Path) -> None:
    managed.start()
    (managed.album / "cover.jpg").write_bytes(b"x")
    before = _snapshot(home, managed.top)

    assert not managed.look().is_changed
    assert _snapshot(home, managed.top) == before


def test_observed_renames_that_lead_nowhere_do_not_count(managed: Managed) -> None:
    managed.start()
    track, between = managed.album / "1.mp3", managed.album / "x.mp3"
    moves = [(os.fsencode(old), os.fsencode(new)) for old, new in ((track, between), (between, track))]
    batch = replace(managed.batch(), gone=frozenset(old for old, _ in moves), moved=tuple(moves))

    message = managed.update(batch)

    assert (message.is_changed, message.renamed) == (False, 0)


def test_folders_of_other_playlists_do_not_count(managed: Managed) -> None:
    managed.start()

    assert not managed.look(managed.album, managed.top / "Elsewhere").is_changed


# What an update finds in the folders of its events


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
def test_the_playlist_has_what_the_folders_have_after(
    change: Callable[[Managed], Batch], managed: Managed
) -> None:
    managed.start()

    managed.update(change(managed))

    roots = (managed.music, managed.other)
    hidden = {managed.album} if change is ignore_file else set()
    left_out = {managed.album / "2.mp3"} if change is hidden_by_pattern else set()
    found = [path for root in roots for path in root.rglob("*.mp3") if path.parent not in hidden]
    if change is link_to_a_folder:
        found.append(managed.album / "link/1.mp3")
    entries = [managed.top / entry for entry in listed(managed.file)]
    if change not in (tree_of_folders_alone, unknown_folder):  # whose parent is not in the batch
        assert sorted(entries) == sorted({*found} - left_out)


def test_a_root_that_is_missing_is_reported_and_the_others_are_followed(managed: Managed) -> None:
    managed.start()
    before = listed(managed.file)
    managed.other.rename(managed.top / "away")

    message = managed.update(removed_file(managed))

    assert message.status.waiting == {str(managed.other): 3}
    assert listed(managed.file) == [entry for entry in before if entry != "Music/07/2.mp3"]


def test_an_update_without_a_state_fails_for_all_playlists(managed: Managed, home: Path) -> None:
    managed.start()
    managed.manage("other")
    shutil.rmtree(home / ".local/state/playshuffle")
    (home / ".local/state/playshuffle").write_bytes(b"")
    before = listed(managed.file)
    messages: list[Message] = []

    update.update(managed.config, 0, dict.fromkeys(("all", "other"), removed_file(managed)), messages.append)

    failures = [message for message in messages if isinstance(message, PlaylistFailed)]
    assert [(failed.playlist, failed.code) for failed in failures] == [("all", 73), ("other", 73)]
    assert len(messages) == sum(1 for _ in failures)
    assert listed(managed.file) == before


def test_a_change_that_another_playlist_has_seen_first_is_not_missed(managed: Managed) -> None:
    """The cache has the new file then, so that the folder looks unchanged."""
    managed.manage("other")
    managed.start()
    managed.update(Batch(is_whole=True, why="start"), "other")
    managed.look()
    _put(managed.album / "3.mp3")
    aged(managed.album)
    managed.update(managed.batch(), "other")

    managed.look()

    assert len(listed(managed.file)) == len(listed(managed.top / "other.m3u")) == _FOLDERS + 5


# Deals


@pytest.fixture
def dealt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Managed:
    monkeypatch.setattr(update, "read_all", read_here)
    return Managed(tmp_path, deal=DealSettings(Amount(count=5), Every.DAY))


def test_a_deal_of_today_is_left_alone(dealt: Managed, home: Path) -> None:
    dealt.start()
    before = _snapshot(home, dealt.top)

    assert not dealt.look().is_changed
    assert _snapshot(home, dealt.top) == before


def test_a_dealt_file_that_another_program_changed_is_written_again(dealt: Managed) -> None:
    dealt.start()
    before = dealt.file.read_bytes()
    playlist_edited(dealt)

    assert dealt.look().is_changed
    assert dealt.file.read_bytes() == before
