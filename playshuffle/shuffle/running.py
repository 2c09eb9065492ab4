"""Insert entries into the unplayed part of an order, from `first` on.

Removing an entry needs no draw, since the rest of a uniform order is uniform.
"""

import bisect
import contextlib
import itertools
from collections.abc import Sequence

from playshuffle.shuffle.blocks import Inside
from playshuffle.shuffle.chance import RandBelow


def insert(order: Sequence[int], entries: Sequence[int], randbelow: RandBelow, first: int = 0) -> list[int]:
    """Insert each new entry at a random position from `first` on.

    That part of the order stays uniform if it was, and its entries keep their relative order. `entries` are
    not in the order.

    Draws: one for each entry, with bounds n-first+1, n-first+2, …

    Source: Knuth, The Art of Computer Programming 2, section 3.4.2.
    """
    _check(order, first)
    running = list(order)
    for entry in entries:
        running.insert(first + randbelow(len(running) - first + 1), entry)
    return running


def insert_apart(
    order: Sequence[int],
    entries: Sequence[int],
    keys: Sequence[int],
    randbelow: RandBelow,
    first: int = 0,
    within: Sequence[int] | None = None,
) -> list[int]:
    """Insert each new entry where it leaves the fewest neighbours of one group, and far from its group.

    Of these positions, only those count that are nearly as far from the entries of its group as the farthest
    one (7/8 of that, or more), if there are any; and then those that are beside no entry of its subgroup, if
    there are any. All that are left are equally likely. Distances are those on a ring. With `first` = 0, an
    order that `spread` made keeps the fewest possible neighbours of one group.

    Args:
        randbelow: called once for each entry, with the number of positions, and once more if the position is
            beside an entry of the subgroup.
        within: the subgroup of each entry.

    Cost: O(n) for each entry.
    """
    _check(order, first)
    running = list(order)
    groups = [keys[entry] for entry in running]
    is_apart = all(one != other for one, other in itertools.pairwise(groups))
    for entry in entries:
        group = keys[entry]
        positions = list(itertools.chain(*_far_positions(groups, group, first)))
        if not positions or not is_apart:
            best = _best_positions(groups, group, first)
            positions = sorted(frozenset(positions).intersection(best)) or best
        position = positions[randbelow(len(positions))]
        if within is not None and _is_beside(running, within, entry, position):
            apart = [at for at in positions if not _is_beside(running, within, entry, at)]
            if apart:
                position = apart[randbelow(len(apart))]
        is_apart = is_apart and group not in groups[max(position - 1, 0) : position + 1]
        running.insert(position, entry)
        groups.insert(position, group)
    return running


def _is_beside(running: Sequence[int], keys: Sequence[int], entry: int, position: int) -> bool:
    return any(keys[other] == keys[entry] for other in running[max(position - 1, 0) : position + 1])


def insert_in_block(
    order: Sequence[int],
    entries: Sequence[int],
    keys: Sequence[int],
    randbelow: RandBelow,
    first: int = 0,
    inside: Inside = "none",
) -> list[int]:
    """Insert each new entry into the block of its group, behind all smaller entries there.

    In a block that is shuffled inside, the position is uniform over the block's unplayed positions, so that
    the block stays uniform if it was. All other blocks must be sorted.

    If a whole group was played, and the next block has begun, its new entries form a new block, at a position
    that is uniform over the positions between blocks, both ends included.

    Draws: one for each new block, with the number of positions between blocks; and one for each entry that
    joins a block shuffled inside, with the number of positions there.

    Cost: O(n) for each entry.
    """
    _check(order, first)
    running = list(order)
    groups = [keys[entry] for entry in running]
    for entry in entries:
        group = keys[entry]
        # Entries can still join the end of the block that was just played.
        seen_from = max(first - 1, 0)
        if group in groups[seen_from:]:
            start = groups.index(group, seen_from)
            end = start + sum(1 for _ in itertools.takewhile(group.__eq__, groups[start:]))
            start = max(start, first)
            if inside == "all" or (inside == "last" and end == len(groups)):
                position = start + randbelow(end - start + 1)
            else:
                position = bisect.bisect(running, entry, start, end)
        else:
            ends = range(max(first, 1), len(groups))
            between = [at for at in ends if groups[at - 1] != groups[at]]
            between += [0, len(groups)] if first == 0 and groups else [len(groups)]
            position = between[randbelow(len(between))]
        running.insert(position, entry)
        groups.insert(position, group)
    return running


def _best_positions(groups: Sequence[int], group: int, first: int) -> list[int]:
    around = zip([None, *groups][first:], [*groups, None][first:], strict=True)
    costs = [(group == before) + (group == after) - (before == after) for before, after in around]
    fewest = min(costs)
    return [first + at for at, cost in enumerate(costs) if cost == fewest]


def _far_positions(groups: Sequence[int], group: int, first: int) -> list[range]:
    """Return the positions that are far from a group, and not beside it."""
    taken, at = list[int](), max(first - 1, 0)
    with contextlib.suppress(ValueError):
        while True:
            at = groups.index(group, at) + 1
            taken.append(at - 1)
    if not taken:
        return [range(first, len(groups) + 1)]
    around = [taken[-1] - len(groups), *taken, taken[0] + len(groups)]
    widest = max(after - before for before, after in itertools.pairwise(around))
    distance = max((widest + 1) * 7 // 16, 2)  # 7/8 of the distance in the middle of the widest gap
    return [
        range(max(before + distance, first), min(after + 1 - distance, len(groups)) + 1)
        for before, after in itertools.pairwise(around)
    ]


def _check(order: Sequence[int], first: int) -> None:
    if not 0 <= first <= len(order):
        raise ValueError(f"position {first} is beyond an order of {len(order)}")
