"""Limit how many tracks of each value a deal has, and spread these tracks over the round.

As many deals as possible are full, and these come first. Among such deals each track is as likely as
its position in the round makes it.
"""

# ruff: noqa: D102 - the class Size describes the methods

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from playshuffle.dealing.sizes import ByCount, Size


class LimitedPerValue(Size):
    """Deals of another size that have at most N tracks for each value.

    Args:
        size: how large deals are otherwise. Tracks are spread over the round only if it is a number.
        limit: tracks for each value, at least 1.
        value_of: maps each track to the number of its value.
    """

    def __init__(self, size: Size, limit: int, value_of: Mapping[int, int]) -> None:
        self._deal = size.begin()
        self._count = size.count if isinstance(size, ByCount) else None
        self._limit = limit
        self.value_of = value_of
        self._added: set[int] = set()
        self._counts: Counter[int] = Counter()

    def begin(self) -> Self:
        return type(self)(self._deal, self._limit, self.value_of)

    def short_deals(self, tracks: Sequence[int]) -> int:
        """Return how many deals of these tracks, the rest of a round, have fewer tracks than others.

        The last one does not count: it is filled up from the next round.
        """
        if self._count is None:
            return 0
        counts = Counter(self.value_of[track] for track in tracks)
        kinds = Counter((count, 0) for count in counts.values())
        full = _full_deals(kinds, self._limit, self._count, 0, len(tracks))
        return max(0, self.count_deals(tracks) - full - 1)

    def is_full(self) -> bool:
        return self._deal.is_full()

    def add(self, track: int) -> bool:
        value = self.value_of[track]
        if self._counts[value] == self._limit or not self._deal.add(track):
            return False
        self._counts[value] += 1
        self._added.add(track)
        return True

    def capacity(self) -> int:
        return self._deal.capacity()

    def prefer(self, tracks: Sequence[int]) -> Sequence[int]:
        """Return the tracks of the round, first those with which most later deals can be full."""
        left = Counter(self.value_of[track] for track in tracks)
        if self._count is None or max(left.values(), default=0) <= self._limit:
            return tracks
        here = Counter(self.value_of[track] for track in tracks if track not in self._added)
        room = {value: min(count, self._limit - self._counts[value]) for value, count in here.items()}
        if sum(room.values()) <= self.capacity():
            return tracks  # all that fits is taken
        chosen = self._chosen(tracks, left, room)
        return [*chosen, *(track for track in tracks if track not in chosen)]

    def _chosen(
        self, tracks: Sequence[int], left: Mapping[int, int], room: dict[int, int]
    ) -> dict[int, None]:
        """Choose tracks for the rest of this deal, each as early in the order as possible.

        left: tracks of each value in the round. room: how many of them this deal can take.
        """
        assert self._count is not None
        slots, limit = self.capacity(), self._limit
        kinds = Counter((count, room.get(value, 0)) for value, count in left.items())
        full = _full_deals(kinds, limit, self._count, slots, len(tracks))
        deals = _fewest_deals(kinds, limit, self._count, slots, len(tracks))
        # Of each value, this deal must take what later deals have no room for, and may take what the
        # full ones among them cannot use. All other tracks have to fill these.
        must = {value: max(0, count - limit * deals) for value, count in left.items()}
        spare = {value: max(0, count - limit * full) for value, count in left.items()}
        others = sum(min(count, limit * full) for count in left.values()) - self._count * full
        reserved = sum(must.values())
        chosen: dict[int, None] = {}
        for track in tracks:
            value = self.value_of[track]
            if track in self._added or not room[value]:
                continue
            if must[value]:
                must[value] -= 1
                reserved -= 1
            elif slots == reserved:
                continue
            elif not spare[value]:
                if not others:
                    continue
                others -= 1
            spare[value] = max(0, spare[value] - 1)
            room[value] -= 1
            slots -= 1
            chosen[track] = None
            if not slots:
                break
        return chosen

    def count_deals(self, tracks: Sequence[int]) -> int:
        counts = Counter(self.value_of.get(track) for track in tracks)
        counts.pop(None, None)  # on a missing drive
        return max(self._deal.count_deals(tracks), -(-max(counts.values(), default=0) // self._limit))


# How many values have so many tracks in the round, and so many that this deal can take.
_Kinds = Mapping[tuple[int, int], int]


def _full_deals(kinds: _Kinds, limit: int, size: int, slots: int, tracks: int) -> int:
    """Return how many full deals are possible after this one, which takes `slots` of the tracks.

    N deals can be full if, with at most `limit` * N tracks of each value, there are enough of them:
    dealt out in turns, no value comes to one of them too often.
    """

    def is_impossible(deals: int) -> bool:
        most = limit * deals
        usable = sum(number * min(count, most) for (count, _), number in kinds.items())
        spare = sum(number * min(room, max(0, count - most)) for (count, room), number in kinds.items())
        return usable < size * deals or usable + spare < size * deals + slots

    return bisect_left(range(1, (tracks - slots) // size + 1), True, key=is_impossible)


def _fewest_deals(kinds: _Kinds, limit: int, size: int, slots: int, tracks: int) -> int:
    """Return how many deals must follow this one, which takes `slots` of the tracks."""

    def is_enough(deals: int) -> bool:
        over: Iterable[tuple[int, int, int]] = (
            (max(0, count - limit * deals), room, number) for (count, room), number in kinds.items()
        )
        needed = 0
        for too_many, room, number in over:
            if too_many > room:
                return False
            needed += too_many * number
        return needed <= slots and tracks - slots <= size * deals

    return bisect_left(range(tracks), True, key=is_enough)
