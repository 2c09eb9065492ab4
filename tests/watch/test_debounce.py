import math
from collections.abc import Iterable

from playshuffle.watch.debounce import Batch, BatchCollector
from playshuffle.watch.event import Hint


def collected(hints: Iterable[Hint]) -> Batch:
    collector = BatchCollector(2, 10)
    for hint in hints:
        collector.add(hint, 0)
    batch = collector.take(99)
    assert batch is not None
    return batch


def ripe_times(events: Iterable[float], end: float = 60) -> list[float]:
    """Return when batches are ripe, in tenths of a second, if hints are added at these times."""
    collector = BatchCollector(2, 10)
    waiting = sorted(events)
    ripe = []
    for tenth in range(int(end * 10)):
        now = tenth / 10
        while waiting and waiting[0] <= now:
            collector.add(Hint(None, b"/m/a.mp3"), waiting.pop(0))
        if collector.take(now) is not None:
            ripe.append(now)
    return ripe


def test_a_batch_is_ripe_after_the_quiet_time() -> None:
    assert ripe_times([1]) == [3]
    assert ripe_times([1, 2.5, 4]) == [6]
    assert ripe_times([1, 3.5]) == [3, 5.5]


def test_a_steady_stream_of_events_ends_at_the_latest_time() -> None:
    """A debounce that only waits for quiet would starve."""
    assert ripe_times([tenth / 10 for tenth in range(250)]) == [10, 20.1, 26.9]


def test_an_empty_collector_is_never_ripe() -> None:
    collector = BatchCollector(2, 10)

    assert collector.is_empty
    assert collector.ripe_at() == math.inf
    assert collector.take(1e9) is None


def test_a_batch_is_reported_once() -> None:
    collector = BatchCollector(2, 10)
    collector.add(Hint(b"/m/a.mp3", b"/m/b.mp3"), 0)

    assert collector.take(2) is not None
    assert collector.is_empty
    assert collector.take(99) is None


def test_the_folder_of_a_changed_file_is_scanned() -> None:
    assert collected([Hint(None, b"/m/a/1.mp3"), Hint(None, b"/m/a/2.mp3")]) == Batch(frozenset([b"/m/a/"]))
    assert collected([Hint(None, b"/1.mp3")]) == Batch(frozenset([b"/"]))


def test_both_folders_of_a_moved_file_are_scanned() -> None:
    assert collected([Hint(b"/m/a/1.mp3", b"/m/b/2.mp3")]) == Batch(
        frozenset([b"/m/a/", b"/m/b/"]),
        gone=frozenset([b"/m/a/1.mp3"]),
        moved=((b"/m/a/1.mp3", b"/m/b/2.mp3"),),
    )


def test_moves_are_reported_in_their_order() -> None:
    moves = [(b"/m/a.mp3", b"/m/x.mp3"), (b"/m/b.mp3", b"/m/a.mp3"), (b"/m/x.mp3", b"/m/b.mp3")]

    assert collected([Hint(*move) for move in moves]).moved == tuple(moves)


def test_too_many_folders_become_a_full_scan() -> None:
    few = collected([Hint(None, b"/m/%d/1.mp3" % folder) for folder in range(512)])
    many = collected([Hint(None, b"/m/%d/1.mp3" % folder) for folder in range(513)])

    assert len(few.folders) == 512
    assert not few.is_full_scan
    assert many == Batch(is_full_scan=True, why="events")


def test_a_full_scan_still_reports_deletions_and_moves() -> None:
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


def test_a_full_scan_with_several_reasons_reports_the_most_important_one() -> None:
    collector = BatchCollector(2, 10)
    for why in ("hourly", "mounts", "lost", "poll"):
        collector.add_full_scan(why, 0)
    batch = collector.take(2)

    assert batch is not None
    assert batch.why == "lost"


def test_growing_folders_are_ripe_at_once_unless_there_are_events() -> None:
    """Other changes may be going on in the same folder."""
    calm, busy = BatchCollector(2, 10), BatchCollector(2, 10)
    busy.add(Hint(None, b"/m/a/1.mp3"), 4)
    for collector in (calm, busy):
        collector.add_growing([b"/m/a/", b"/m/b/"], 5)

    assert calm.take(5) == Batch(frozenset([b"/m/a/", b"/m/b/"]), why="growing")
    assert busy.take(5) is None
    assert busy.take(7) == Batch(frozenset([b"/m/a/", b"/m/b/"]), why="events")
