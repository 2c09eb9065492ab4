"""News belongs to the library: the next scan gets it, and none after that; what failed is tried again."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from playshuffle.dealing.amount import Amount, DealSettings
from playshuffle.dealing.period import Every
from playshuffle.pipeline import keep as keeping
from playshuffle.pipeline.run import Run
from playshuffle.service.backlog import Backlog
from playshuffle.service.update_protocol import PlaylistFailed, PlaylistUpdated, UpdateRequest
from playshuffle.watch.debounce import Batch
from tests.support.managed import START, Managed, Result
from tests.support.program import numbered
from tests.support.service import aged

MOVE = Batch(frozenset({b"/m/"}), gone=frozenset({b"/m/a"}), moved=((b"/m/a", b"/m/b"),))
LATER = Batch(frozenset({b"/m/"}))
ELSEWHERE = Batch(frozenset({b"/n/"}))


BOTH = {"one": (b"/m",), "two": (b"/m",)}
APART = {"one": (b"/m",), "two": (b"/n",)}
UNSURE = pytest.mark.parametrize("why", ["mounts", "root", "lost", "resume"])


def backlog(
    folders: Mapping[str, Sequence[bytes]] = BOTH, news: Batch | None = None, **files: Sequence[bytes]
) -> Backlog:
    return Backlog(folders, files=files, settle_s=2, news=news or Batch(), now_s=0)


def updated(
    pending: Backlog,
    batch: Batch,
    *finished: str,
    now_s: float = 0,
    missing: Sequence[bytes] = (),
    **fault: bool,
) -> UpdateRequest:
    """Update for a batch, after which some playlists are up to date; return the update.

    missing: folders that the scan did not find. fault: error of the first playlist.
    """
    pending.add(batch, now_s)
    request = pending.begin(now_s)
    pending.note_scanned(missing)
    for name in finished:
        pending.finish(name, **(fault if name == finished[0] else {}))
    pending.end(now_s)
    return request


def failed(pending: Backlog, batch: Batch, now_s: float = 0) -> None:
    """Update for a batch; the scan fails."""
    pending.add(batch, now_s)
    pending.begin(now_s)
    pending.end(now_s)


def test_a_scan_gets_all_changes_reported_since_the_last_scan() -> None:
    pending = backlog(APART)
    pending.add(MOVE, 0)

    request = updated(pending, ELSEWHERE)

    assert request.playlists == {"one", "two"}
    assert request.batch == Batch(frozenset({b"/m/", b"/n/"}), gone=MOVE.gone, moved=MOVE.moved)


def test_no_scan_gets_changes_that_an_earlier_scan_has_saved() -> None:
    """Not if a playlist failed after the scan, and not after the update was killed."""
    pending = backlog()
    updated(pending, MOVE, "one")

    assert pending.news() == Batch()
    assert updated(pending, LATER) == UpdateRequest(frozenset(BOTH), LATER)


def test_the_next_scan_gets_the_changes_and_playlists_of_a_failed_scan() -> None:
    """Whichever playlist is due: its scan enters the folders that the news is about."""
    pending = backlog(APART)
    failed(pending, MOVE)

    request = updated(pending, ELSEWHERE)

    assert request.playlists == {"one", "two"}
    assert (request.batch.moved, request.batch.gone) == (MOVE.moved, MOVE.gone)


def test_the_next_update_gets_deletions_in_a_folder_that_seems_to_be_missing() -> None:
    """Again and again, as long as it seems to be missing."""
    pending = backlog({"one": (b"/m", b"/drive")})
    gone = frozenset({b"/m/a", b"/drive/a"})
    updates = [(Batch(frozenset({b"/m/"}), gone=gone), [b"/drive"]), (LATER, [b"/drive"]), (LATER, [])]

    assert [updated(pending, batch, "one", missing=missing).batch.gone for batch, missing in updates] == [
        gone, {b"/drive/a"}, {b"/drive/a"}
    ]  # fmt: skip
    assert updated(pending, LATER).batch.gone == frozenset()


def test_deletions_in_a_folder_missing_for_ten_minutes_are_not_passed_to_a_reloaded_service() -> None:
    pending = backlog()
    updated(pending, MOVE, "one", missing=[b"/m"])
    assert pending.news().gone

    updated(pending, LATER, "one", now_s=600, missing=[b"/m"])
    assert not pending.news().gone


def test_the_next_scan_gets_changes_reported_during_a_scan() -> None:
    pending = backlog()
    pending.add(LATER, 1)
    pending.begin(1)
    pending.add(MOVE, 2)
    pending.note_scanned([])
    for name in BOTH:
        pending.finish(name)
    pending.end(3)

    assert pending.begin(3) == UpdateRequest(frozenset(BOTH), MOVE)


def test_a_batch_updates_only_the_playlists_over_files_and_folders_named_in_it() -> None:
    pending = backlog({"a": (b"/m/a",), "b": (b"/m/b",)}, b=[b"/never.m3u"])
    never = Batch(files=frozenset({b"/never.m3u"}))

    assert updated(pending, Batch(frozenset({b"/m/a/x/"})), "a").playlists == {"a"}
    assert updated(pending, Batch(trees=frozenset({b"/m/"})), "a", "b").playlists == {"a", "b"}
    assert updated(pending, never) == UpdateRequest(frozenset({"b"}), never)


def test_a_killed_update_is_repeated_for_the_playlists_it_had_not_updated() -> None:
    pending = backlog()
    updated(pending, MOVE, "one", now_s=2)
    assert not pending.is_due

    pending.retry(2 + 10)

    assert pending.begin(12) == UpdateRequest(frozenset({"two"}), Batch(is_full_scan=True, why="retry"))


def test_while_a_folder_is_not_watched_its_playlists_are_updated_by_full_scans() -> None:
    pending = backlog({"both": (b"/m", b"/drive"), "one": (b"/n",)})
    pending.note_unwatched([b"/drive"])

    assert updated(pending, ELSEWHERE, "one") == UpdateRequest(frozenset({"one"}), ELSEWHERE)
    batch = updated(pending, MOVE, "both").batch
    assert (batch.is_full_scan, batch.moved) == (True, MOVE.moved)
    # It is watched again, but nobody has looked at it yet.
    assert updated(pending, LATER, "both").batch.is_full_scan
    assert updated(pending, Batch(is_full_scan=True, why="root"), "both", "one").batch.is_full_scan
    assert not updated(pending, LATER).batch.is_full_scan


def test_moves_that_no_scan_applied_in_ten_minutes_are_dropped() -> None:
    pending = backlog()
    failed(pending, MOVE)

    assert updated(pending, LATER, now_s=601).batch == LATER


@UNSURE
def test_reported_changes_are_dropped_when_a_drive_may_have_changed(why: str) -> None:
    pending = backlog()
    failed(pending, MOVE)
    pending.add(MOVE, 0)

    batch = updated(pending, Batch(is_full_scan=True, gone=frozenset({b"/m/c"}), why=why)).batch
    assert (batch.gone, batch.moved, batch.is_full_scan) == (frozenset({b"/m/c"}), (), True)


@UNSURE
def test_changes_given_to_a_failed_scan_are_dropped_if_a_drive_may_have_changed_during_the_scan(
    why: str,
) -> None:
    pending = backlog()
    pending.add(MOVE, 0)
    pending.begin(0)
    pending.add(Batch(is_full_scan=True, why=why), 0)
    pending.end(0)

    assert pending.news() == Batch()


def test_a_reloaded_service_gets_the_changes_that_no_scan_has_applied() -> None:
    pending = backlog()
    pending.add(MOVE, 0)
    pending.begin(0)
    later = Batch(frozenset({b"/m/"}), moved=((b"/m/c", b"/m/d"),))
    pending.add(later, 1)

    reborn = backlog(news=pending.news())

    assert not reborn.is_due
    assert updated(reborn, START).batch.moved == MOVE.moved + later.moved


def test_folders_with_files_being_written_are_scanned_again_after_twice_as_long_each_time() -> None:
    pending = backlog()
    delays = []
    for _ in range(8):
        pending.add(LATER, 0)
        pending.begin(0)
        pending.note_scanned([])
        for name in BOTH:
            pending.note_growing([b"/m/"])
            pending.finish(name)
        delays.append(pending.end(0)[b"/m/"])

    assert delays == [2, 4, 8, 16, 32, 60, 60, 60]


def test_an_unwritable_cache_makes_the_next_update_scan_everything() -> None:
    pending = backlog(APART)
    updated(pending, Batch(is_full_scan=True), "one", "two", is_cached=False)

    assert not updated(pending, ELSEWHERE, "two").batch.is_full_scan
    assert updated(pending, LATER, "one").batch.is_full_scan
    assert not updated(pending, LATER, "one").batch.is_full_scan


def test_unreadable_folders_are_tried_again_until_they_can_be_read() -> None:
    pending = backlog()
    updated(pending, LATER, "one", "two", has_unreadable=True)

    pending.retry(20)
    assert pending.begin(20) == UpdateRequest(frozenset({"one"}), Batch(is_full_scan=True, why="retry"))
    pending.note_scanned([])
    pending.finish("one")
    pending.end(20)

    pending.retry(2000)
    assert not pending.is_due


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
    """Two playlists over the same folders that are updated with a backlog, as the service does."""

    def __init__(self, managed: Managed, deal: DealSettings | None, *folders: Path) -> None:
        self.managed = managed
        for name in ("bad", "good"):
            (managed.top / name).mkdir()
            managed.manage(f"{name}/{name}", *folders, deal=deal)
        self.bad = managed.top / "bad"
        self.pending = Backlog(
            {wanted.name: wanted.request.roots for wanted in managed.config.playlists},
            files={},
            settle_s=0,
            news=Batch(),
            now_s=0,
        )

    def update(self, batch: Batch) -> dict[str, Result]:
        self.pending.add(batch, 0)
        results = self.managed.results(self.pending.begin(0))
        self.pending.note_scanned(self.managed.missing)
        for name, result in results.items():
            if isinstance(result, PlaylistUpdated):
                self.pending.finish(name)
        self.pending.end(0)
        return {name.partition("/")[0]: result for name, result in results.items()}

    def entries(self, name: str) -> list[str]:
        return self.managed.entries(f"{name}/{name}")


@pytest.fixture(params=["kept", "dealt"])
def playlists(request: pytest.FixtureRequest, album: Path, managed: Managed) -> Playlists:
    deal = DealSettings(Amount(tracks=12), Every.DAY) if request.param == "dealt" else None
    return Playlists(managed, deal, album)


def test_moves_applied_to_one_playlist_are_not_applied_to_it_again_while_another_playlist_fails(
    album: Path, playlists: Playlists
) -> None:
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


def test_a_batch_of_changes_applied_twice_has_the_same_result_as_applied_once(
    album: Path, playlists: Playlists
) -> None:
    playlists.update(START)
    batch = renumber(album)

    playlists.update(batch)
    once = playlists.entries("good")
    playlists.update(batch)

    assert playlists.entries("good") == once


def test_a_folder_whose_last_files_are_deleted_during_an_update_is_empty_and_not_missing(
    album: Path, managed: Managed
) -> None:
    """The update finds no file, and has the event for one of them; that for the other comes later."""
    other = aged(numbered(managed.top / "Other", 2))
    playlists = Playlists(managed, None, album, other)
    playlists.update(START)
    events = [
        Batch(frozenset({os.fsencode(other) + b"/"}), gone=frozenset({bytes(each)}))
        for each in other.iterdir()
    ]
    shutil.rmtree(other)
    other.mkdir()

    for event in events:
        playlists.update(event)

    assert len(playlists.entries("good")) == 12
    assert not playlists.managed.missing


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
