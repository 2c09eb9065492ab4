"""Test which events give a batch of changes and when, and when full scans are due."""

import math
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from playshuffle.watch.debounce import Batch, BatchCollector
from playshuffle.watch.event import Hint, relevant_part
from playshuffle.watch.schedule import Schedule


def collected(hints: Iterable[Hint]) -> Batch:
    collector = BatchCollector(2, 10)
    for hint in hints:
        collector.add(hint, 0)
    batch = collector.take(99)
    assert batch is not None
    return batch


def ripe_times(events: Iterable[float]) -> list[float]:
    """Return the seconds, to a tenth, at which batches are reported if events come at these seconds."""
    collector = BatchCollector(2, 10)
    waiting = sorted(events)
    ripe = []
    for now in (tenth / 10 for tenth in range(600)):
        while waiting and waiting[0] <= now:
            collector.add(Hint(None, b"/m/a.mp3"), waiting.pop(0))
        if collector.take(now) is not None:
            ripe.append(now)
    return ripe


def test_events_are_reported_once_when_no_other_event_has_come_for_the_settle_time() -> None:
    assert ripe_times([]) == []
    assert ripe_times([1]) == [3]
    assert ripe_times([1, 2.5, 4]) == [6]
    assert ripe_times([1, 3.5]) == [3, 5.5]


def test_events_are_reported_after_the_maximum_time_even_if_more_events_keep_coming() -> None:
    assert ripe_times([tenth / 10 for tenth in range(250)]) == [10, 20.1, 26.9]


def test_a_batch_has_the_folders_and_deletions_of_its_events_and_their_moves_in_order() -> None:
    moves = ((b"/m/a/1.mp3", b"/m/b/x.mp3"), (b"/m/b/2.mp3", b"/m/a/1.mp3"), (b"/m/b/x.mp3", b"/m/b/2.mp3"))
    hints = [Hint(None, b"/m/c/1.mp3"), Hint(None, b"/m/c/2.mp3"), Hint(None, b"/1.mp3")]

    assert collected([*hints, *(Hint(*move) for move in moves)]) == Batch(
        frozenset([b"/m/a/", b"/m/b/", b"/m/c/", b"/"]), gone=frozenset(old for old, _ in moves), moved=moves
    )


def test_a_batch_of_more_than_512_folders_is_a_full_scan() -> None:
    few = collected([Hint(None, b"/m/%d/1.mp3" % folder) for folder in range(512)])
    many = collected([Hint(None, b"/m/%d/1.mp3" % folder) for folder in range(513)])

    assert len(few.folders) == 512
    assert not few.is_full_scan
    assert many == Batch(is_full_scan=True, why="events")


def test_a_batch_with_a_full_scan_has_the_deletions_and_moves_of_its_events() -> None:
    collector = BatchCollector(2, 10)
    collector.add(Hint(b"/m/1.mp3", None), 0)
    collector.add_full_scan("lost", 1)
    collector.add(Hint(b"/m/a", b"/m/b", is_folder=True), 2)

    assert collector.take(4) == Batch(
        gone=frozenset([b"/m/1.mp3", b"/m/a"]), moved=((b"/m/a", b"/m/b"),), is_full_scan=True, why="lost"
    )


def test_a_full_scan_waits_for_the_settle_time_unless_it_is_urgent() -> None:
    calm, urgent = BatchCollector(2, 10), BatchCollector(2, 10)
    calm.add_full_scan("mounts", 5)
    urgent.add_full_scan("asked", 5, is_urgent=True)

    assert calm.ripe_at() == 7
    assert urgent.take(5) == Batch(is_full_scan=True, why="asked")


def test_a_full_scan_for_several_reasons_is_reported_with_the_most_important_reason() -> None:
    collector = BatchCollector(2, 10)
    for why in ("hourly", "mounts", "lost", "poll"):
        collector.add_full_scan(why, 0)
    batch = collector.take(2)

    assert batch is not None
    assert batch.why == "lost"


def test_folders_of_files_being_written_are_reported_at_once_unless_events_are_waiting() -> None:
    """More events may come from the same folder."""
    calm, busy = BatchCollector(2, 10), BatchCollector(2, 10)
    busy.add(Hint(None, b"/m/a/1.mp3"), 4)
    for collector in (calm, busy):
        collector.add_growing([b"/m/a/", b"/m/b/"], 5)

    assert calm.take(5) == Batch(frozenset([b"/m/a/", b"/m/b/"]), why="growing")
    assert busy.take(5) is None
    assert busy.take(7) == Batch(frozenset([b"/m/a/", b"/m/b/"]), why="events")


# Events that are reported or ignored


@pytest.mark.parametrize(
    "name",
    [b"a.mp3", b"b/c/A.FLAC", b"caf\xe9\n.ogg", b".nomedia", b"b/.ndignore", b"~.opus", b"b.part/a.mp3"],
)
def test_events_of_audio_files_and_ignore_files_are_reported(name: bytes) -> None:
    for hint in (Hint(None, b"/music/" + name), Hint(b"/music/" + name, None)):
        assert relevant_part(hint, b"/music") == hint


@pytest.mark.parametrize(
    "name",
    b"a.m3u a.m3u8 cover.jpg a.mp3.part a.crdownload a.mp3~ a.!qB a.aria2 a.mp3.tmp .a.mp3 ._a.mp3"
    b" .a.mp3.uOcFz5 .~tmp~/a.mp3 b/.git/a.mp3 @eaDir/a.mp3 Lost+Found/a.mp3 .hidden/.nomedia"
    b" .list.m3u.0123456789ab.tmp".split(),
)
def test_events_of_playlists_and_of_temporary_unfinished_and_hidden_files_are_ignored(
    name: bytes,
) -> None:
    for hint in (Hint(None, b"/music/" + name), Hint(b"/music/" + name, None)):
        assert relevant_part(hint, b"/music") is None


@pytest.mark.parametrize(
    ("name", "is_relevant"), [(b"a", True), (b"a.b/c d", True), (b".a", False), (b"@eaDir", False)]
)
def test_events_of_folders_are_reported_unless_a_scan_skips_the_folder(
    name: bytes, is_relevant: bool
) -> None:
    hint = Hint(b"/music/" + name, None, is_folder=True)

    assert (relevant_part(hint, b"/music") is not None) == is_relevant


def test_the_event_of_a_move_keeps_only_the_paths_that_a_scan_does_not_skip() -> None:
    """As when a tag editor moves a temporary file over the old one, or a file is moved to the trash."""
    assert relevant_part(Hint(b"/m/.a.tmp", b"/m/a.mp3"), b"/m") == Hint(None, b"/m/a.mp3")
    assert relevant_part(Hint(b"/m/a.mp3", b"/m/.Trash-0/a.mp3"), b"/m") == Hint(b"/m/a.mp3", None)
    assert relevant_part(Hint(b"/m/a.mp3", b"/m/b.mp3"), b"/m") == Hint(b"/m/a.mp3", b"/m/b.mp3")
    assert relevant_part(Hint(b"/m/a.mp3", b"/else/b.mp3"), b"/m") == Hint(b"/m/a.mp3", None)


def test_an_event_is_reported_although_its_root_is_in_a_hidden_folder() -> None:
    hint = Hint(None, b"/home/.hidden/a.mp3")

    assert relevant_part(hint, b"/home/.hidden") == hint
    assert relevant_part(Hint(None, b"/a.mp3"), b"/") == Hint(None, b"/a.mp3")


def test_an_event_of_a_link_to_a_folder_is_reported_though_inotify_calls_it_a_file(tmp_path: Path) -> None:
    """Of a deleted link only the name is known: a name without a suffix may be that of a folder."""
    link, text = os.fsencode(tmp_path / "Vol. 1"), os.fsencode(tmp_path / "notes")
    os.symlink(b"/", link)
    Path(os.fsdecode(text)).write_text("x")

    assert relevant_part(Hint(None, link), os.fsencode(tmp_path)) is not None
    assert relevant_part(Hint(link, None), os.fsencode(tmp_path)) is not None
    assert relevant_part(Hint(None, text), os.fsencode(tmp_path)) is None


# When a full scan is due


@pytest.fixture
def schedule() -> Schedule:
    return Schedule(full_scan_s=3600, poll_s=300, settle_s=2, now=1000, asleep_s=50)


def due(schedule: Schedule, now: float, *, asleep_s: float = 50, is_polled: bool = False) -> str | None:
    return schedule.full_scan_reason(now, asleep_s, is_polled=is_polled)


def test_a_full_scan_is_due_an_hour_after_the_last_full_scan(schedule: Schedule) -> None:
    assert due(schedule, 4599) is None
    assert schedule.next_at(is_polled=False) == 4600
    assert due(schedule, 4600) == "hourly"

    schedule.note_full_scan(5000)
    assert due(schedule, 8599) is None
    assert due(schedule, 8600) == "hourly"


def test_folders_without_events_are_polled_five_minutes_after_the_last_full_scan(schedule: Schedule) -> None:
    assert schedule.next_at(is_polled=True) == 1300
    assert due(schedule, 1300) is None
    assert due(schedule, 1300, is_polled=True) == "poll"


def test_a_sleep_of_the_machine_makes_one_full_scan_due(schedule: Schedule) -> None:
    """A small difference between the two clocks does not count as sleep."""
    assert due(schedule, 1005, asleep_s=50.01) is None
    assert due(schedule, 1010, asleep_s=120) == "resume"
    assert due(schedule, 1010, asleep_s=120) is None


def test_a_mount_table_that_changes_all_the_time_causes_one_scan_a_minute(schedule: Schedule) -> None:
    """The first scan comes after the settle time, and the last one after the last change."""
    schedule.note_mounts(1100)
    assert schedule.next_at(is_polled=False) == 1102

    due_times = []
    for now in range(1101, 1400):
        if now < 1200:
            schedule.note_mounts(now)
        if due(schedule, now):
            due_times.append(now)

    assert due_times == [1102, 1162, 1222]


def test_a_full_scan_makes_the_scan_for_an_earlier_change_of_the_mount_table_unnecessary(
    schedule: Schedule,
) -> None:
    schedule.note_mounts(1100)
    schedule.note_full_scan(1101)

    assert due(schedule, 1102) is None


def test_a_rescan_of_folders_is_due_once_at_the_requested_time(schedule: Schedule) -> None:
    schedule.add_rescan([b"/m/b/"], 1020)
    schedule.add_rescan([b"/m/a/"], 1010)

    assert schedule.next_at(is_polled=False) == 1010
    assert list(schedule.take_rescans(1009)) == []
    assert list(schedule.take_rescans(1010)) == [[b"/m/a/"]]
    assert list(schedule.take_rescans(1030)) == [[b"/m/b/"]]
    assert list(schedule.take_rescans(math.inf)) == []
