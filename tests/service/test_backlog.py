"""Reported changes are given to one scan of all folders. A playlist that failed is updated again."""

import itertools
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
from tests.support.managed import START, Managed, Result, event_in
from tests.support.program import numbered
from tests.support.service import aged

MOVE = Batch(frozenset({b"/m/"}), gone=frozenset({b"/m/a"}), moved=((b"/m/a", b"/m/b"),))
LATER = Batch(frozenset({b"/m/"}))
ELSEWHERE = Batch(frozenset({b"/n/"}))
BOTH = {"one": (b"/m",), "two": (b"/m",)}
APART = {"one": (b"/m",), "two": (b"/n",)}


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
    """Run an update for a batch, in which only `finished` playlists succeed; return its request.

    missing: folders that the scan did not find. fault: a problem of the first of these playlists.
    """
    pending.add(batch, now_s)
    request = pending.begin(now_s)
    pending.note_scanned(missing)
    for name in finished:
        pending.finish(name, **(fault if name == finished[0] else {}))
    pending.end(now_s)
    return request


def failed(pending: Backlog, batch: Batch, now_s: float = 0) -> None:
    """Run an update for a batch whose scan fails."""
    pending.add(batch, now_s)
    pending.begin(now_s)
    pending.end(now_s)


def test_no_scan_gets_changes_that_an_earlier_scan_has_saved() -> None:
    """Even if a playlist failed after that scan, or its update was killed."""
    pending = backlog()
    updated(pending, MOVE, "one")

    assert pending.news() == Batch()
    assert updated(pending, LATER) == UpdateRequest(frozenset(BOTH), LATER)


def test_the_next_scan_gets_the_changes_and_playlists_of_a_failed_scan() -> None:
    """Even if only other playlists have changes by then."""
    pending = backlog(APART)
    failed(pending, MOVE)

    both = Batch(MOVE.folders | ELSEWHERE.folders, gone=MOVE.gone, moved=MOVE.moved)
    assert updated(pending, ELSEWHERE) == UpdateRequest(frozenset({"one", "two"}), both)


def test_deletions_below_a_folder_that_seems_to_be_missing_are_given_to_each_scan_until_it_is_back() -> None:
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


def test_changes_that_are_reported_during_a_scan_are_given_to_the_next_scan() -> None:
    pending = backlog()
    pending.add(LATER, 1)
    pending.begin(1)
    pending.add(MOVE, 2)
    pending.note_scanned([])
    for name in BOTH:
        pending.finish(name)
    pending.end(3)

    assert pending.begin(3) == UpdateRequest(frozenset(BOTH), MOVE)


def test_only_playlists_of_a_changed_folder_or_with_a_changed_skip_list_are_updated() -> None:
    pending = backlog({"a": (b"/m/a",), "b": (b"/m/b",)}, b=[b"/never.m3u"])
    never = Batch(files=frozenset({b"/never.m3u"}))

    assert updated(pending, Batch(frozenset({b"/m/a/x/"})), "a").playlists == {"a"}
    assert updated(pending, Batch(trees=frozenset({b"/m/"})), "a", "b").playlists == {"a", "b"}
    assert updated(pending, never) == UpdateRequest(frozenset({"b"}), never)


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


@pytest.mark.parametrize("why", ["mounts", "root", "lost", "resume"])
def test_if_a_drive_may_have_changed_the_moves_and_deletions_reported_before_that_are_dropped(
    why: str,
) -> None:
    """Whether they were given to a failed scan, to the running scan, or to none yet."""
    pending = backlog()
    failed(pending, MOVE)
    pending.begin(0)
    pending.add(MOVE, 0)
    pending.add(Batch(is_full_scan=True, gone=frozenset({b"/m/c"}), why=why), 0)
    pending.end(0)

    batch = pending.begin(0).batch
    assert (batch.gone, batch.moved, batch.is_full_scan) == (frozenset({b"/m/c"}), (), True)


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
        pending.note_growing([b"/m/"])
        delays.append(pending.end(0)[b"/m/"])

    assert delays == [2, 4, 8, 16, 32, 60, 60, 60]


def test_if_the_cache_cannot_be_written_the_next_update_of_the_playlist_is_a_full_scan() -> None:
    pending = backlog(APART)
    updated(pending, Batch(is_full_scan=True), "one", "two", is_cached=False)

    assert not updated(pending, ELSEWHERE, "two").batch.is_full_scan
    assert updated(pending, LATER, "one").batch.is_full_scan
    assert not updated(pending, LATER, "one").batch.is_full_scan


@pytest.mark.parametrize("is_killed", [True, False], ids=["killed", "unreadable"])
def test_a_killed_update_or_an_unreadable_folder_leads_to_another_update_with_a_full_scan(
    is_killed: bool,
) -> None:
    """Until an update of it succeeds."""
    pending = backlog()
    updated(pending, MOVE, *(["two"] if is_killed else BOTH), now_s=2, has_unreadable=not is_killed)
    assert not pending.is_due

    pending.retry(12)
    assert pending.begin(12) == UpdateRequest(frozenset({"one"}), Batch(is_full_scan=True, why="retry"))
    pending.note_scanned([])
    pending.finish("one")
    pending.end(12)

    pending.retry(2000)
    assert not pending.is_due


# With real playlists


@pytest.fixture
def album(tmp_path: Path) -> Path:
    return aged(numbered(tmp_path / "Music", 12))


def renumber(music: Path) -> Batch:
    """Rename 005.mp3 to x.mp3, then 004.mp3 to 005.mp3, and so on down to 000.mp3; return the events."""
    moved = []
    for new, old in itertools.pairwise(["x", *(f"{number:03}" for number in reversed(range(6)))]):
        source, target = music / f"{old}.mp3", music / f"{new}.mp3"
        source.rename(target)
        moved.append((os.fsencode(source), os.fsencode(target)))
    return event_in(music)._replace(gone=frozenset(old for old, _ in moved), moved=tuple(moved))


def retag(music: Path) -> Batch:
    for path in music.glob("*.mp3"):
        with path.open("ab") as file:
            file.write(b"more" + path.name.encode())
    aged(music)
    return event_in(music)


class Playlists:
    """The playlists `bad` and `good` over the same folders, updated in this process as by the service."""

    def __init__(self, managed: Managed, deal: DealSettings | None, *folders: Path) -> None:
        self.managed = managed
        for name in ("bad", "good"):
            (managed.top / name).mkdir()
            managed.manage(f"{name}/{name}", *folders, deal=deal)
        self.bad = managed.top / "bad"
        self.pending = backlog({wanted.name: wanted.request.roots for wanted in managed.config.playlists})

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
    """The other playlist gets the moves when its update succeeds."""
    playlists.update(START)
    good, bad = playlists.entries("good"), playlists.entries("bad")
    playlists.bad.rename(playlists.bad.with_name("moved"))
    batch = renumber(album)
    names = {os.fsdecode(old): os.fsdecode(new) for old, new in batch.moved}
    wanted = [names.get(entry, entry) for entry in good]

    assert isinstance(playlists.update(batch)["bad"], PlaylistFailed)
    assert playlists.entries("good") == wanted
    playlists.update(retag(album))
    assert playlists.entries("good") == wanted

    playlists.bad.with_name("moved").rename(playlists.bad)
    playlists.update(retag(album))
    assert playlists.entries("good") == wanted
    assert playlists.entries("bad") == [names.get(entry, entry) for entry in bad]


def test_a_batch_of_renames_that_is_applied_twice_has_the_same_result_as_if_applied_once(
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
    """The update finds neither of two files, but only one of the two deletions was reported by then."""
    other = aged(numbered(managed.top / "Other", 2))
    playlists = Playlists(managed, None, album, other)
    playlists.update(START)
    events = [event_in(other)._replace(gone=frozenset({bytes(each)})) for each in other.iterdir()]
    shutil.rmtree(other)
    other.mkdir()

    for event in events:
        playlists.update(event)

    assert len(playlists.entries("good")) == 12
    assert not managed.missing


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
    """Return the function, but with an error for the playlist `bad`."""

    def fail(run: Run, *arguments: object) -> object:
        if os.path.basename(run.path) == b"bad.m3u":
            raise IndexError("no such track")
        return function(run, *arguments)

    return fail
