"""Insert entries into the unplayed part of an order, from `first` on.

Removing an entry needs no draw, since the rest of a uniform order is uniform.
"""

import bisect
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
    order: Sequence[int], entries: Sequence[int], keys: Sequence[int], randbelow: RandBelow, first: int = 0
) -> list[int]:
    """Insert each new entry where it leaves the fewest neighbours of one group.

    Uniform over the positions that are best for the entry. With `first` = 0, an order that `spread` made
    keeps the fewest possible neighbours of one group.

    Draws: for each entry one as for `insert`, if the order has no neighbours of one group. If it has, or that
    position is not one of the best, one among the best positions.

    Cost: O(n) for each entry.
    """
    _check(order, first)
    running = list(order)
    groups = [keys[entry] for entry in running]
    is_apart = all(one != other for one, other in itertools.pairwise(groups))
    for entry in entries:
        group = keys[entry]
        position = first + randbelow(len(running) - first + 1) if is_apart else None
        if position is None or group in groups[max(position - 1, 0) : position + 1]:
            best = _best_positions(groups, group, first)
            position = best[randbelow(len(best))]
            is_apart = is_apart and group not in groups[max(position - 1, 0) : position + 1]
        running.insert(position, entry)
        groups.insert(position, group)
    return running


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


def _check(order: Sequence[int], first: int) -> None:
    if not 0 <= first <= len(order):
        raise ValueError(f"position {first} is beyond an order of {len(order)}")
