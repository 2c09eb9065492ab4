"""Collect changed folders into batches, each ripe once the folders have settled."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from playshuffle.watch.event import Hint

SETTLE_S = 2.0  # without an event until a batch is ripe: the default of the key `settle`
LATEST_S = 10.0  # after its first event a batch is ripe in any case

# More folders than that are read faster in one go than one by one.
_MOST_FOLDERS = 512
_MOST_GONE = 4096
_MOST_MOVED = 4096

# Why everything is to be looked at; of several reasons the first one is told.
_WHOLE = ("lost", "root", "mounts", "resume", "asked", "start", "hourly", "poll")


@dataclass(frozen=True, slots=True)
class Batch:
    """What must be looked at again.

    folders: to be read again; absolute, each with a slash at its end.
    trees: folders to be read again with all that is below.
    gone: paths, files or folders, without a slash at the end, that events told were deleted or moved
        away. Of very many, the folders they were in stand for them: what is missing below a path
        named here is missing because someone deleted it.
    moved: from and to, as events told, in the order they came.
    files: single files that changed, such as skip lists.
    is_whole: everything is to be read again; `folders` and `trees` are empty then.
    why: events, growing (files are still being written); or, for the whole: start, lost (events were),
        root (it went, came or was exchanged), mounts, resume, asked, hourly, poll, day (a new one
        began), retry.
    """

    folders: frozenset[bytes] = frozenset()
    trees: frozenset[bytes] = frozenset()
    gone: frozenset[bytes] = frozenset()
    moved: tuple[tuple[bytes, bytes], ...] = ()
    is_whole: bool = False
    why: str = "events"
    files: frozenset[bytes] = frozenset()


def merged(earlier: Batch, later: Batch) -> Batch:
    """Merge two batches; the reason is that of the first batch that is whole, else the later one's."""
    all_gone = earlier.gone | later.gone
    return Batch(
        earlier.folders | later.folders,
        earlier.trees | later.trees,
        frozenset(_shortened({*all_gone})) if len(all_gone) > _MOST_GONE else all_gone,
        (earlier.moved + later.moved)[-_MOST_MOVED:],
        earlier.is_whole or later.is_whole,
        earlier.why if earlier.is_whole else later.why,
        earlier.files | later.files,
    )


class BatchCollector:
    """What was noted since the last batch; ripe when nothing was added for a while.

    All times are seconds of one clock that is never set.
    """

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
        self._is_whole = False
        self._is_urgent = False
        self._first = self._last = -math.inf

    @property
    def is_empty(self) -> bool:
        """Return whether nothing was noted."""
        return not self._whys

    def note(self, hint: Hint, now: float) -> None:
        """Add an event; its batch is ripe after the settle time."""
        self._wait("events", now)
        if hint.gone is not None:
            self._gone.add(hint.gone)
            if len(self._gone) > _MOST_GONE:
                self._gone = _shortened(self._gone)
            if hint.come is not None and len(self._moved) < _MOST_MOVED:
                self._moved.append((hint.gone, hint.come))
        for path in filter(None, (hint.gone, hint.come)):
            self._read_again(path.rpartition(b"/")[0] + b"/")
        if hint.is_folder and hint.come is not None and not self._is_below_tree(hint.come + b"/"):
            self._trees.add(hint.come + b"/")
        self._shorten()

    def note_file(self, path: bytes, now: float) -> None:
        """Note that a single file changed; it is ripe after the quiet time."""
        self._wait("events", now)
        self._files.add(path)

    def again(self, folders: Iterable[bytes], now: float) -> None:
        """Look at these folders; at once, where nothing else is waiting to be ripe."""
        self._is_urgent |= self.is_empty
        self._wait("growing", now)
        for folder in folders:
            self._read_again(folder)
        self._shorten()

    def whole(self, why: str, now: float, *, is_urgent: bool = False) -> None:
        """Look at everything; at once, or as with an event after the settle time."""
        self._wait(why, now)
        self._is_urgent |= is_urgent
        self._make_whole()

    def ripe_at(self) -> float:
        """Return when there will be a batch if nothing more is noted; infinity means never."""
        if self.is_empty:
            return math.inf
        return (
            -math.inf if self._is_urgent else min(self._last + self._settle_s, self._first + self._latest_s)
        )

    def take(self, now: float) -> Batch | None:
        """Return the batch and begin the next one; None if it is not ripe."""
        if now < self.ripe_at():
            return None
        trees = {tree for tree in self._trees if not self._is_below_tree(tree[:-1])}
        folders = {folder for folder in self._folders if not self._is_below_tree(folder)}
        why = next((why for why in _WHOLE if why in self._whys), "")
        batch = Batch(
            frozenset(folders),
            frozenset(trees),
            frozenset(self._gone),
            tuple(self._moved),
            self._is_whole,
            why or ("events" if "events" in self._whys else "growing"),
            frozenset(self._files),
        )
        self._clear()
        return batch

    def _wait(self, why: str, now: float) -> None:
        if self.is_empty:
            self._first = now
        self._last = now
        self._whys.add(why)

    def _read_again(self, folder: bytes) -> None:
        if not self._is_whole and not self._is_below_tree(folder):
            self._folders.add(folder)

    def _shorten(self) -> None:
        if self._is_whole or len(self._folders) + len(self._trees) > _MOST_FOLDERS:
            self._make_whole()

    def _make_whole(self) -> None:
        self._is_whole = True
        self._folders.clear()
        self._trees.clear()

    def _is_below_tree(self, path: bytes) -> bool:
        """Return whether a tree contains a folder; without a slash at its end, only trees above it count."""
        if not self._trees:
            return False
        at = path.rfind(b"/")
        while at >= 0:
            if path[: at + 1] in self._trees:
                return True
            at = path.rfind(b"/", 0, at)
        return False


def _shortened(paths: set[bytes]) -> set[bytes]:
    """Reduce paths to half of the limit: the folders of the deepest paths take their place."""
    while len(paths) > _MOST_GONE // 2:
        deepest = max(path.count(b"/") for path in paths)
        paths = {path.rpartition(b"/")[0] or b"/" if path.count(b"/") == deepest else path for path in paths}
    return paths
