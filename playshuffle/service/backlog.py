"""Decide what each managed playlist must still be updated for, and when to try again.

News (deletions and moves that were seen) belongs to a playlist: the playlist that has applied it never
gets it again, and the playlist that failed keeps it for its next update. Applying a move twice could
exchange two tracks.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

from playshuffle.watch.debounce import Batch, merged

_NEWS_S = 600.0  # a path that was deleted may hold another file by then
_RETRY_S = (10.0, 600.0)
_LONGEST_GROWTH_S = 60.0
# After these nobody knows whether a path that was deleted before is still the same path.
_UNSURE = frozenset(("mounts", "root", "lost", "resume"))

_Dated = tuple[float, Batch]


class Backlog:
    """What the playlists of a configuration have not applied.

    Args:
        folders: by playlist, the folders it is made from, without a slash at the end.
        files: by playlist, single files that it is made from, too.
        settle_s: how long a file must not be written to before it is read.
        unfinished: news by playlist, from the backlog of an earlier configuration.
        now_s: seconds of a clock that is never set, as in every method.
    """

    def __init__(
        self,
        folders: Mapping[str, Sequence[bytes]],
        *,
        files: Mapping[str, Collection[bytes]],
        settle_s: float,
        unfinished: Mapping[str, Batch],
        now_s: float,
    ) -> None:
        self._tops = {
            name: tuple(path.rstrip(b"/") + b"/" for path in paths) for name, paths in folders.items()
        }
        self._files = {name: frozenset(paths) for name, paths in files.items()}
        self._settle_s = settle_s
        self._waiting: dict[str, list[_Dated]] = {}
        self._carried: dict[str, list[_Dated]] = {
            name: [(now_s, batch)] for name, batch in unfinished.items() if name in folders
        }
        self._under_way: dict[str, list[_Dated]] = {}
        self._failing: set[str] = set()
        self._uncached: set[str] = set()
        self._unwatched: set[bytes] = set()
        self._growing: set[bytes] = set()
        self._growth_s: dict[bytes, float] = {}
        self._retry_at = math.inf
        self._retry_s = _RETRY_S[0]

    def add(self, batch: Batch, now_s: float) -> None:
        """Add a batch for every playlist that it concerns."""
        if batch.why in _UNSURE:
            for dated in (self._waiting, self._carried, self._under_way):
                for name, batches in dated.items():
                    dated[name] = [(at, _without_news(old)) for at, old in batches]
        if batch.is_whole:
            self._unwatched.clear()
        for name in self._tops:
            if self._concerns(batch, name):
                self._waiting.setdefault(name, []).append((now_s, batch))

    def note_unwatched(self, folders: Iterable[bytes]) -> None:
        """Note folders without events. Until the next full scan, every update of their playlists is one.

        Call this as long as they are unwatched. Events report only half of a move between such a folder and
        another one.
        """
        self._unwatched.update(path.rstrip(b"/") + b"/" for path in folders)

    @property
    def is_waiting(self) -> bool:
        """Return whether any playlist is to be updated."""
        return bool(self._waiting)

    def begin(self, now_s: float) -> dict[str, Batch]:
        """Return what an update is to do now: a batch for each playlist that has something waiting."""
        assert not self._under_way
        self._under_way = {
            name: _compact(self._carried.pop(name, []) + new, now_s) for name, new in self._waiting.items()
        }
        self._waiting = {}
        self._growing = set()
        return {name: self._batch(name, dated) for name, dated in self._under_way.items()}

    def finish(self, name: str, *, is_cached: bool = True, has_unreadable: bool = False) -> None:
        """Drop what a playlist was updated for: it is up to date.

        is_cached: whether the tags that were read could be stored; if not, the next update scans everything.
        has_unreadable: whether something could not be read; no event tells when it can be read.
        """
        self._under_way.pop(name, None)
        (self._uncached.discard if is_cached else self._uncached.add)(name)
        (self._failing.add if has_unreadable else self._failing.discard)(name)

    def note_scanned(self, missing: Iterable[bytes]) -> None:
        """Drop what was seen of moves and deletions: the scan of the update under way has saved it.

        Deletions below a folder that seems to be missing are not saved. If its files were just deleted, the
        next update has the rest of their events, and needs them all.
        """
        tops = tuple(root.rstrip(b"/") + b"/" for root in missing)
        for name, batches in self._carried.items():
            self._carried[name] = [(at, replace(batch, moved=())) for at, batch in batches]
        for name, batches in self._under_way.items():
            self._carried[name] = _deletions_below(tops, batches)
            self._under_way[name] = [(at, _without_news(batch)) for at, batch in batches]

    def note_growing(self, folders: Iterable[bytes]) -> None:
        """Note folders with files that are being written."""
        self._growing.update(folders)

    def end(self, now_s: float) -> dict[bytes, float]:
        """End the update; keep what was not applied, and schedule another try.

        Returns:
            Folders to scan again, each with the seconds to wait until then: twice as long each time.
        """
        self._failing |= self._under_way.keys()
        for name, dated in self._under_way.items():
            self._carried[name] = self._carried.get(name, []) + _compact(dated, now_s)
        self._under_way = {}
        if not self._failing:
            self._retry_at, self._retry_s = math.inf, _RETRY_S[0]
        elif self._retry_at == math.inf:
            self._retry_at = now_s + self._retry_s
            self._retry_s = min(2 * self._retry_s, _RETRY_S[1])
        self._growth_s = {
            folder: min(2 * self._growth_s[folder], _LONGEST_GROWTH_S)
            if folder in self._growth_s
            else self._settle_s
            for folder in self._growing
        }
        return self._growth_s

    def retry(self, now_s: float) -> None:
        """Add a full scan for every playlist that is not well, if it is time."""
        if now_s >= self._retry_at:
            self._retry_at = math.inf
            for name in self._failing:
                self._waiting.setdefault(name, []).append((now_s, Batch(is_whole=True, why="retry")))

    def unfinished(self) -> dict[str, Batch]:
        """Return the news that each playlist has not applied; a later backlog scans everything anyway."""
        news: dict[str, Batch] = {}
        for dated in (self._carried, self._under_way, self._waiting):
            for name, batches in dated.items():
                for _, batch in batches:
                    news[name] = merged(news.get(name, Batch()), Batch(gone=batch.gone, moved=batch.moved))
        return {name: batch for name, batch in news.items() if batch.gone or batch.moved}

    def _concerns(self, batch: Batch, name: str) -> bool:
        tops = self._tops[name]
        return (
            batch.is_whole
            or not batch.files.isdisjoint(self._files.get(name, ()))
            or any(path.startswith(tops) for path in (*batch.folders, *batch.trees))
            or any(top.startswith(tree) for top in tops for tree in batch.trees)
        )

    def _batch(self, name: str, dated: Sequence[_Dated]) -> Batch:
        result = reduce(merged, (batch for _, batch in dated))
        needs_whole = name in self._uncached or not self._unwatched.isdisjoint(self._tops[name])
        if needs_whole and not result.is_whole:
            result = replace(result, folders=frozenset(), trees=frozenset(), is_whole=True, why="retry")
        return result


def _compact(dated: Sequence[_Dated], now_s: float) -> list[_Dated]:
    """Merge the batches whose news is too old to be true into one without news."""
    old = [_without_news(batch) for at, batch in dated if now_s - at >= _NEWS_S]
    recent = [(at, batch) for at, batch in dated if now_s - at < _NEWS_S]
    return [(-math.inf, reduce(merged, old)), *recent] if old else recent


def _deletions_below(tops: tuple[bytes, ...], dated: Iterable[_Dated]) -> list[_Dated]:
    gone = ((at, frozenset(path for path in batch.gone if path.startswith(tops))) for at, batch in dated)
    return [(at, Batch(gone=paths)) for at, paths in gone if paths]


def _without_news(batch: Batch) -> Batch:
    return replace(batch, gone=frozenset(), moved=())
