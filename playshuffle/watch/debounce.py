"""Collect changes into batches. A batch is ripe when no event has come for a while."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from playshuffle.watch.event import Hint

LATEST_S = 10.0  # a batch is ripe this time after its first event, even if more events come

# A full scan is faster than to scan more folders than this one by one.
_MAX_FOLDERS = 512
_MAX_MOVED = 4096

# A batch with several reasons gives the first of them. Those before `events` are of full scans.
_REASONS = ("lost", "root", "mounts", "resume", "asked", "start", "hourly", "poll", "events", "growing")


class Batch(NamedTuple):
    """Folders and files to scan again.

    Attributes:
        folders: absolute, each with a slash at its end.
        trees: folders to scan with all folders below them.
        gone: files and folders that events reported as deleted or moved away, without a slash at the end.
        moved: (old path, new path) of each reported move, in order; incomplete if there were very many.
        is_full_scan: scan all folders; `folders` and `trees` are empty.
        why: events, or growing (files are being written). For a full scan: start, lost (events), root
            (removed, restored or replaced), mounts, resume, asked, hourly, poll, day (a new one), retry.
    """

    folders: frozenset[bytes] = frozenset()
    trees: frozenset[bytes] = frozenset()
    gone: frozenset[bytes] = frozenset()
    moved: tuple[tuple[bytes, bytes], ...] = ()
    is_full_scan: bool = False
    why: str = "events"
    files: frozenset[bytes] = frozenset()


def merged(earlier: Batch, later: Batch) -> Batch:
    """Merge two batches; the reason is the earlier one's if it is a full scan, else the later one's."""
    return Batch(
        earlier.folders | later.folders,
        earlier.trees | later.trees,
        earlier.gone | later.gone,
        (earlier.moved + later.moved)[-_MAX_MOVED:],
        earlier.is_full_scan or later.is_full_scan,
        earlier.why if earlier.is_full_scan else later.why,
        earlier.files | later.files,
    )


class BatchCollector:
    """Collects the changes since the last batch. Times are seconds of a monotonic clock."""

    def __init__(self, settle_s: float, latest_s: float) -> None:
        self._settle_s = settle_s
        self._latest_s = latest_s
        self._clear()

    def _clear(self) -> None:
        self._folders: set[bytes] = set()
        self._trees: set[bytes] = set()
        self._gone: set[bytes] = set()
        self._moved: list[tuple[bytes, bytes]] = []
        self._files: set[bytes] = set()
        self._whys: set[str] = set()
        self._is_full_scan = False
        self._is_urgent = False
        self._first = self._last = -math.inf

    @property
    def is_empty(self) -> bool:
        return not self._whys

    def add(self, hint: Hint, now: float) -> None:
        self._add_reason("events", now)
        if hint.gone is not None:
            self._gone.add(hint.gone)
            if hint.present is not None and len(self._moved) < _MAX_MOVED:
                self._moved.append((hint.gone, hint.present))
        for path in filter(None, (hint.gone, hint.present)):
            self._folders.add(path.rpartition(b"/")[0] + b"/")
        if hint.is_folder and hint.present is not None:
            self._trees.add(hint.present + b"/")

    def add_file(self, path: bytes, now: float) -> None:
        self._add_reason("events", now)
        self._files.add(path)

    def add_growing(self, folders: Iterable[bytes], now: float) -> None:
        """Add folders with files still being written. If the batch was empty, it is ripe at once."""
        self._is_urgent |= self.is_empty
        self._add_reason("growing", now)
        self._folders.update(folders)

    def add_full_scan(self, why: str, now: float, *, is_urgent: bool = False) -> None:
        """Add a full scan; an urgent one makes the batch ripe at once."""
        self._add_reason(why, now)
        self._is_urgent |= is_urgent
        self._is_full_scan = True

    def ripe_at(self) -> float:
        """Return when the batch is ripe if nothing more is added; infinity if it is empty."""
        if self.is_empty:
            return math.inf
        if self._is_urgent:
            return -math.inf
        return min(self._last + self._settle_s, self._first + self._latest_s)

    def take(self, now: float) -> Batch | None:
        if now < self.ripe_at():
            return None
        is_full_scan = self._is_full_scan or len(self._folders) + len(self._trees) > _MAX_FOLDERS
        batch = Batch(
            frozenset(() if is_full_scan else self._folders),
            frozenset(() if is_full_scan else self._trees),
            frozenset(self._gone),
            tuple(self._moved),
            is_full_scan,
            next((why for why in _REASONS if why in self._whys), "events"),
            frozenset(self._files),
        )
        self._clear()
        return batch

    def _add_reason(self, why: str, now: float) -> None:
        if self.is_empty:
            self._first = now
        self._last = now
        self._whys.add(why)
