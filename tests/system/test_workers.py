"""Several threads call functions that wait for a slow file system, with the same results as one thread."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.system import mounts
from playshuffle.system.workers import ALONE, Workers, worker_count

_COUNT = 16


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(_COUNT) as workers:
        yield workers


class Crowd:
    """Counts calls that wait at the same time; each waits until as many as `enough` have waited at once."""

    def __init__(self, enough: int) -> None:
        self.most = 0
        self._enough = enough
        self._now = 0
        self._changed = threading.Condition()

    def wait(self, item: int) -> int:
        with self._changed:
            self._now += 1
            self.most = max(self.most, self._now)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self.most >= self._enough, 60)
            self._now -= 1
        return item


def _tree(workers: Workers, call: Callable[[int], int]) -> Callable[[int], list[int]]:
    """Return a call that makes other calls by the same workers."""
    return lambda number: [call(number), *workers.each(call, range(number))]


@given(st.lists(st.integers(0, 40), max_size=40), st.integers(1, 20))
def test_several_workers_return_the_same_results_in_the_same_order_as_one_worker(
    items: list[int], count: int
) -> None:
    with Workers(count) as workers:
        found = list(workers.each(_tree(workers, lambda number: number * 2), items))

    assert found == list(ALONE.each(_tree(ALONE, lambda number: number * 2), items))


def test_calls_that_are_made_inside_of_calls_run_at_once_but_never_more_than_there_are_workers(
    workers: Workers,
) -> None:
    """So all workers list the subfolders of one large folder."""
    crowd = Crowd(_COUNT)

    def call(number: int) -> list[int]:
        return list(workers.each(crowd.wait, range(number, number + 50)))

    assert list(workers.each(call, range(3))) == [[*range(number, number + 50)] for number in range(3)]
    assert crowd.most == _COUNT


def test_a_single_worker_is_the_callers_thread_and_makes_each_call_when_its_result_is_taken() -> None:
    calls: list[int] = []

    def call(item: int) -> int:
        calls.append(item)
        return threading.get_ident()

    results = ALONE.each(call, range(5))

    assert calls == []
    assert next(results) == threading.get_ident()
    assert calls == [0]


def test_an_exception_in_a_worker_is_raised_in_the_thread_that_takes_the_results(workers: Workers) -> None:
    def call(item: int) -> int:
        if item == 7:
            raise PermissionError(item)
        return item

    with pytest.raises(PermissionError, match="7"):
        list(workers.each(call, range(20)))
    assert list(workers.each(str, range(3))) == ["0", "1", "2"]


def test_workers_begin_no_further_call_after_the_iterator_of_results_was_deleted(workers: Workers) -> None:
    begun: list[int] = []
    may_end = threading.Event()

    def call(item: int) -> int:
        begun.append(item)
        if item:
            may_end.wait(60)
        return item

    results = workers.each(call, range(1000))
    next(results)
    del results
    may_end.set()
    list(workers.each(str, range(_COUNT)))

    assert len(begun) < 2 * _COUNT


def test_ctrl_c_ends_the_wait_for_the_result_of_a_worker_that_never_returns(workers: Workers) -> None:
    hangs = threading.Event()
    main = threading.get_ident()

    def call(_: int) -> None:
        signal.pthread_kill(main, signal.SIGINT)
        hangs.wait(60)

    with pytest.raises(KeyboardInterrupt):
        list(workers.each(call, range(1)))
    assert not hangs.is_set()
    hangs.set()


def test_folders_on_a_local_disk_get_one_worker_and_folders_on_a_network_drive_get_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = os.fsencode(tmp_path)
    assert worker_count([folder]) == 1
    assert worker_count([]) == 1

    device = os.stat(folder).st_dev
    monkeypatch.setattr(mounts, "remote_devices", lambda _: frozenset([device]))

    assert worker_count([folder]) == _COUNT
    assert worker_count([b"/proc", b"/nowhere", b"a\0b", *[folder] * 10_000]) == _COUNT
    assert worker_count([b"/proc", b"/nowhere", b"a\0b"]) == 1
