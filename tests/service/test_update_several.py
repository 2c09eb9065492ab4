"""One update of several playlists over folders that overlap, hide each other, or wait for a drive."""

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from playshuffle.config.build_request import build_request
from playshuffle.config.model import Config, ConfiguredPlaylist
from playshuffle.config.options import Options
from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit
from playshuffle.library import scan
from playshuffle.service import update
from playshuffle.service.update_protocol import LibraryScanned, Message, PlaylistFailed, PlaylistUpdated
from playshuffle.tags.reading import Reading
from playshuffle.watch.debounce import Batch
from tests.support.library import read_here
from tests.support.program import DATA, listed
from tests.support.service import aged, left

WHOLE = Batch(is_whole=True, why="hourly")
DAILY = DealSettings(Amount(count=4), Every.DAY)
EACH_UPDATE = DealSettings(Amount(count=2), Every.RUN)


class Playlists:
    """Playlists that are updated as the service does, in this process.

    read: paths of all files whose tags were read. settle_s: files written less than this time ago are left.
    """

    def __init__(self, top: Path) -> None:
        self.top = top
        self.playlists: list[ConfiguredPlaylist] = []
        self.read: list[bytes] = []
        self.settle_s = 0.0

    def read_all(self, paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        self.read += paths
        return read_here(paths)

    def manage(self, name: str, *folders: Path, deal: DealSettings | None = None, **options: Any) -> None:
        asked = Options(folders=tuple(map(str, folders)), output=str(self.top / f"{name}.m3u"), **options)
        self.playlists.append(ConfiguredPlaylist(name, asked, build_request(asked)._replace(deal=deal)))

    def messages(self, batch: Batch, *names: str) -> dict[str, PlaylistUpdated | PlaylistFailed]:
        """Update some playlists, or all, for the same batch; return the result of each."""
        messages: list[Message] = []
        batches = dict.fromkeys(names or [playlist.name for playlist in self.playlists], batch)
        config = Config(None, tuple(self.playlists), settle_s=self.settle_s)
        update.update(config, 0, batches, messages.append)
        assert sum(isinstance(message, LibraryScanned) for message in messages) == 1
        return {
            message.playlist: message
            for message in messages
            if isinstance(message, (PlaylistUpdated, PlaylistFailed))
        }

    def update(self, batch: Batch, *names: str) -> dict[str, PlaylistUpdated]:
        """Update some playlists, or all, without an error."""
        updated = {}
        for name, message in self.messages(batch, *names).items():
            assert isinstance(message, PlaylistUpdated), message
            updated[name] = message
        return updated

    def entries(self, name: str) -> list[str]:
        return listed(self.top / f"{name}.m3u")


@pytest.fixture
def playlists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Playlists:
    playlists = Playlists(tmp_path)
    monkeypatch.setattr(update, "read_all", playlists.read_all)
    return playlists


def fill(folder: Path, names: str) -> None:
    """Write a file for each letter; no two have the same content."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = folder / f"{name}.mp3"
        path.write_bytes((DATA / "v24.mp3").read_bytes() + os.fsencode(path))
    aged(folder)


def event_in(*folders: Path) -> Batch:
    return Batch(frozenset(os.fsencode(folder) + b"/" for folder in folders))


# Folders that another playlist does not enter


def hidden(music: Path) -> Path:
    return music / ".dot"


def ignored(music: Path) -> Path:
    music.mkdir(exist_ok=True)
    (music / ".ignore").write_text("xmas\n")
    return music / "xmas"


def marked(music: Path) -> Path:
    (music / "spoken").mkdir(parents=True)
    (music / "spoken/.nomedia").touch()
    return music / "spoken/tales"


NOT_ENTERED = pytest.mark.parametrize("inner_of", [ignored, hidden, marked])


@NOT_ENTERED
@pytest.mark.parametrize("deal", [DAILY, None], ids=["deck", "kept"])
@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "event"])
def test_a_list_over_a_folder_that_another_does_not_enter_follows_it_while_a_drive_is_missing(
    playlists: Playlists, inner_of: Any, deal: DealSettings | None, is_whole: bool
) -> None:
    music, usb = playlists.top / "m", playlists.top / "usb"
    inner = inner_of(music)
    fill(music, "abc")
    fill(usb, "uvw")
    fill(inner, "klmn")
    playlists.manage("outer", music, usb, deal=deal)
    playlists.manage("inner", inner)
    playlists.update(Batch(is_whole=True, why="start"))
    before = playlists.entries("inner")
    prefix = f"{inner.relative_to(playlists.top)}/"
    assert sorted(before) == [f"{prefix}{name}.mp3" for name in "klmn"]

    usb.rename(playlists.top / "away")
    playlists.update(Batch(is_whole=True, why="root"))
    fill(inner, "x")
    (inner / "l.mp3").unlink()
    batch = WHOLE if is_whole else event_in(inner)
    updated = playlists.update(batch)["inner"]

    assert sorted(playlists.entries("inner")) == [f"{prefix}{name}.mp3" for name in "kmnx"]
    assert left(before, playlists.entries("inner")) == [
        entry for entry in before if entry != f"{prefix}l.mp3"
    ]
    assert (updated.added, updated.removed, updated.status.waiting) == (1, 1, {})


@NOT_ENTERED
def test_nested_lists_of_which_one_does_not_enter_the_other_open_no_file_again(
    playlists: Playlists, inner_of: Any
) -> None:
    music = playlists.top / "m"
    inner = inner_of(music)
    fill(music, "abc")
    fill(inner, "klm")
    playlists.manage("outer", music)
    playlists.manage("inner", inner)

    _check_nothing_is_read_again(playlists, music, inner)


def test_lists_with_and_without_ignore_files_over_one_folder_open_no_file_again(playlists: Playlists) -> None:
    music = playlists.top / "m"
    fill(music, "abc")
    inner = ignored(music)
    fill(inner, "klm")
    marked(music)
    fill(music / "spoken", "pq")
    (music / ".ndignore").write_text("c.mp3\n")
    playlists.manage("some", music)
    playlists.manage("every", music, ignore_files=False)

    _check_nothing_is_read_again(playlists, music, inner)

    assert sorted(playlists.entries("some")) == ["m/a.mp3", "m/b.mp3"]
    assert len(playlists.entries("every")) == 8


def _check_nothing_is_read_again(playlists: Playlists, music: Path, inner: Path) -> None:
    playlists.update(Batch(is_whole=True, why="start"))
    assert len(playlists.read) == len({*playlists.read}) == len([*music.rglob("*.mp3")])
    playlists.read.clear()
    names = [playlist.name for playlist in playlists.playlists]
    for some in ([], names[:1], names[1:], []):
        for batch in (WHOLE, event_in(music), event_in(inner), event_in(music, inner)):
            for message in playlists.update(batch, *some).values():
                assert (message.is_changed, message.added, message.removed) == (False, 0, 0)
    assert playlists.read == []


# Moves between the folders of two lists


@pytest.mark.parametrize("first", ["part", "both"])
def test_a_track_that_is_moved_keeps_its_position_if_a_list_over_its_new_folder_sees_it_first(
    playlists: Playlists, first: str
) -> None:
    music = playlists.top / "m"
    fill(music / "a", "pqr")
    fill(music / "b", "uvwx")
    playlists.manage("part", music / "a")
    playlists.manage("all", music)
    playlists.update(Batch(is_whole=True, why="start"))
    before = playlists.entries("all")
    old, new = music / "b/x.mp3", music / "a/y.mp3"

    old.rename(new)
    playlists.update(event_in(music / "a"), *(["part"] if first == "part" else []))
    moved = ((os.fsencode(old), os.fsencode(new)),)
    batch = event_in(music / "a", music / "b")
    playlists.update(
        Batch(batch.folders, gone=frozenset({os.fsencode(old)}), moved=moved, why="events"), "all"
    )

    assert playlists.entries("all") == ["m/a/y.mp3" if entry == "m/b/x.mp3" else entry for entry in before]
    assert sorted(playlists.entries("part")) == [f"m/a/{name}.mp3" for name in "pqry"]


def test_a_track_that_is_renamed_between_two_walks_of_a_scan_keeps_its_position(
    playlists: Playlists, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with an ignore file is listed for each of these playlists, since each skips something else."""
    music = playlists.top / "m"
    inner = ignored(music)
    fill(music, "pqrstuvwx")
    fill(inner, "klm")
    playlists.manage("some", music)
    playlists.manage("all", music, ignore_files=False)
    playlists.update(Batch(is_whole=True, why="start"))
    before = playlists.entries("some")
    walk = scan._walk

    def rename_after(place: scan.Place, *given: Any) -> scan.Found:
        found = walk(place, *given)
        if place.ignore_files and (music / "r.mp3").exists():
            (music / "r.mp3").rename(music / "z.mp3")
        return found

    monkeypatch.setattr(scan, "_walk", rename_after)
    playlists.update(event_in(music))

    assert playlists.entries("some") == ["m/z.mp3" if entry == "m/r.mp3" else entry for entry in before]
    assert sorted(playlists.entries("all")) == sorted(
        [*playlists.entries("some"), *(f"m/xmas/{name}.mp3" for name in "klm")]
    )


# Missing drives


@pytest.fixture
def drives(playlists: Playlists) -> Playlists:
    """Two folders, m and usb."""
    fill(playlists.top / "m", "abcdefgh")
    fill(playlists.top / "usb", "stuvw")
    return playlists


def test_tracks_of_a_missing_drive_keep_their_positions_while_others_come_and_go(drives: Playlists) -> None:
    music, usb, away = (drives.top / name for name in ("m", "usb", "away"))
    drives.manage("both", music, usb)
    drives.update(Batch(is_whole=True, why="start"))
    before = drives.entries("both")

    usb.rename(away)
    message = drives.update(Batch(is_whole=True, why="root"))["both"]
    assert (message.is_changed, message.removed, message.status.tracks) == (False, 0, 13)
    assert message.status.waiting == {str(usb): 5}
    (note,) = message.notes
    assert note.startswith(f"5 of 13 tracks wait for {usb}: ")
    assert note.endswith("If the tracks are gone for good: playshuffle make both --accept-missing")
    assert drives.entries("both") == before

    (music / "b.mp3").unlink()
    (music / "c.mp3").rename(music / "C.mp3")
    fill(music, "xy")
    message = drives.update(event_in(music))["both"]
    assert (message.added, message.removed, message.renamed) == (2, 1, 1)
    assert message.status.waiting == {str(usb): 5}
    between = ["m/C.mp3" if entry == "m/c.mp3" else entry for entry in before if entry != "m/b.mp3"]
    assert left(between, drives.entries("both")) == between
    assert len(drives.entries("both")) == 14

    (away / "s.mp3").unlink()
    (away / "t.mp3").rename(away / "T.mp3")
    fill(away, "z")
    order = drives.entries("both")
    away.rename(usb)
    message = drives.update(Batch(is_whole=True, why="root"))["both"]
    assert (message.added, message.removed, message.renamed, message.status.waiting) == (1, 1, 1, {})
    assert message.notes == []
    after = ["usb/T.mp3" if entry == "usb/t.mp3" else entry for entry in order if entry != "usb/s.mp3"]
    assert left(after, drives.entries("both")) == after
    assert sorted(drives.entries("both")) == sorted([*after, "usb/z.mp3"])


def test_a_track_that_moves_to_another_folder_while_its_drive_is_missing_is_listed_once(
    drives: Playlists,
) -> None:
    music, usb, away = (drives.top / name for name in ("m", "usb", "away"))
    drives.manage("both", music, usb)
    drives.update(Batch(is_whole=True, why="start"))
    before = drives.entries("both")
    usb.rename(away)
    drives.update(Batch(is_whole=True, why="root"))

    (away / "s.mp3").rename(music / "s.mp3")
    drives.update(event_in(music))
    away.rename(usb)
    drives.update(Batch(is_whole=True, why="root"))

    assert sorted(drives.entries("both")) == sorted(
        "m/s.mp3" if entry == "usb/s.mp3" else entry for entry in before
    )


def test_a_deck_deals_each_track_once_while_a_drive_is_missing_and_back(drives: Playlists) -> None:
    """One that is on the drive is dealt when it is back, or at the end of the round."""
    music, usb, away = (drives.top / name for name in ("m", "usb", "away"))
    drives.manage("deck", music, usb, deal=EACH_UPDATE)
    dealt: list[str] = []

    def deal() -> list[str]:
        drives.update(WHOLE)
        dealt.extend(drives.entries("deck"))
        return drives.entries("deck")

    deal()
    usb.rename(away)
    for _ in range(2):
        assert all(entry.startswith("m/") for entry in deal())
    away.rename(usb)
    while len(dealt) < 12:
        deal()
    assert len({*dealt}) == 12
    last = deal()[0]

    assert sorted({*dealt[:12], last}) == sorted(
        [*(f"m/{name}.mp3" for name in "abcdefgh"), *(f"usb/{name}.mp3" for name in "stuvw")]
    )


def test_a_deck_whose_remaining_tracks_wait_for_a_drive_stays_as_it_is(drives: Playlists) -> None:
    music, usb, away = (drives.top / name for name in ("m", "usb", "away"))
    drives.manage("deck", music, usb, deal=EACH_UPDATE)
    drives.manage("kept", music, usb)
    drives.update(WHOLE)
    dealt = [*drives.entries("deck")]
    usb.rename(away)
    for _ in range(13):
        messages = drives.messages(WHOLE)
        if isinstance(messages["deck"], PlaylistFailed):
            break
        dealt += drives.entries("deck")
    before = (drives.top / "deck.m3u").read_bytes()

    failed = drives.messages(WHOLE)["deck"]
    assert isinstance(failed, PlaylistFailed)
    assert failed.code == Exit.MISSING
    assert failed.missing == bytes(usb)
    assert "playshuffle deal deck --accept-missing" in failed.error
    assert (drives.top / "deck.m3u").read_bytes() == before
    assert isinstance(messages["kept"], PlaylistUpdated), "another playlist goes on"
    assert {f"m/{name}.mp3" for name in "abcdefgh"} <= {*dealt}
    assert len(dealt) == len({*dealt})

    away.rename(usb)
    drives.update(WHOLE)
    assert {*drives.entries("deck")}.isdisjoint(dealt)


def test_a_drive_that_nothing_is_known_of_fails_its_own_lists_alone(drives: Playlists) -> None:
    music, usb = drives.top / "m", drives.top / "usb"
    shutil.rmtree(usb)
    drives.manage("good", music)
    drives.manage("bad", music, usb)

    messages = drives.messages(Batch(is_whole=True, why="start"))

    assert isinstance(messages["good"], PlaylistUpdated)
    assert len(drives.entries("good")) == 8
    bad = messages["bad"]
    assert isinstance(bad, PlaylistFailed)
    assert bad.code == Exit.NO_INPUT
    assert str(usb) in bad.error
    assert not (drives.top / "bad.m3u").exists()


def test_each_list_says_how_many_of_its_own_tracks_wait(drives: Playlists) -> None:
    music, usb = drives.top / "m", drives.top / "usb"
    drives.manage("both", music, usb)
    drives.manage("some", music, usb, where=(r"path::/[ast]\.mp3$",))
    drives.manage("rest", music)
    drives.manage("few", music, usb, limit=6)
    drives.manage("dealt", music, usb, deal=DAILY)
    drives.update(Batch(is_whole=True, why="start"))
    usb.rename(drives.top / "away")

    messages = drives.update(Batch(is_whole=True, why="root"))

    for name in ("few", "dealt"):
        on_drive = [entry for entry in drives.entries(name) if entry.startswith("usb/")]
        assert messages.pop(name).status.waiting == {str(usb): len(on_drive)}
    assert {name: message.status.waiting for name, message in messages.items()} == {
        "both": {str(usb): 5},
        "some": {str(usb): 2},
        "rest": {},
    }


# Files that are being written


def test_only_the_lists_over_its_folder_wait_for_a_file_that_is_being_written(playlists: Playlists) -> None:
    full, empty = playlists.top / "full", playlists.top / "empty"
    fill(full, "a")
    empty.mkdir()
    (full / "a.mp3").touch()
    playlists.manage("full", full)
    playlists.manage("empty", empty)
    playlists.settle_s = 1000

    messages = playlists.messages(WHOLE)

    assert {name: (message.growing, type(message)) for name, message in messages.items()} == {
        "full": ([bytes(full) + b"/"], PlaylistFailed),
        "empty": ([], PlaylistFailed),
    }
