import math
from collections.abc import Iterable

import pytest

from playshuffle.watch.debounce import Batch, BatchCollector
from playshuffle.watch.event import Hint


def gathered(hints: Iterable[Hint]) -> Batch:
    gathering = BatchCollector(2, 10)
    for hint in hints:
        gathering.note(hint, 0)
    batch = gathering.take(99)
    assert batch is not None
    return batch


def ripe_times(events: Iterable[float], end: float = 60) -> list[float]:
    """When batches come, by tenths of a second, if hints come at these times."""
    gathering = BatchCollector(2, 10)
    waiting = sorted(events)
    ripe = []
    for tenth in range(int(end * 10)):
        now = tenth / 10
        while waiting and waiting[0] <= now:
            gathering.note(Hint(None, b"/m/a.mp3"), waiting.pop(0))
        if gathering.take(now) is not None:
            ripe.append(now)
    return ripe


def test_a_batch_is_ripe_after_the_quiet_time() -> None:
    assert ripe_times([1]) == [3]
    assert ripe_times([1, 2.5, 4]) == [6]
    assert ripe_times([1, 3.5]) == [3, 5.5]


def test_a_steady_stream_is_cut_at_the_latest_time() -> None:
    """A debounce that only waits for quiet would starve."""
    assert ripe_times([tenth / 10 for tenth in range(250)]) == [10, 20.1, 26.9]


def test_nothing_noted_is_never_ripe() -> None:
    gathering = BatchCollector(2, 10)

    assert gathering.is_empty
    assert gathering.ripe_at() == math.inf
    assert gathering.take(1e9) is None


def test_a_batch_is_reported_once() -> None:
    gathering = BatchCollector(2, 10)
    gathering.note(Hint(b"/m/a.mp3", b"/m/b.mp3"), 0)

    assert gathering.take(2) is not None
    assert gathering.is_empty
    assert gathering.take(99) is None


def test_a_file_has_its_folder_read_again() -> None:
    assert gathered([Hint(None, b"/m/a/1.mp3"), Hint(None, b"/m/a/2.mp3")]) == Batch(frozenset([b"/m/a/"]))
    assert gathered([Hint(None, b"/1.mp3")]) == Batch(frozenset([b"/"]))


def test_a_deleted_file_is_reported() -> None:
    assert gathered([Hint(b"/m/a/1.mp3", None)]) == Batch(
        frozenset([b"/m/a/"]), gone=frozenset([b"/m/a/1.mp3"])
    )


def test_a_moved_file_is_gone_here_and_come_there() -> None:
    assert gathered([Hint(b"/m/a/1.mp3", b"/m/b/2.mp3")]) == Batch(
        frozenset([b"/m/a/", b"/m/b/"]),
        gone=frozenset([b"/m/a/1.mp3"]),
        moved=((b"/m/a/1.mp3", b"/m/b/2.mp3"),),
    )


def test_moves_are_told_in_their_order() -> None:
    moves = [(b"/m/a.mp3", b"/m/x.mp3"), (b"/m/b.mp3", b"/m/a.mp3"), (b"/m/x.mp3", b"/m/b.mp3")]

    assert gathered([Hint(*move) for move in moves]).moved == tuple(moves)


def test_a_folder_is_read_with_all_below_and_so_is_the_one_it_is_in() -> None:
    batch = gathered([Hint(b"/m/a", b"/m/b/c", is_folder=True)])

    assert batch.trees == {b"/m/b/c/"}
    assert batch.folders == {b"/m/", b"/m/b/"}
    assert batch.gone == {b"/m/a"}


@pytest.mark.parametrize("is_backwards", [False, True])
def test_what_lies_in_a_tree_is_not_told_again(is_backwards: bool) -> None:
    """A copied tree is one entry, whatever its size and the order of its events."""
    hints = [Hint(None, b"/m/new", is_folder=True)]
    for folder in range(200):
        hints.append(Hint(None, b"/m/new/%d" % folder, is_folder=True))
        hints.append(Hint(None, b"/m/new/%d/1.mp3" % folder))
    batch = gathered(hints[::-1] if is_backwards else hints)

    assert batch == Batch(frozenset([b"/m/"]), frozenset([b"/m/new/"]))


def test_a_name_that_only_begins_like_a_tree_is_another() -> None:
    batch = gathered([Hint(None, b"/m/new", is_folder=True), Hint(None, b"/m/newer/1.mp3")])

    assert batch.folders == {b"/m/", b"/m/newer/"}


def test_a_copied_tree_of_any_size_is_one_entry() -> None:
    hints = [Hint(None, b"/m/new", is_folder=True)]
    hints += [Hint(None, b"/m/new/%d/1.mp3" % folder) for folder in range(5000)]

    assert not gathered(hints).is_whole


def test_too_many_folders_are_the_whole() -> None:
    few = gathered([Hint(None, b"/m/%d/1.mp3" % folder) for folder in range(512)])
    many = gathered([Hint(None, b"/m/%d/1.mp3" % folder) for folder in range(513)])

    assert len(few.folders) == 512
    assert not few.is_whole
    assert many == Batch(is_whole=True, why="events")


def test_the_whole_still_tells_what_went() -> None:
    gathering = BatchCollector(2, 10)
    gathering.note(Hint(b"/m/1.mp3", None), 0)
    gathering.whole("lost", 1)
    gathering.note(Hint(b"/m/a", b"/m/b", is_folder=True), 2)

    assert gathering.take(4) == Batch(
        gone=frozenset([b"/m/1.mp3", b"/m/a"]), moved=((b"/m/a", b"/m/b"),), is_whole=True, why="lost"
    )


def test_very_many_deletions_are_told_by_their_folders() -> None:
    """Each that was seen is still below a path that is told, and nothing above them is."""
    files = [b"/m/%d/%d.mp3" % (folder, file) for folder in range(50) for file in range(1000)]
    gone = gathered([Hint(file, None) for file in files]).gone

    assert len(gone) <= 4096
    assert all(file in gone or file.rpartition(b"/")[0] in gone for file in files)
    assert not gone & {b"/m", b"/"}


def test_a_reason_to_look_at_everything_waits_for_quiet_or_not() -> None:
    calm, urgent = BatchCollector(2, 10), BatchCollector(2, 10)
    calm.whole("mounts", 5)
    urgent.whole("asked", 5, is_urgent=True)

    assert calm.ripe_at() == 7
    assert urgent.take(5) == Batch(is_whole=True, why="asked")


def test_of_several_reasons_the_one_is_told_that_tells_most() -> None:
    gathering = BatchCollector(2, 10)
    for why in ("hourly", "mounts", "lost", "poll"):
        gathering.whole(why, 0)
    batch = gathering.take(2)

    assert batch is not None
    assert batch.why == "lost"


def test_folders_to_look_at_again_come_at_once() -> None:
    """But never before other changes are ripe: those may be going on in the same folder."""
    calm, busy = BatchCollector(2, 10), BatchCollector(2, 10)
    busy.note(Hint(None, b"/m/a/1.mp3"), 4)
    for gathering in (calm, busy):
        gathering.again([b"/m/a/", b"/m/b/"], 5)

    assert calm.take(5) == Batch(frozenset([b"/m/a/", b"/m/b/"]), why="growing")
    assert busy.take(5) is None
    assert busy.take(7) == Batch(frozenset([b"/m/a/", b"/m/b/"]), why="events")
