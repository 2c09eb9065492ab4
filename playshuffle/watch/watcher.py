"""Watch folders and yield batches of changes: events only hint where to scan."""

import contextlib
import math
import os
import select
import time
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Self

from playshuffle.watch.checker import FileWatcher
from playshuffle.watch.debounce import LATEST_S, Batch, BatchCollector
from playshuffle.watch.event import Hint
from playshuffle.watch.limits import Mode
from playshuffle.watch.root_watcher import RootWatcher
from playshuffle.watch.schedule import POLL_S, SETTLE_S, Schedule

HEARTBEAT_S = 5.0

_READ_INTERVAL_S = 0.25  # while many events come, reports are read once in this time
_MAX_REPORTS = 200_000
_CLOSE_S = 0.9


class Watch:
    """Watches folders and yields batches of folders and files to scan again.

    Args:
        roots: absolute, without a slash at the end; they need not exist.
        settle_s: a batch is ripe after this time without an event.
        latest_s: a batch is ripe this time after its first event, even if more events come.
        poll_s: time between full scans if some folders report no changes.
        full_scan_s: longest time between full scans.
        heartbeat_s: time between heartbeats, which check roots and files.
    """

    def __init__(
        self,
        roots: Sequence[bytes],
        *,
        files: Sequence[bytes] = (),
        settle_s: float = SETTLE_S,
        latest_s: float = LATEST_S,
        poll_s: float = POLL_S,
        full_scan_s: float = 3600.0,
        heartbeat_s: float | None = None,
    ) -> None:
        self._heartbeat_s = HEARTBEAT_S if heartbeat_s is None else heartbeat_s
        self._collector = BatchCollector(settle_s, latest_s)
        self._schedule = Schedule(full_scan_s, poll_s, settle_s, time.monotonic(), _asleep_s())
        self._reports: deque[tuple[float, Hint | str | bytes]] = deque()
        self._has_started = False
        self._wake_fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        table = "/proc/self/mountinfo"
        self._mounts_fd = os.open(table if os.path.exists(table) else os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._file_watchers = [FileWatcher(path, self._add_report) for path in frozenset(files)]
        self._root_watchers = [RootWatcher(root, self._add_report) for root in dict.fromkeys(roots)]
        self._starting_count = len(self._root_watchers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        watchers = (*self._root_watchers, *self._file_watchers)
        for watcher in watchers:
            watcher.stop()
        end = time.monotonic() + _CLOSE_S
        have_ended = [watcher.join(end) for watcher in watchers]
        self._root_watchers = []
        os.close(self._mounts_fd)
        if all(have_ended):  # a thread that hangs may still write to it
            os.close(self._wake_fd)

    def modes(self) -> list[Mode]:
        return [watcher.mode() for watcher in self._root_watchers]

    def request_full_scan(self) -> None:
        self._collector.add_full_scan("asked", time.monotonic(), is_urgent=True)

    def rescan(self, folders: Collection[bytes], after_s: float) -> None:
        """Report folders in a batch after some time. Each path ends in a slash."""
        self._schedule.add_rescan(folders, time.monotonic() + after_s)

    def take_unripe(self) -> Batch:
        self._read_reports()
        return self._collector.take(math.inf) or Batch()

    def batches(self, *caller_fds: int) -> Iterator[Batch | None]:
        """Yield batches of changes without end. The first one means that the watches are set.

        Yield None at every heartbeat, and when one of `caller_fds` can be read; the caller must read it.
        """
        next_heartbeat = time.monotonic() + self._heartbeat_s
        while True:
            batch = self._next_batch()
            if batch is not None:
                yield batch
                continue
            is_caller_due = self._wait(caller_fds, next_heartbeat)
            if time.monotonic() >= next_heartbeat:
                next_heartbeat = time.monotonic() + self._heartbeat_s
                for watcher in (*self._root_watchers, *self._file_watchers):
                    watcher.check()
                is_caller_due = True
            if is_caller_due:
                yield None

    def _next_batch(self) -> Batch | None:
        self._read_reports()
        now = time.monotonic()
        if not self._has_started:
            if self._starting_count > sum(watcher.stalled_s > 0 for watcher in self._root_watchers):
                return None
            self._has_started = True
            self._schedule.note_full_scan(now)
            return Batch(is_full_scan=True, why="start")
        why = self._schedule.full_scan_reason(now, _asleep_s(), is_polled=self._is_polled())
        if why is not None:
            self._collector.add_full_scan(why, now, is_urgent=True)
        for folders in self._schedule.take_rescans(now):
            self._collector.add_growing(folders, now)
        batch = self._collector.take(now)
        if batch is not None and batch.is_full_scan:
            self._schedule.note_full_scan(now)
        return batch

    def _wait(self, caller_fds: Sequence[int], until: float) -> bool:
        if self._has_started:
            until = min(until, self._collector.ripe_at(), self._schedule.next_at(is_polled=self._is_polled()))
        poller = select.poll()
        for fd in caller_fds:
            poller.register(fd, select.POLLIN)
        poller.register(self._mounts_fd, select.POLLPRI)
        if self._collector.is_empty:
            poller.register(self._wake_fd, select.POLLIN)
        else:
            until = min(until, time.monotonic() + _READ_INTERVAL_S)
        wait_ms = max(0.0, until - time.monotonic()) * 1000
        ready = [fd for fd, _ in poller.poll(wait_ms)]
        if self._mounts_fd in ready:
            self._schedule.note_mounts(time.monotonic())
            for watcher in self._root_watchers:
                watcher.check(mounts_changed=True)
        return not set(caller_fds).isdisjoint(ready)

    def _add_report(self, report: Hint | str | bytes) -> None:
        if len(self._reports) >= _MAX_REPORTS:
            self._reports.clear()
            report = "lost"
        self._reports.append((time.monotonic(), report))
        with contextlib.suppress(BlockingIOError):
            os.eventfd_write(self._wake_fd, 1)

    def _read_reports(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._wake_fd)
        for _ in range(len(self._reports)):
            with contextlib.suppress(IndexError):  # another thread may clear a queue that is too long
                self._collect(*self._reports.popleft())

    def _collect(self, time_s: float, report: Hint | str | bytes) -> None:
        if isinstance(report, bytes):
            self._collector.add_file(report, time_s)
        elif isinstance(report, Hint):
            self._collector.add(report, time_s)
        elif report != "start":
            self._collector.add_full_scan(report, time_s)
        else:
            self._starting_count -= 1
            if self._has_started:  # its drive answers at last
                self._collector.add_full_scan("root", time_s)

    def _is_polled(self) -> bool:
        return any(mode.state in {"polling", "partly"} for mode in self.modes())


def _asleep_s() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()
