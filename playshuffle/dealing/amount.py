"""How large a deal is: by number of tracks, by playing time, or by whole albums."""

from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is wanted of one deal, of one kind: tracks, playing time, or albums."""

    count: int | None = None
    time_ms: int | None = None
    albums: int | None = None


@dataclass(frozen=True, slots=True)
class ByCount:
    """So many tracks, 1 or more."""

    count: int

    def begin(self, carried_ms: int) -> "_Counting":  # noqa: ARG002 - no time is counted here
        """Begin a deal."""
        return _Counting(self.count)


class _Counting:
    carried_ms = 0

    def __init__(self, count: int) -> None:
        self._count = self._left = count

    def is_full(self) -> bool:
        return not self._left

    def takes(self, track: bytes) -> bool:  # noqa: ARG002 - all count the same
        if not self._left:
            return False
        self._left -= 1
        return True

    def most(self) -> int:
        return self._left

    def deals(self, tracks: Sequence[bytes]) -> int:
        return -(-len(tracks) // self._count)


@dataclass(frozen=True, slots=True)
class ByTime:
    """At most so much playing time; no track is split, and what is not used goes to the next deal.

    A track that alone is longer is dealt alone. No more is carried than one deal is long.

    lengths_ms: of all tracks; 0 where unknown: these count as the mean of the others, or, if
        no length is known, as long as a deal.
    """

    time_ms: int
    lengths_ms: Mapping[bytes, int]

    def begin(self, carried_ms: int) -> "_Timing":
        """Begin a deal."""
        known = [length for length in self.lengths_ms.values() if length]
        mean = sum(known) // len(known) if known else self.time_ms
        lengths_ms = {track: length or mean for track, length in self.lengths_ms.items()}
        return _Timing(self.time_ms, carried_ms, lengths_ms, mean)


class _Timing:
    def __init__(self, time_ms: int, carried_ms: int, lengths_ms: Mapping[bytes, int], mean_ms: int) -> None:
        self._mean_ms = mean_ms
        self._time_ms = time_ms
        self._left_ms = time_ms + carried_ms
        self.carried_ms = min(self._left_ms, time_ms)
        self._lengths_ms = lengths_ms
        self._is_empty = True

    def is_full(self) -> bool:
        return self._left_ms <= 0

    def takes(self, track: bytes) -> bool:
        length_ms = self._lengths_ms[track]
        if length_ms > self._left_ms and not self._is_empty:
            return False
        self._is_empty = False
        self._left_ms -= length_ms
        self.carried_ms = min(max(self._left_ms, 0), self._time_ms)
        return True

    def most(self) -> int:
        return bisect(list(accumulate(sorted(self._lengths_ms.values()))), self._left_ms)

    def deals(self, tracks: Sequence[bytes]) -> int:
        whole_ms = sum(self._lengths_ms.get(track, self._mean_ms) for track in tracks)
        return -(-whole_ms // self._time_ms)


@dataclass(frozen=True, slots=True)
class ByAlbums:
    """So many albums, each as far as it stands together in the round.

    album_of: the number of the album of each track.
    """

    count: int
    album_of: Mapping[bytes, int]

    def begin(self, carried_ms: int) -> "_Collecting":  # noqa: ARG002 - no time is counted here
        """Begin a deal."""
        return _Collecting(self.count, self.album_of)


class _Collecting:
    carried_ms = 0

    def __init__(self, count: int, album_of: Mapping[bytes, int]) -> None:
        self._count = self._left = count
        self._album_of = album_of
        self._album: int | None = None

    def is_full(self) -> bool:
        return not self._left

    def takes(self, track: bytes) -> bool:
        album = self._album_of[track]
        if album != self._album:
            if not self._left:
                return False
            self._left -= 1
            self._album = album
        return True

    def most(self) -> int:
        sizes = sorted(Counter(self._album_of.values()).values())
        return sum(sizes[-self._left :]) if self._left else 0

    def deals(self, tracks: Sequence[bytes]) -> int:
        return -(-len(set(map(self._album_of.get, tracks))) // self._count)
