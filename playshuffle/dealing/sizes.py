"""Measure deals by tracks, time, bytes or whole groups, and limit the tracks of an artist in a deal."""

from abc import ABC, abstractmethod
from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import accumulate
from typing import Self


class Size(ABC):
    """The size of deals, and a deal of this size that is filled track by track."""

    def begin(self) -> Self:
        """Return an empty deal of this size; this one must be empty."""
        return copy(self)

    @abstractmethod
    def is_full(self) -> bool:
        """Return whether no further track fits."""

    @abstractmethod
    def add(self, track: int) -> bool:
        """Add a track if it fits; return whether it did."""

    @abstractmethod
    def capacity(self) -> int:
        """Return the maximum number of tracks still to add."""

    @abstractmethod
    def count_deals(self, tracks: Sequence[int]) -> int:
        """Return how many deals these tracks make, approximately."""


class ByCount(Size):
    """Deals of N tracks, at least 1."""

    def __init__(self, count: int) -> None:
        self.count = self._left = count

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
        return -(-len(tracks) // self.count)


class ByTotal(Size):
    """Deals of a maximum playing time or size; a track that does not fit comes first in the next deal.

    A track above the maximum is dealt alone. A deal is full when a track did not fit, and less is left than
    the median amount.

    Args:
        most: the maximum, in milliseconds or bytes.
        amounts: length or size of each track. An unknown one, 0, counts as the mean; without known ones, as
            `most`.
    """

    def __init__(self, most: int, amounts: Mapping[int, int]) -> None:
        known_amounts = [amount for amount in amounts.values() if amount]
        self._mean = sum(known_amounts) // len(known_amounts) if known_amounts else most
        self._amounts = {track: amount or self._mean for track, amount in amounts.items()}
        self._sorted = sorted(self._amounts.values()) or [self._mean]
        self._most = self._left = most
        self._is_empty = True
        self._has_refused = False

    def is_full(self) -> bool:
        median = self._sorted[len(self._sorted) // 2]
        return self._left <= 0 or (self._has_refused and self._left < median)

    def add(self, track: int) -> bool:
        amount = self._amounts[track]
        if amount > self._left and not self._is_empty:
            self._has_refused = True
            return False
        self._is_empty = False
        self._left -= amount
        return True

    def capacity(self) -> int:
        return bisect(list(accumulate(self._sorted)), self._left)

    def count_deals(self, tracks: Sequence[int]) -> int:
        total = sum(self._amounts.get(track, self._mean) for track in tracks)
        return -(-total // self._most)


class ByGroups(Size):
    """Deals of N groups, such as albums. A group counts once while its tracks follow each other."""

    def __init__(self, count: int, group_of: Mapping[int, int]) -> None:
        self._count = self._left = count
        self._group_of = group_of
        self._group: int | None = None

    def is_full(self) -> bool:
        return not self._left

    def add(self, track: int) -> bool:
        group = self._group_of[track]
        if group != self._group:
            if not self._left:
                return False
            self._left -= 1
            self._group = group
        return True

    def capacity(self) -> int:
        sizes = sorted(Counter(self._group_of.values()).values())
        return sum(sizes[-self._left :]) if self._left else 0

    def count_deals(self, tracks: Sequence[int]) -> int:
        return -(-len(set(map(self._group_of.get, tracks))) // self._count)


class Limited(Size):
    """Deals of another size, with at most `limit` tracks (at least 1) of each value.

    A track over the limit comes first in the next deal, so the last deals of a round can be small.
    """

    def __init__(self, size: Size, limit: int, value_of: Mapping[int, int]) -> None:
        self._size = size.begin()
        self._limit = limit
        self._value_of = value_of
        self._counts: Counter[int] = Counter()

    def begin(self) -> Self:
        return type(self)(self._size, self._limit, self._value_of)

    def is_full(self) -> bool:
        return self._size.is_full()

    def add(self, track: int) -> bool:
        value = self._value_of[track]
        if self._counts[value] == self._limit or not self._size.add(track):
            return False
        self._counts[value] += 1
        return True

    def capacity(self) -> int:
        return self._size.capacity()

    def count_deals(self, tracks: Sequence[int]) -> int:
        counts = Counter(self._value_of[track] for track in tracks if track in self._value_of)
        most = max(counts.values(), default=0)
        return max(self._size.count_deals(tracks), -(-most // self._limit))
