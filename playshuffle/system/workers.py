"""Ask a slow file system many questions at once.

A network share needs a millisecond or more for each answer, however many questions wait at once. On a local
disk threads would only delay each other.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Generic, Self, TypeVar

from playshuffle.system import mounts
from playshuffle.system.regular_file import status_of

T = TypeVar("T")
R = TypeVar("R")

_MOST = 16  # questions at once
_PATIENCE_S = 30.0  # longer than a disk takes to spin up
_BEAT_S = 0.5
_END_S = 0.2  # for running calls at the end
_SAMPLE = 16  # paths whose file systems are examined


def worker_count(paths: Sequence[bytes]) -> int:
    """Return how many questions may wait at once: several if any path of a sample is not on a local disk."""
    remote = mounts.remote_devices(mounts.mountinfo())
    sample = paths[:: len(paths) // _SAMPLE + 1] if remote else ()
    return _MOST if any(_device(path) in remote for path in sample) else 1


def _device(path: bytes) -> int | None:
    status = status_of(path)
    return None if status is None else status.st_dev


class Workers:
    """Threads that call functions which wait for file systems.

    With a count of 1 the caller does the work, when it takes the results. With more threads the caller only
    waits, so Ctrl-C ends the wait. A thread whose file system never answers is abandoned.
    """

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self._threads: list[threading.Thread] = []
        self._batches: SimpleQueue[_Job[Any, Any] | None] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for _ in self._threads:
            self._batches.put(None)
        until_s = time.monotonic() + _END_S
        for thread in self._threads:
            thread.join(max(0.0, until_s - time.monotonic()))

    def each(self, function: Callable[[T], R], items: Sequence[T]) -> Iterator[R]:
        """Call a function with each item, and yield the results in the order of the items.

        The function may call `each` itself. Its exceptions are raised here.
        """
        return map(function, items) if self.count == 1 else self._each(_Job(function, items))

    def answers(self, function: Callable[[T], R], items: Sequence[T]) -> dict[T, R]:
        """Return the result of a function by item.

        Items still unanswered after 30 seconds without any result are omitted. A slow item does not delay the
        others, if there are as many threads as items.
        """
        batch = _Job(function, items)
        self._begin(batch)
        return {items[number]: result for number, result in batch.done(_PATIENCE_S)}

    def _each(self, batch: "_Job[T, R]") -> Iterator[R]:
        try:
            self._begin(batch)
            if threading.current_thread() in self._threads:
                batch.work()  # all threads may be busy, or wait for batches of their own
            yield from batch.results()
        finally:
            batch.is_over = True

    def _begin(self, batch: "_Job[Any, Any]") -> None:
        if not self._threads:
            self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self.count)]
            for thread in self._threads:
                thread.start()
        for _ in range(min(self.count, batch.size)):
            self._batches.put(batch)

    def _work(self) -> None:
        while (batch := self._batches.get()) is not None:
            batch.work()


ALONE = Workers()


class _Job(Generic[T, R]):
    """The items of a call of `each` and their results; each thread takes the next item."""

    def __init__(self, function: Callable[[T], R], items: Sequence[T]) -> None:
        self.size = len(items)
        self.is_over = False
        self._function = function
        self._items = iter(enumerate(items))
        self._lock = threading.Lock()
        self._done: SimpleQueue[tuple[int, R] | BaseException] = SimpleQueue()

    def work(self) -> None:
        while not self.is_over:
            with self._lock:
                taken = next(self._items, None)
            if taken is None:
                break
            number, item = taken
            try:
                self._done.put((number, self._function(item)))
            except BaseException as error:  # noqa: BLE001 - raised where the results are taken
                self._done.put(error)

    def results(self) -> Iterator[R]:
        early: dict[int, R] = {}
        done = self.done()
        for number in range(self.size):
            while number not in early:
                early.update([next(done)])
            yield early.pop(number)

    def done(self, patience_s: float = math.inf) -> Iterator[tuple[int, R]]:
        """Yield item numbers with results, as they come; end if no result comes for `patience_s`."""
        silent_s = 0.0
        for _ in range(self.size):
            while (outcome := self._next()) is None:
                # Counted in beats: a process that was stopped for a minute did not wait that long.
                silent_s += _BEAT_S
                if silent_s >= patience_s:
                    return
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
            silent_s = 0.0

    def _next(self) -> tuple[int, R] | BaseException | None:
        try:
            return self._done.get(timeout=_BEAT_S)
        except Empty:
            return None
