"""Shuffle so that as few neighbours as possible belong to one group.

If no group has more than half of the entries, they are laid out on a ring without neighbours of one group,
and the ring is opened last, at a random position. That makes every entry exactly equally likely at every
position, whatever the ring. A group of more than half is laid out first, and all others go one by one into
its gaps.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from playshuffle.shuffle.apart import part_on_ring, repeats
from playshuffle.shuffle.blocks import members
from playshuffle.shuffle.chance import RandBelow, draws, unreduced

# Positions on a ring are integers, so that they are the same on every machine. `draws` is fastest with bounds
# up to 2**24, and sorting with integers below 2**30.
_DRAW_BITS, _RING_BITS = 24, 29
_DRAW, _RING = 1 << _DRAW_BITS, 1 << _RING_BITS
_START_SHIFT = _RING_BITS - _DRAW_BITS
_JITTER_SHIFT = _START_SHIFT - 1  # at most half of the even distance


def spread(
    order: Sequence[int], keys: Sequence[int], randbelow: RandBelow, within: Sequence[int] | None = None
) -> list[int]:
    """Shuffle so that as few neighbours as possible are of one group, and the entries of a group far apart.

    There are exactly max(0, 2m - n - 1) such neighbours, m being the size of the largest group; no order has
    fewer. If m is at most n/2, every entry is equally likely at every position: whatever the other draws are,
    the last one brings it to each position once. If not, every entry outside that group is equally likely in
    each gap between two entries of it.

    Entry k of a group of m is at start + (k + u/2)/m of a ring of length 1, with a uniform start for each
    group and a uniform u for each entry. So two of a group have at least half of their even distance, and the
    groups do not come in a fixed order. Then neighbours of one group are moved apart.

    Args:
        keys: the group of each entry. An entry without a group needs a key of its own.
        randbelow: called as by Durstenfeld for each group, or for each subgroup of each group; then with
            bound 2**24 for the positions on rings; last with bound n. With a group of more than half: last
            with the size of that group, the number of others, and the number of gaps.
        within: the subgroup of each entry. The entries of one group, seen alone, follow the same rule for
            subgroups. Then entries of different groups are swapped until no neighbours on the ring are of one
            subgroup, where that is possible.

    Cost: O(n log n).

    Source: the even distances are from Spotify's player ('How to shuffle songs?', 2014).
    """
    if not order:
        return []
    groups = list(members(order, keys).values())
    pools = [[group] for group in groups]
    if within is not None:
        pools = [list(members(group, within).values()) if len(group) > 1 else [group] for group in groups]
    _shuffle_each([part for pool in pools for part in pool], randbelow)
    several = [pool for pool in pools if len(pool) > 1]
    count = sum(map(_draw_count, several)) + _draw_count(groups)
    numbers = iter([*draws(randbelow, [_DRAW] * count)])
    if within is not None:
        groups = [_ring(pool, within, numbers) for pool in pools]
    largest = max(groups, key=len)
    if len(groups) > 1 and _is_crowded(largest, groups):
        others = _ring([group for group in groups if group is not largest], keys, numbers)
        largest, others = (_opened(ring, randbelow(len(ring))) for ring in (largest, others))
        return _between(largest, others, randbelow(len(largest) - 1))
    ring = _ring(groups, keys, numbers)
    if within is not None:
        ring = part_on_ring(ring, keys, within)
    return _opened(ring, randbelow(len(ring)))


def _draw_count(groups: Sequence[Sequence[int]]) -> int:
    """Return the maximum number of draws for a ring."""
    return len(groups) + sum(map(len, groups)) if len(groups) > 1 else 0


def _is_crowded(largest: Sequence[int], groups: Sequence[Sequence[int]]) -> bool:
    return 2 * len(largest) > sum(map(len, groups))


def _opened(ring: Sequence[int], opening: int) -> list[int]:
    return [*ring[opening:], *ring[:opening]]


def _shuffle_each(parts: Sequence[list[int]], randbelow: RandBelow) -> None:
    several = [part for part in parts if len(part) > 1]
    numbers = unreduced(randbelow, [bound for part in several for bound in range(len(part), 1, -1)])
    for part in several:
        position = len(part)
        for number in islice(numbers, position - 1):
            partner = number % position
            position -= 1
            part[position], part[partner] = part[partner], part[position]


def _ring(groups: Sequence[list[int]], keys: Sequence[int], numbers: Iterator[int]) -> list[int]:
    """Lay groups out on a ring; the entries of each keep their order around it."""
    largest = max(groups, key=len)
    if len(groups) == 1:
        return largest
    if _is_crowded(largest, groups):
        phase = next(numbers) * (len(largest) - 1) >> _DRAW_BITS
        return _between(
            largest, _ring([group for group in groups if group is not largest], keys, numbers), phase
        )
    even = _even_ring(groups, numbers)
    ring = _without_neighbours(even, keys)
    if ring == even:
        return ring
    next_of = {keys[group[0]]: iter(group).__next__ for group in groups if len(group) > 1}
    return [next_of[keys[entry]]() if keys[entry] in next_of else entry for entry in ring]


def _between(largest: Sequence[int], smaller: Sequence[int], phase: int) -> list[int]:
    gap_count = len(largest) - 1
    filled = [False] * gap_count
    # Over all phases below gap_count, turn * gap_count + phase takes each number below
    # len(smaller) * gap_count once, so that each gap is filled equally often.
    for turn in range(len(smaller)):
        filled[(turn * gap_count + phase) // len(smaller)] = True
    arranged = list(largest[:1])
    waiting = iter(smaller)
    for is_filled, entry in zip(filled, largest[1:], strict=True):
        if is_filled:
            arranged.append(next(waiting))
        arranged.append(entry)
    return arranged


def _even_ring(groups: Sequence[list[int]], numbers: Iterator[int]) -> list[int]:
    places: list[int] = []
    for group in groups:
        size, start = len(group), next(numbers) << _START_SHIFT
        if size == 1:
            places.append(start)
        else:
            turns = zip(range(0, size << _RING_BITS, _RING), numbers)  # noqa: B905 - numbers for other groups follow
            places += [
                start + (turn + (number << _JITTER_SHIFT)) // size & _RING - 1 for turn, number in turns
            ]
    entries = list(chain.from_iterable(groups))
    return [entries[at] for at in sorted(range(len(entries)), key=places.__getitem__)]


def _without_neighbours(ring: Sequence[int], keys: Sequence[int]) -> list[int]:
    """Move entries along the ring until no two neighbours are of one group.

    No group may have more than half of the entries.
    """
    groups = [keys[entry] for entry in ring]
    if groups[0] != groups[-1] and not repeats(groups):
        return list(ring)
    apart: list[int] = []
    waiting: list[int] = []
    last = None  # The group of the last entry placed, and of all waiting entries.
    for entry in ring:
        group = keys[entry]
        if group == last:
            waiting.append(entry)
        elif waiting:
            apart += (entry, waiting.pop())
        else:
            apart.append(entry)
            last = group
    if keys[apart[0]] == last:
        waiting.append(apart.pop())
    if not waiting:
        return apart
    # Second turn. Of n entries, waiting ones included, at most half are of this group. So the number
    # of neighbours that are both of other groups is at least the number of waiting entries.
    closed: list[int] = []
    before = keys[apart[-1]]
    for entry in apart:
        group = keys[entry]
        if waiting and last not in (before, group):
            closed.append(waiting.pop())
        closed.append(entry)
        before = group
    return closed
