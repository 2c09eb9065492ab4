"""Decide which managed playlists must be updated, what must be scanned for them, and when to retry.

News (reported deletions and moves) are dropped when a scan has saved them: a move applied twice could
exchange two tracks.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import chain

from playshuffle.service.update_protocol import UpdateRequest
from playshuffle.watch.debounce import Batch, merged

_NEWS_S = 600.0  # another file may have a deleted path by then
_RETRY_S = (10.0, 600.0)
_LONGEST_GROWTH_S = 60.0
# After these, a path may not be the same path that was deleted before.
_UNSURE = frozenset(("mounts", "root", "lost", "resume"))

_Dated = tuple[float, Batch]


class Backlog:
    """The changes below playlists' folders that no scan has applied, and the playlists to update.

    Args:
        files: maps each playlist to files that it depends on, such as skip lists.
        settle_s: how long a file must be unchanged before it is read.
        news: moves and deletions reported before this reload, and not applied.
        now_s: from a monotonic clock, as in every method.
    """

    def __init__(
        self,
        folders: Mapping[str, Sequence[bytes]],
        *,
        files: Mapping[str, Collection[bytes]],
        settle_s: float,
        news: Batch,
        now_s: float,
    ) -> None:
        self._tops = {
            name: tuple(path.rstrip(b"/") + b"/" for path in paths) for name, paths in folders.items()
        }
        self._files = {name: frozenset(paths) for name, paths in files.items()}
        self._settle_s = settle_s
        self._pool: list[_Dated] = [(now_s, news)] if news.gone or news.moved else []
        self._due: set[str] = set()
        # For the running update: the batches until its scan is saved, and the playlists to update.
        self._scanning: list[_Dated] = []
        self._updating: set[str] = set()
        self._failing: set[str] = set()
        self._uncached: set[str] = set()
        self._unwatched: set[bytes] = set()
        self._growing: set[bytes] = set()
        self._growth_s: dict[bytes, float] = {}
        self._retry_at = math.inf
        self._retry_s = _RETRY_S[0]
        self._is_retry = False

    def add(self, batch: Batch, now_s: float) -> None:
        """Add a batch, and mark the playlists that it affects as due."""
        if batch.why in _UNSURE:
            self._pool = [(added_s, _without_news(old)) for added_s, old in self._pool]
            self._scanning = [(added_s, _without_news(old)) for added_s, old in self._scanning]
        if batch.is_full_scan:
            self._unwatched.clear()
        concerned = self._concerned(batch)
        if concerned:
            self._pool.append((now_s, batch))
            self._due |= concerned

    def note_unwatched(self, folders: Iterable[bytes]) -> None:
        """Note folders that cannot be watched: updates of their playlists are full scans."""
        self._unwatched.update(path.rstrip(b"/") + b"/" for path in folders)

    @property
    def is_due(self) -> bool:
        return bool(self._due)

    def begin(self, now_s: float) -> UpdateRequest:
        """Return the update to run now.

        The update has every playlist that the batches affect, so that no folder is scanned twice.
        """
        assert not self._updating
        self._scanning = [
            (added_s, batch if now_s - added_s < _NEWS_S else _without_news(batch))
            for added_s, batch in self._pool
        ]
        self._pool = []
        batch = reduce(merged, (batch for _, batch in self._scanning), Batch())
        self._updating, self._due = self._due | self._concerned(batch), set()
        self._growing = set()
        tops = chain.from_iterable(self._tops[name] for name in self._updating)
        is_unsure = not self._uncached.isdisjoint(self._updating) or not self._unwatched.isdisjoint(tops)
        if (self._is_retry or is_unsure) and not batch.is_full_scan:
            batch = batch._replace(folders=frozenset(), trees=frozenset(), is_full_scan=True, why="retry")
        self._is_retry = False
        return UpdateRequest(frozenset(self._updating), batch)

    def note_scanned(self, missing: Iterable[bytes]) -> None:
        """Drop the batches of the running update: its scan is saved.

        Deletions below a folder that seems to be missing are kept: they may prove that it is only empty.
        """
        tops = tuple(root.rstrip(b"/") + b"/" for root in missing)
        for added_s, batch in reversed(self._scanning):
            if gone := frozenset(path for path in batch.gone if path.startswith(tops)):
                self._pool.insert(0, (added_s, Batch(gone=gone)))
        self._scanning = []

    def finish(self, name: str, *, is_cached: bool = True, has_unreadable: bool = False) -> None:
        """Note that a playlist is up to date.

        Args:
            is_cached: its tags are stored; otherwise its next update is a full scan.
            has_unreadable: a folder cannot be read; no event will report when it can.
        """
        self._updating.discard(name)
        (self._uncached.discard if is_cached else self._uncached.add)(name)
        (self._failing.add if has_unreadable else self._failing.discard)(name)

    def note_growing(self, folders: Iterable[bytes]) -> None:
        self._growing.update(folders)

    def end(self, now_s: float) -> dict[bytes, float]:
        """End the update; map each folder with files being written to the seconds until its next scan."""
        self._failing |= self._updating
        self._pool = self._scanning + self._pool
        self._scanning, self._updating = [], set()
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
        """If it is time, plan an update with a full scan of every failed playlist."""
        if now_s >= self._retry_at:
            self._retry_at, self._is_retry = math.inf, True
            self._due |= self._failing

    def news(self) -> Batch:
        batch = reduce(merged, (batch for _, batch in self._scanning + self._pool), Batch())
        return Batch(gone=batch.gone, moved=batch.moved)

    def _concerned(self, batch: Batch) -> set[str]:
        paths = (*batch.folders, *batch.trees, *batch.gone, *chain.from_iterable(batch.moved))
        return {
            name
            for name, tops in self._tops.items()
            if batch.is_full_scan
            or not batch.files.isdisjoint(self._files.get(name, ()))
            or any(path.startswith(tops) for path in paths)
            or any(top.startswith(tree) for top in tops for tree in batch.trees)
        }


def _without_news(batch: Batch) -> Batch:
    return batch._replace(gone=frozenset(), moved=())
