"""Measure deals by number of tracks, by playing time, or by whole albums."""

from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate


class _Deal:
    def prefer(self, tracks: Sequence[int]) -> Sequence[int]:
        """Return the tracks as they are: each is as good for the deal as the others."""
        return tracks


@dataclass(frozen=True, slots=True)
class ByCount:
    """Deals of N tracks, at least 1."""

    count: int

    def begin(self) -> "_CountedDeal":
        """Begin a deal."""
        return _CountedDeal(self.count)


class _CountedDeal(_Deal):
    def __init__(self, count: int) -> None:
        self._count = self._left = count

    def is_full(self) -> bool:
        return not self._left

    def add(self, track: int) -> bool:  # noqa: ARG002 - all count the same
        if not self._left:
            return False
        self._left -= 1
        return True

    def capacity(self) -> int:
        return self._left

    def count_deals(self, tracks: Sequence[int]) -> int:
        return -(-len(tracks) // self._count)


@dataclass(frozen=True, slots=True)
class ByTime:
    """Deals of at most that much playing time; a track that does not fit comes first in the next deal.

    A track that is longer than a deal is dealt alone. A deal is full when a track did not fit and
    less time is left than the median length of the tracks.

    Attributes:
        time_ms: playing time of a deal.
        lengths_ms: of all tracks. An unknown length, 0, counts as the mean of the others, or as
            `time_ms` if no length is known.
    """

    time_ms: int
    lengths_ms: Mapping[int, int]

    def begin(self) -> "_TimedDeal":
        """Begin a deal."""
        known_ms = [length for length in self.lengths_ms.values() if length]
        mean = sum(known_ms) // len(known_ms) if known_ms else self.time_ms
        lengths_ms = {track: length or mean for track, length in self.lengths_ms.items()}
        return _TimedDeal(self.time_ms, lengths_ms, mean)


class _TimedDeal(_Deal):
    def __init__(self, time_ms: int, lengths_ms: Mapping[int, int], mean_ms: int) -> None:
        self._mean_ms = mean_ms
        self._time_ms = time_ms
        self._left_ms = time_ms
        self._median_ms = sorted(lengths_ms.values())[len(lengths_ms) // 2] if lengths_ms else mean_ms
        self._lengths_ms = lengths_ms
        self._is_empty = True
        self._has_refused = False

    def is_full(self) -> bool:
        return self._left_ms <= 0 or (self._has_refused and self._left_ms < self._median_ms)

    def add(self, track: int) -> bool:
        length_ms = self._lengths_ms[track]
        if length_ms > self._left_ms and not self._is_empty:
            self._has_refused = True
            return False
        self._is_empty = False
        self._left_ms -= length_ms
        return True

    def capacity(self) -> int:
        return bisect(list(accumulate(sorted(self._lengths_ms.values()))), self._left_ms)

    def count_deals(self, tracks: Sequence[int]) -> int:
        whole_ms = sum(self._lengths_ms.get(track, self._mean_ms) for track in tracks)
        return -(-whole_ms // self._time_ms)


@dataclass(frozen=True, slots=True)
class ByAlbums:
    """Deals of N albums, each as far as its tracks are next to each other in the round.

    Attributes:
        count: number of albums.
        album_of: maps each track to a number of its album.
    """

    count: int
    album_of: Mapping[int, int]

    def begin(self) -> "_AlbumDeal":
        """Begin a deal."""
        return _AlbumDeal(self.count, self.album_of)


class _AlbumDeal(_Deal):
    def __init__(self, count: int, album_of: Mapping[int, int]) -> None:
        self._count = self._left = count
        self._album_of = album_of
        self._album: int | None = None

    def is_full(self) -> bool:
        return not self._left

    def add(self, track: int) -> bool:
        album = self._album_of[track]
        if album != self._album:
            if not self._left:
                return False
            self._left -= 1
            self._album = album
        return True

    def capacity(self) -> int:
        sizes = sorted(Counter(self._album_of.values()).values())
        return sum(sizes[-self._left :]) if self._left else 0

    def count_deals(self, tracks: Sequence[int]) -> int:
        return -(-len(set(map(self._album_of.get, tracks))) // self._count)
