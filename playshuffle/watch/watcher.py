"""Watch folders and yield batches of changes: events are hints, a scan is the truth.

It waits for four things at once: reports of the root watchers, changes of the mount table, the
caller's own descriptor, and the clock.
"""

import contextlib
import math
import os
import select
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Self

from playshuffle.watch.debounce import LATEST_S, SETTLE_S, Batch, BatchCollector
from playshuffle.watch.event import Hint
from playshuffle.watch.file_watcher import FileWatcher
from playshuffle.watch.limits import Mode
from playshuffle.watch.root_watcher import Sentry
from playshuffle.watch.schedule import POLL_S, Schedule

BEAT_S = 5.0

_SIP_S = 0.25  # in a burst, the news are not read more often than that
_MOST_NEWS = 200_000
_END_S = 0.9


class Watch:
    """Watches folders, and says what must be looked at again.

    Args:
        roots: absolute paths without a slash at the end; they need not be there.
        files: single files that playlists are made from, too.
        settle_s: without an event until a batch is ripe…
        latest_s: …unless its first event is that old.
        poll_s: between looks at everything, where a root has no events.
        whole_s: between looks at everything, in any case.
        beat_s: between heartbeats, at which the roots are looked for, too.
    """

    def __init__(
        self,
        roots: Sequence[bytes],
        *,
        files: Sequence[bytes] = (),
        settle_s: float = SETTLE_S,
        latest_s: float = LATEST_S,
        poll_s: float = POLL_S,
        whole_s: float = 3600.0,
        beat_s: float | None = None,
    ) -> None:
        self._roots = list(dict.fromkeys(roots))
        self._files = files
        self._beat_s = BEAT_S if beat_s is None else beat_s
        self._collector = BatchCollector(settle_s, latest_s)
        self._schedule = Schedule(whole_s, poll_s, settle_s, time.monotonic(), _asleep_s())
        self._news: deque[tuple[float, Hint | str | bytes]] = deque()
        self._sentries: list[Sentry] = []
        self._file_watcher = FileWatcher((), self._hear)
        self._starting = 0
        self._has_started = False
        self._bell = self._mounts = -1

    def __enter__(self) -> Self:
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        with contextlib.suppress(OSError):  # without /proc there is no table, and much else is missing
            self._mounts = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
        self._file_watcher = FileWatcher(self._files, self._hear)
        self._starting = len(self._roots)
        self._sentries = [Sentry(root, self._hear) for root in self._roots]
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all threads and remove the watches of all folders."""
        for sentry in self._sentries:
            sentry.stop()
        self._file_watcher.stop()
        end = time.monotonic() + _END_S
        have_ended = [sentry.join(end - time.monotonic()) for sentry in self._sentries]
        have_ended.append(self._file_watcher.join(end - time.monotonic()))
        self._sentries = []
        if self._mounts >= 0:
            os.close(self._mounts)
        if all(have_ended) and self._bell >= 0:  # one that hangs may still ring
            os.close(self._bell)
        self._bell = self._mounts = -1

    def modes(self) -> list[Mode]:
        """Return how each root is watched."""
        return [sentry.how() for sentry in self._sentries]

    def ask(self, why: str = "asked") -> None:
        """Have everything looked at now."""
        self._collector.whole(why, time.monotonic(), is_urgent=True)

    def again(self, folders: Collection[bytes], after_s: float) -> None:
        """Have these folders looked at again after that time; each ends in a slash."""
        self._schedule.again(folders, time.monotonic() + after_s)

    def rest(self) -> Batch:
        """Return the changes that are noted but not ripe yet."""
        self._read_news()
        return self._collector.take(math.inf) or Batch()

    def batches(self, wake: int | None = None) -> Iterator[Batch | None]:
        """Yield batches of changes, for ever; the first one says that the watches are set.

        None comes when there is something to read at the descriptor `wake`, which is left to the
        caller, and at every heartbeat.
        """
        beat_at = time.monotonic() + self._beat_s
        while True:
            batch = self._next_batch()
            if batch is not None:
                yield batch
                continue
            is_woken = self._wait(wake, beat_at)
            if time.monotonic() >= beat_at:
                beat_at = time.monotonic() + self._beat_s
                for sentry in self._sentries:
                    sentry.poke()
                self._file_watcher.poke()
                is_woken = True
            if is_woken:
                yield None

    def _next_batch(self) -> Batch | None:
        self._read_news()
        now = time.monotonic()
        if not self._has_started:
            if self._starting > sum(sentry.hangs_s > 0 for sentry in self._sentries):
                return None
            self._has_started = True
            self._schedule.done(now)
            return Batch(is_whole=True, why="start")
        why = self._schedule.due(now, _asleep_s(), is_polled=self._is_polled())
        if why is not None:
            self._collector.whole(why, now, is_urgent=True)
        for folders in self._schedule.folders(now):
            self._collector.again(folders, now)
        batch = self._collector.take(now)
        if batch is not None and batch.is_whole:
            self._schedule.done(now)
        return batch

    def _wait(self, wake: int | None, until: float) -> bool:
        """Wait for whatever comes first; True if the caller was called."""
        if self._has_started:
            until = min(until, self._collector.ripe_at(), self._schedule.next_at(is_polled=self._is_polled()))
        poller = select.poll()
        if wake is not None:
            poller.register(wake, select.POLLIN)
        if self._mounts >= 0:
            poller.register(self._mounts, select.POLLPRI)
        if self._collector.is_empty:
            poller.register(self._bell, select.POLLIN)
        else:
            until = min(until, time.monotonic() + _SIP_S)
        wait_ms = max(0.0, until - time.monotonic()) * 1000
        called = [fd for fd, _ in poller.poll(wait_ms)]
        if self._mounts in called:
            self._schedule.mounts(time.monotonic())
            for sentry in self._sentries:
                sentry.poke(mounts_changed=True)
        return wake in called

    def _hear(self, news: Hint | str | bytes) -> None:
        """Take news from another thread; it is only laid down here."""
        if len(self._news) >= _MOST_NEWS:
            self._news.clear()
            news = "lost"
        self._news.append((time.monotonic(), news))
        if self._bell >= 0:
            with contextlib.suppress(OSError):
                os.eventfd_write(self._bell, 1)

    def _read_news(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._bell)
        for _ in range(len(self._news)):
            with contextlib.suppress(IndexError):  # what was laid down may be too much, and cleared
                self._take(*self._news.popleft())

    def _take(self, at: float, news: Hint | str | bytes) -> None:
        if isinstance(news, bytes):
            self._collector.note_file(news, at)
        elif isinstance(news, Hint):
            self._collector.note(news, at)
        elif news != "start":
            self._collector.whole(news, at)
        else:
            self._starting -= 1
            if self._has_started:  # it answers at last
                self._collector.whole("root", at)

    def _is_polled(self) -> bool:
        return any(mode.how in {"polling", "partly"} for mode in self.modes())


def _asleep_s() -> float:
    """Return the seconds that the machine has slept since it was started."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
