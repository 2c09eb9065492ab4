"""Keep groups apart in an existing order: move or swap as few entries as possible.

A repeat is an entry right behind one of its own group; the two are a pair. With m the size
of the largest group, n entries cannot have fewer than max(0, 2m - n - 1) repeats.
"""

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import eq

from playshuffle.shuffle.chance import RandBelow

# How many positions `part_on_ring` tries: all in a small library, some for each entry in a large one.
_TRIES, _TRIES_PER_ENTRY = 1 << 18, 16


def repeats(groups: Sequence[int]) -> int:
    """Return the number of repeats; `groups[at]` is the group of the entry there."""
    return sum(map(eq, groups, groups[1:]))


def fewest_repeats(groups: Sequence[int]) -> int:
    """Return the number of repeats in the best order of these entries."""
    largest = max(Counter(groups).values(), default=0)
    return max(0, 2 * largest - len(groups) - 1)


def nearest(groups: Sequence[int]) -> int | None:
    """Return the minimum positions from an entry to the next one of its group, if a group has two entries."""
    last: dict[int, int] = {}
    shortest = None
    for at, group in enumerate(groups):
        if group in last and (shortest is None or at - last[group] < shortest):
            shortest = at - last[group]
        last[group] = at
    return shortest


def move_apart(order: Sequence[int], keys: Sequence[int], randbelow: RandBelow, first: int = 0) -> list[int]:
    """Move single entries until as few neighbours as possible are of one group.

    With `first` = 0 the result has the fewest pairs that these entries can have, and at most one entry moves
    for each pair too many. Proof: removing an entry x of a pair of group g removes exactly one
    pair, whatever its other neighbour is. Putting x between two entries that are not of g adds no pair.
    Without such a position both ends are of g and no two entries of other groups are neighbours, so the order
    had max(0, 2m - n - 1) pairs already.

    With a greater `first` the result never has more pairs than `order`.

    Draws: none without pairs too many. For each move: one among the entries of pairs, one with bound n-first
    for the new position, and another among the good positions if the new one is not good.

    Cost: O(n), and O(n) for each move.
    """
    if not 0 <= first <= len(order):
        raise ValueError(f"position {first} is beyond an order of {len(order)}")
    result = list(order)
    groups = [keys[entry] for entry in result]
    surplus = repeats(groups) - fewest_repeats(groups)
    surplus_before = surplus + 1
    while 0 < surplus < surplus_before:  # Repeated only if a move opened positions that `first` had closed.
        surplus_before = surplus
        paired = [(at, result[at]) for at in range(first, len(result)) if _is_paired(groups, at)]
        count = len(paired)
        while paired and surplus:
            pair_number = randbelow(len(paired))
            at, entry = paired[pair_number]
            paired[pair_number] = paired[-1]
            paired.pop()
            # Each move shifts an entry by one position at most.
            moves = count - len(paired)
            at = result.index(entry, max(at - moves, 0), at + moves + 1)
            if _is_paired(groups, at):
                surplus -= _move(result, groups, at, first, randbelow)
    return result


def swap_apart(
    order: Sequence[int],
    pins: Collection[int],
    keys: Sequence[int],
    randbelow: RandBelow,
    *,
    positions: Iterable[int] | None = None,
) -> list[int]:
    """Swap entries until as few neighbours as possible are of one group; entries at `pins` stay.

    This minimum is nearly always reached, unless one group has most entries.

    Args:
        randbelow: called once for each swap, with the number of best partners.
        positions: check only these, each once. None checks all, until there are as few pairs as are possible
            without pins, or no swap helps.

    Cost: O(n) for each checked entry of a pair.
    """
    result = list(order)
    groups = [keys[entry] for entry in result]
    staying = frozenset(pins)
    free = [at for at in range(len(result)) if at not in staying]
    if positions is not None:
        for at in sorted(positions):
            if at not in staying and _is_paired(groups, at):
                _swap(result, groups, at, free, randbelow)
        return result
    fewest = fewest_repeats(groups)
    surplus = repeats(groups) - fewest
    # Groups in which no entry has had a partner since the last swap; only used for many pairs.
    hopeless: set[int] = set()
    at = 0
    while surplus > 0 and at < len(free):
        position = free[at]
        at += 1
        if groups[position] not in hopeless and _is_paired(groups, position):
            group = groups[position]
            gain = _swap(result, groups, position, free, randbelow)
            surplus -= gain
            if gain:
                hopeless.clear()
                at = 0
            elif fewest:
                hopeless.add(group)
    return result


def part_on_ring(ring: Sequence[int], keys: Sequence[int], within: Sequence[int]) -> list[int]:
    """Move entries of a ring until no neighbours are of one subgroup, where that is possible.

    The second entry of each such pair moves to the nearest position where it makes no neighbours of one group
    or subgroup, later ones first.

    Draws: none. Cost: O(n), and for each move its distance, O(n) in all.
    """
    result = list(ring)
    groups: list[int | None] = [keys[entry] for entry in ring]
    _part(result, groups, [within[entry] for entry in ring], frozenset())
    return result


def part_in_order(
    order: Sequence[int], pins: Collection[int], keys: Sequence[int], within: Sequence[int]
) -> list[int]:
    """Do the same for an order, whose ends are not neighbours; entries at `pins` stay."""
    result = list(order)
    groups = [*(keys[entry] for entry in order), None]
    _part(result, groups, [*(within[entry] for entry in order), None], frozenset(pins))
    return result


def _part(
    ring: list[int], groups: list[int | None], subgroups: list[int | None], pins: Collection[int]
) -> None:
    """Move in all three lists; between both ends of an order, groups and subgroups have None."""
    tries = _TRIES + _TRIES_PER_ENTRY * len(ring)
    hopeless = set[int | None]()
    at = 0
    while at < len(ring):
        group, subgroup = groups[at], subgroups[at]
        is_free = groups[at - 1] != groups[(at + 1) % len(groups)] and at not in pins
        if subgroups[at - 1] != subgroup or subgroup in hopeless or not is_free:
            at += 1
            continue
        target = at
        for target in itertools.islice(_targets(at, len(groups), pins), max(tries, 0)):
            if subgroup not in (subgroups[target - 1], subgroups[target]) and group not in (
                groups[target - 1],
                groups[target],
            ):
                break
        else:
            hopeless.add(subgroup)
            tries -= len(ring)
            continue
        tries -= abs(target - at)
        ring.insert(target - (target > at), ring.pop(at))
        groups.insert(target - (target > at), groups.pop(at))
        subgroups.insert(target - (target > at), subgroups.pop(at))
        at += target < at


def _targets(at: int, end: int, pins: Collection[int]) -> Iterator[int]:
    """Yield positions before which an entry can be inserted without a move of pins, nearest ones first."""
    for target in range(at + 2, end):
        if target - 1 in pins:
            break
        yield target
    for target in range(at - 1, -1, -1):
        if target in pins:
            break
        yield target


def _is_paired(groups: Sequence[int], at: int) -> bool:
    if not 0 <= at < len(groups):
        return False
    return groups[at] in groups[max(at - 1, 0) : at] or groups[at] in groups[at + 1 : at + 2]


def _move(result: list[int], groups: list[int], at: int, first: int, randbelow: RandBelow) -> int:
    entry, group = result.pop(at), groups.pop(at)
    target = first + randbelow(len(result) - first + 1)
    if group in groups[max(target - 1, 0) : target + 1]:
        around = zip([None, *groups][first:], [*groups, None][first:], strict=True)
        free = [first + at for at, between in enumerate(around) if group not in between]
        if not free:
            result.insert(at, entry)
            groups.insert(at, group)
            return 0
        target = free[randbelow(len(free))]
    is_split = 0 < target < len(groups) and groups[target - 1] == groups[target]
    result.insert(target, entry)
    groups.insert(target, group)
    return 1 + is_split


def _swap(result: list[int], groups: list[int], at: int, free: Sequence[int], randbelow: RandBelow) -> int:
    gains = [_gain(groups, at, partner) for partner in free]
    best_gain = max(gains)
    if best_gain <= 0:
        return 0
    best = [partner for partner, gain in zip(free, gains, strict=True) if gain == best_gain]
    partner = best[randbelow(len(best))]
    result[at], result[partner] = result[partner], result[at]
    groups[at], groups[partner] = groups[partner], groups[at]
    return best_gain


def _gain(groups: list[int], first: int, second: int) -> int:
    last = len(groups) - 1
    starts = [start for start in {first - 1, first, second - 1, second} if 0 <= start < last]
    before = sum(groups[start] == groups[start + 1] for start in starts)
    groups[first], groups[second] = groups[second], groups[first]
    after = sum(groups[start] == groups[start + 1] for start in starts)
    groups[first], groups[second] = groups[second], groups[first]
    return before - after
