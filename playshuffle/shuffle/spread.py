"""Shuffle so that as few neighbours as possible belong to one group.

If no group has more than half of the entries, they are laid out on a ring without neighbours of one group,
and the ring is opened at a random position. That makes every entry exactly equally likely at every position,
whatever the ring. A group of more than half is laid out first, and all others go one by one into its gaps.
"""

import itertools
from collections.abc import Iterator, Sequence

from playshuffle.shuffle.apart import repeats
from playshuffle.shuffle.blocks import members
from playshuffle.shuffle.chance import RandBelow, draws, unreduced


def spread(
    order: Sequence[int], keys: Sequence[int], randbelow: RandBelow, within: Sequence[int] | None = None
) -> list[int]:
    """Shuffle so that as few neighbours as possible are of one group, and the entries of a group far apart.

    There are exactly max(0, 2m - n - 1) such neighbours, m being the size of the largest group; no order has
    fewer. If m is at most n/2, every entry is equally likely at every position. If not, every entry outside
    that group is equally likely in each gap between two entries of it.

    Args:
        keys: the group of each entry. An entry without a group needs a key of its own.
        randbelow: called as by Durstenfeld for each group, then with bound n once for each group, and once
            more. With a group of more than half: as by Durstenfeld for that group and for all others, then
            once with bound m-1 if there are others.
        within: the subgroup of each entry. The entries of one key, seen alone, follow the same rule for
            subgroups. Their draws come last: first as by Durstenfeld, key by key, then the rest.

    Cost: O(n log n).

    Source: the even distances are from Spotify's player ('How to shuffle songs?', 2014).
    """
    if not order:
        return []
    groups = members(order, keys)
    [arranged] = _arranged([list(groups.values())], keys, randbelow)
    if within is None:
        return arranged
    # A group of one needs no draws, and there may be thousands.
    several = {key: group for key, group in groups.items() if len(group) > 1}
    inner = _arranged(
        [list(members(group, within).values()) for group in several.values()], within, randbelow
    )
    next_of = {key: iter(group).__next__ for key, group in zip(several, inner, strict=True)}
    return [next_of[keys[entry]]() if keys[entry] in next_of else entry for entry in arranged]


def _arranged(pools: Sequence[list[list[int]]], keys: Sequence[int], randbelow: RandBelow) -> list[list[int]]:
    layouts = [_layout(groups) for groups in pools]
    _shuffle_each([part for layout in layouts for part in layout], randbelow)
    numbers = draws(randbelow, [bound for layout in layouts for bound in _bounds(layout)])
    return [_laid_out(layout, keys, numbers) for layout in layouts]


def _layout(groups: list[list[int]]) -> list[list[int]]:
    """Return the groups; if one has more than half of the entries, that one and a group of all others."""
    largest = max(groups, key=len)
    if 2 * len(largest) <= sum(map(len, groups)):
        return groups
    return [largest, [entry for group in groups if group is not largest for entry in group]]


def _is_crowded(layout: Sequence[list[int]]) -> bool:
    return 2 * len(layout[0]) > sum(map(len, layout))


def _bounds(layout: Sequence[list[int]]) -> list[int]:
    if _is_crowded(layout):
        return [len(layout[0]) - 1] if layout[1] else []
    return [sum(map(len, layout))] * (len(layout) + 1)


def _laid_out(layout: Sequence[list[int]], keys: Sequence[int], numbers: Iterator[int]) -> list[int]:
    if _is_crowded(layout):
        largest, smaller = layout
        return _between(largest, smaller, next(numbers) if smaller else 0)
    ring = _without_neighbours(_even_ring(layout, numbers), keys)
    opening = next(numbers)
    return ring[opening:] + ring[:opening]


def _shuffle_each(parts: Sequence[list[int]], randbelow: RandBelow) -> None:
    several = [part for part in parts if len(part) > 1]
    numbers = unreduced(randbelow, [bound for part in several for bound in range(len(part), 1, -1)])
    for part in several:
        position = len(part)
        for number in itertools.islice(numbers, position - 1):
            partner = number % position
            position -= 1
            part[position], part[partner] = part[partner], part[position]


def _between(largest: Sequence[int], smaller: Sequence[int], phase: int) -> list[int]:
    gap_count = len(largest) - 1
    filled = [False] * gap_count
    # Over all phases below gap_count, turn * gap_count + phase takes each number below
    # len(others) * gap_count once, so that each gap is filled equally often.
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
    count = sum(map(len, groups))
    distances: list[float] = []
    for group, start in zip(groups, itertools.islice(numbers, len(groups)), strict=True):
        size = len(group)
        if size == 1:
            distances.append(float(start))
        else:
            distances += [turn / size for turn in range(start, size * count, count)]
    entries = list(itertools.chain.from_iterable(groups))
    return [entries[at] for at in sorted(range(count), key=distances.__getitem__)]


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
