"""Insert entries into an order that is being played.

`first` is the first position still to come: nothing is inserted before it. Removing an entry needs
no draw, since the rest of a uniform order is uniform.
"""

import bisect
import itertools
from collections.abc import Sequence

from playshuffle.shuffle.blocks import Inside
from playshuffle.shuffle.chance import RandBelow


def insert(order: Sequence[int], entries: Sequence[int], randbelow: RandBelow, first: int = 0) -> list[int]:
    """Let each new entry in at a random position among those still to come.

    What is still to come stays uniform if it was, and the entries that were there keep
    their order among themselves.

    Args:
        order: n distinct indices; not changed.
        entries: k more indices, none of them in the order.
        randbelow: drawn from once for each entry, with bounds n-first+1, n-first+2, …
        first: the first position still to come, 0 to n.

    Returns:
        A new list of all entries.

    Raises:
        ValueError: for a first position beyond the order.

    Cost: O(n) to shift for each entry.

    Source: the insertion shuffle, Knuth, The Art of Computer Programming 2, section 3.4.2.
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
) -> list[int]:
    """Let each new entry in where it leaves the fewest neighbours of one group.

    Uniform over the positions that are best for the entry. With first = 0 an order that `spread`
    made keeps the fewest neighbours that there can be.

    Args:
        order: n distinct indices; not changed.
        entries: k more indices, none of them in the order.
        keys: `keys[entry]` is the group of an entry.
        randbelow: drawn from for each entry with the bound that `insert` has, if the order
            has no neighbours of one group; and if that position is not among the best, or
            was not drawn, once more with the number of the best.
        first: the first position still to come, 0 to n.

    Returns:
        A new list of all entries.

    Raises:
        ValueError: for a first position beyond the order.

    Cost: O(n) for each entry: to shift where the first draw serves, to look at otherwise.

    Source: none.
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
    """Let each new entry join its group, behind the smaller indices there.

    In a block that is shuffled inside, the position is uniform over those still to come in the
    block, so that the block stays uniform if it was.

    A group of which nothing is still to come, not even what follows its last entry, opens a
    block of its own, uniform over the positions between blocks.

    Args:
        order: n distinct indices, each group together; not changed.
        entries: k more indices, none of them in the order.
        keys: `keys[entry]` is the group of an entry.
        randbelow: drawn from once for each new block, with the number of positions between
            blocks, before and behind all of them included; and once for each entry that joins
            a block that is shuffled inside, with the number of positions there.
        first: the first position still to come, 0 to n.
        inside: which blocks are shuffled inside: none, the one played last, or all. Entries of
            the others are sorted.

    Returns:
        A new list of all entries.

    Raises:
        ValueError: for a first position beyond the order.

    Cost: O(n) for each entry.

    Source: none.
    """
    _check(order, first)
    running = list(order)
    groups = [keys[entry] for entry in running]
    for entry in entries:
        group = keys[entry]
        # The block that was just played can still be joined at its end.
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
    """Return the positions, from `first` on, where one more of the group makes the fewest repeats."""
    around = zip([None, *groups][first:], [*groups, None][first:], strict=True)
    costs = [(group == before) + (group == after) - (before == after) for before, after in around]
    fewest = min(costs)
    return [first + at for at, cost in enumerate(costs) if cost == fewest]


def _check(order: Sequence[int], first: int) -> None:
    if not 0 <= first <= len(order):
        raise ValueError(f"position {first} is beyond an order of {len(order)}")
