"""News belongs to a playlist: it is carried until that playlist has applied it, and no longer."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.pipeline import keep as keeping
from playshuffle.pipeline.run import Run
from playshuffle.service.backlog import Backlog
from playshuffle.service.update_protocol import PlaylistFailed, PlaylistUpdated
from playshuffle.watch.debounce import Batch
from tests.support.managed import START, Managed, Result
from tests.support.program import numbered
from tests.support.service import aged

MOVE = Batch(frozenset({b"/m/"}), gone=frozenset({b"/m/a"}), moved=((b"/m/a", b"/m/b"),))
LATER = Batch(frozenset({b"/m/"}))


def backlog(unfinished: Mapping[str, Batch] | None = None) -> Backlog:
    """A backlog of two playlists over one folder."""
    folders = {"one": (b"/m",), "two": (b"/m",)}
    return Backlog(folders, settle_s=2, unfinished=unfinished or {}, now_s=0)


def test_news_is_carried_only_to_the_playlist_that_has_not_applied_it() -> None:
    pending = backlog()
    pending.add(MOVE, 1)
    pending.begin(1)
    pending.finish("one")
    pending.end(2)

    pending.add(LATER, 3)
    batches = pending.begin(3)

    assert (batches["one"].moved, batches["one"].gone) == ((), frozenset())
    assert (batches["two"].moved, batches["two"].gone) == (MOVE.moved, MOVE.gone)


def test_news_that_a_scan_has_saved_is_given_to_no_playlist_again() -> None:
    """Not to those that failed after the scan, and not after the update was killed."""
    pending = backlog()
    pending.add(MOVE, 1)
    pending.begin(1)
    pending.note_scanned()
    pending.finish("one")
    pending.end(2)

    assert pending.unfinished() == {}
    pending.add(LATER, 3)

    batches = pending.begin(3)
    assert batches == {"one": LATER, "two": LATER}


def test_news_that_came_while_a_scan_was_under_way_is_given_to_the_next() -> None:
    pending = backlog()
    pending.add(LATER, 1)
    pending.begin(1)
    pending.add(MOVE, 2)
    pending.note_scanned()
    for name in ("one", "two"):
        pending.finish(name)
    pending.end(3)

    assert pending.begin(3) == {"one": MOVE, "two": MOVE}


def test_a_single_file_concerns_the_playlists_that_are_made_from_it() -> None:
    folders = {"one": (b"/m",), "two": (b"/m",)}
    pending = Backlog(folders, files={"two": [b"/never.m3u"]}, settle_s=2, unfinished={}, now_s=0)
    pending.add(Batch(files=frozenset({b"/never.m3u"})), 1)

    assert pending.begin(1) == {"two": Batch(files=frozenset({b"/never.m3u"}))}


def test_an_update_that_is_killed_is_repeated_for_those_that_had_not_applied() -> None:
    pending = backlog()
    pending.add(MOVE, 1)
    pending.begin(1)
    pending.finish("one")
    pending.end(2)
    assert not pending.is_waiting

    pending.retry(2 + 10)

    assert pending.begin(12).keys() == {"two"}


def test_while_a_folder_is_not_watched_its_playlists_are_updated_by_full_scans() -> None:
    pending = Backlog({"both": (b"/m", b"/drive"), "one": (b"/m",)}, settle_s=2, unfinished={}, now_s=0)
    pending.note_unwatched([b"/drive"])
    pending.add(MOVE, 1)

    batches = pending.begin(1)
    pending.finish("both")
    pending.finish("one")
    pending.end(2)

    assert (batches["both"].is_whole, batches["both"].moved) == (True, MOVE.moved)
    assert batches["one"] == MOVE

    pending.add(LATER, 3)
    assert pending.begin(3)["both"].is_whole, "it is watched again, but nobody has looked at it yet"
    pending.finish("both")
    pending.finish("one")
    pending.end(4)

    pending.add(Batch(is_whole=True, why="root"), 5)
    assert pending.begin(5)["both"].is_whole
    pending.finish("both")
    pending.finish("one")
    pending.end(6)

    pending.add(LATER, 7)
    assert not pending.begin(7)["both"].is_whole


def test_news_is_dropped_when_it_is_too_old_to_be_true() -> None:
    pending = backlog()
    pending.add(MOVE, 0)
    pending.begin(0)
    pending.end(0)

    pending.add(LATER, 601)

    assert pending.begin(601)["one"] == LATER


@pytest.mark.parametrize("why", ["mounts", "root", "lost", "resume"])
def test_carried_news_is_dropped_when_a_drive_may_have_changed(why: str) -> None:
    pending = backlog()
    pending.add(MOVE, 0)
    pending.begin(0)
    pending.end(1)

    pending.add(Batch(is_whole=True, why=why), 2)

    batch = pending.begin(2)["one"]
    assert (batch.gone, batch.moved, batch.is_whole) == (frozenset(), (), True)


@pytest.mark.parametrize("why", ["mounts", "root", "lost", "resume"])
def test_waiting_news_is_dropped_when_a_drive_may_have_changed(why: str) -> None:
    pending = backlog()
    pending.add(MOVE, 0)

    pending.add(Batch(MOVE.folders, is_whole=True, gone=frozenset({b"/m/c"}), why=why), 1)

    batch = pending.begin(1)["one"]
    assert (batch.gone, batch.moved, batch.is_whole) == (frozenset({b"/m/c"}), (), True)


def test_the_next_life_gets_what_each_playlist_has_not_applied() -> None:
    pending = backlog()
    pending.add(MOVE, 0)
    pending.begin(0)
    pending.finish("one")
    later = Batch(frozenset({b"/m/"}), moved=((b"/m/c", b"/m/d"),))
    pending.add(later, 1)

    unfinished = pending.unfinished()
    reborn = backlog(unfinished)
    reborn.add(Batch(is_whole=True, why="start"), 2)

    assert unfinished["one"].moved == later.moved
    assert reborn.begin(2)["two"].moved == MOVE.moved + later.moved


def test_a_batch_is_for_the_playlists_whose_folders_it_names() -> None:
    pending = Backlog({"a": (b"/m/a",), "b": (b"/m/b",)}, settle_s=1, unfinished={}, now_s=0)
    pending.add(Batch(frozenset({b"/m/a/x/"})), 0)
    assert pending.begin(0).keys() == {"a"}
    pending.finish("a")
    pending.end(0)

    pending.add(Batch(trees=frozenset({b"/m/"})), 0)
    assert pending.begin(0).keys() == {"a", "b"}


def test_growing_folders_are_scanned_again_after_twice_as_long_each_time() -> None:
    pending = backlog()
    delays = []
    for _ in range(8):
        pending.add(LATER, 0)
        pending.begin(0)
        for name in ("one", "two"):
            pending.note_growing([b"/m/"])
            pending.finish(name)
        delays.append(pending.end(0)[b"/m/"])

    assert delays == [2, 4, 8, 16, 32, 60, 60, 60]


def test_what_could_not_be_cached_makes_the_next_update_scan_everything() -> None:
    pending = backlog()
    pending.add(LATER, 0)
    pending.begin(0)
    pending.finish("one", is_cached=False)
    pending.finish("two")
    pending.end(0)

    pending.add(LATER, 1)
    batches = pending.begin(1)

    assert (batches["one"].is_whole, batches["two"].is_whole) == (True, False)


def test_what_could_not_be_read_is_tried_again_until_it_can_be() -> None:
    pending = backlog()
    pending.add(LATER, 0)
    pending.begin(0)
    pending.finish("one", has_unreadable=True)
    pending.finish("two")
    pending.end(0)

    pending.retry(20)
    assert pending.begin(20) == {"one": Batch(is_whole=True, why="retry")}
    pending.finish("one")
    pending.end(20)

    pending.retry(2000)
    assert not pending.is_waiting


# With real playlists: a batch applied twice equals once


@pytest.fixture
def album(tmp_path: Path) -> Path:
    return aged(numbered(tmp_path / "Music", 12))


def renumber(music: Path) -> Batch:
    """Give each of the first six files the next number, as one makes room for a new first track."""
    moved = []
    for number in reversed(range(6)):
        source, target = music / f"{number:03}.mp3", music / f"{number + 1:03}.mp3"
        if number == 5:
            target = music / "x.mp3"
        source.rename(target)
        moved.append((os.fsencode(source), os.fsencode(target)))
    folder = os.fsencode(music) + b"/"
    return Batch(frozenset({folder}), gone=frozenset(old for old, _ in moved), moved=tuple(moved))


def retag(music: Path) -> Batch:
    for path in music.glob("*.mp3"):
        with path.open("ab") as file:
            file.write(b"more" + path.name.encode())
    aged(music)
    return Batch(frozenset({os.fsencode(music) + b"/"}))


class Playlists:
    """Two playlists over one folder that are updated with a backlog, as the service does."""

    def __init__(self, managed: Managed, music: Path, deal: DealSettings | None) -> None:
        self.managed = managed
        for name in ("bad", "good"):
            (managed.top / name).mkdir()
            managed.manage(f"{name}/{name}", music, deal=deal)
        self.bad = managed.top / "bad"
        self.pending = Backlog(
            {wanted.name: wanted.request.roots for wanted in managed.config.playlists},
            settle_s=0,
            unfinished={},
            now_s=0,
        )

    def update(self, batch: Batch) -> dict[str, Result]:
        self.pending.add(batch, 0)
        results = self.managed.messages(self.pending.begin(0))
        self.pending.note_scanned()
        for name, result in results.items():
            if isinstance(result, PlaylistUpdated):
                self.pending.finish(name)
        self.pending.end(0)
        return {name.partition("/")[0]: result for name, result in results.items()}

    def entries(self, name: str) -> list[str]:
        return self.managed.entries(f"{name}/{name}")


@pytest.fixture(params=["kept", "dealt"])
def playlists(request: pytest.FixtureRequest, album: Path, managed: Managed) -> Playlists:
    deal = DealSettings(Amount(count=12), Every.DAY) if request.param == "dealt" else None
    return Playlists(managed, album, deal)


def test_moves_that_one_playlist_has_applied_are_not_applied_again(album: Path, playlists: Playlists) -> None:
    """The other playlist fails meanwhile, and gets them when it is well again."""
    playlists.update(START)
    good, bad = playlists.entries("good"), playlists.entries("bad")
    playlists.bad.rename(playlists.bad.with_name("moved"))
    names = {f"{album}/{number:03}.mp3": f"{album}/{number + 1:03}.mp3" for number in range(5)}
    names[f"{album}/005.mp3"] = f"{album}/x.mp3"

    results = playlists.update(renumber(album))
    assert isinstance(results["bad"], PlaylistFailed)
    wanted = [names.get(entry, entry) for entry in good]
    assert playlists.entries("good") == wanted

    playlists.update(retag(album))
    assert playlists.entries("good") == wanted

    playlists.bad.with_name("moved").rename(playlists.bad)
    playlists.update(retag(album))
    assert playlists.entries("good") == wanted
    assert playlists.entries("bad") == [names.get(entry, entry) for entry in bad]


def test_a_batch_that_is_applied_twice_equals_once(album: Path, playlists: Playlists) -> None:
    playlists.update(START)
    batch = renumber(album)

    playlists.update(batch)
    once = playlists.entries("good")
    playlists.update(batch)

    assert playlists.entries("good") == once


def test_an_unexpected_error_of_one_playlist_does_not_stop_the_others(
    playlists: Playlists, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("keep", "deal"):
        monkeypatch.setattr(keeping, name, fail_for_bad(getattr(keeping, name)))

    results = playlists.update(START)

    failed = results["bad"]
    assert isinstance(failed, PlaylistFailed)
    assert "IndexError: no such track" in failed.error
    assert isinstance(results["good"], PlaylistUpdated)
    assert len(playlists.entries("good")) == 12
    assert "Traceback" in caplog.text


def fail_for_bad(function: Callable[..., object]) -> Callable[..., object]:
    """Return the function, except that it raises for the playlist named bad."""

    def fail(run: Run, *arguments: object) -> object:
        if os.path.basename(run.path) == b"bad.m3u":
            raise IndexError("no such track")
        return function(run, *arguments)

    return fail
