"""Shuffle an order while some entries keep their position."""

from collections.abc import Collection, Sequence

from playshuffle.shuffle.chance import RandBelow
from playshuffle.shuffle.uniform import Shuffle


def pinned(order: Sequence[int], pins: Collection[int], shuffle: Shuffle, randbelow: RandBelow) -> list[int]:
    """Shuffle all entries but those at the pinned positions, in any way.

    The others are to the positions left what `shuffle` makes of an order of that length.

    Args:
        order: n distinct indices; not changed.
        pins: positions, 0 to n-1, whose entries stay.
        shuffle: what is done to the others, handed over in their order.
        randbelow: handed to `shuffle`.

    Returns:
        A new list of the same entries; with all positions pinned the same order.

    Raises:
        ValueError: for a position beyond the order.

    Cost: O(n), and that of `shuffle`.

    Source: none; the oldest form is to tell a shuffle that it has fewer entries.
    """
    staying = set(pins)
    beyond = [position for position in pins if not 0 <= position < len(order)]
    if beyond:
        raise ValueError(f"pinned beyond an order of {len(order)}: {beyond}")
    free = [position for position in range(len(order)) if position not in staying]
    return _rearranged(order, free, shuffle, randbelow)


def part(order: Sequence[int], positions: range, shuffle: Shuffle, randbelow: RandBelow) -> list[int]:
    """Shuffle some positions of a longer order among themselves: a run of them, or every so-many-th.

    The entries there are to those positions what `shuffle` makes of an order of that length.

    Args:
        order: n distinct indices; not changed.
        positions: `range(start, start + count * stride, stride)`, within 0 to n-1.
        shuffle: what is done to the entries at those positions.
        randbelow: handed to `shuffle`.

    Returns:
        A new list of the same entries; with no or one position the same order.

    Raises:
        ValueError: for positions beyond the order.

    Cost: O(n) to copy, and that of `shuffle` over the positions alone.

    Source: none.
    """
    if any(not 0 <= position < len(order) for position in (*positions[:1], *positions[-1:])):
        raise ValueError(f"{positions} reaches beyond an order of {len(order)}")
    return _rearranged(order, positions, shuffle, randbelow)


def behind(order: Sequence[int], late: Collection[int], shuffle: Shuffle, randbelow: RandBelow) -> list[int]:
    """Shuffle some entries behind all others, each part in the same way.

    Args:
        order: n distinct indices; not changed.
        late: the entries that come behind the others; those that are not in the order do not count.
        shuffle: called with the others first, then with the late ones, each in their order.
        randbelow: handed to `shuffle`.

    Returns:
        A new list of the same entries.

    Cost: O(n), and that of `shuffle` over each part.

    Source: none.
    """
    first = shuffle([entry for entry in order if entry not in late], randbelow)
    return first + shuffle([entry for entry in order if entry in late], randbelow)


def semi_shuffle(order: Sequence[int], group: int, skip: int, randbelow: RandBelow) -> list[int]:
    """Shuffle by halves: so few swaps that the old order still shows.

    Makes ⌊n/2⌋ swaps, less `skip` for every position divisible by `group` (52 entries, group
    13, skip 3: twelve fewer). Each swaps two positions drawn from all n, which may be one.

    Args:
        order: n distinct indices; not changed.
        group: how many positions apart swaps are left out, 1 or more.
        skip: how many are left out there, 0 or more; with 0 the group means nothing.
        randbelow: drawn from twice for each swap, with bound n.

    Returns:
        A new list of the same entries; for n < 2 the same order.

    Raises:
        ValueError: for a group below 1 or a skip below 0.

    Cost: O(n).

    Source: none.
    """
    if group < 1 or skip < 0:
        raise ValueError(f"no swaps can be left out with group {group} and skip {skip}")
    shuffled = list(order)
    count = len(shuffled)
    for _ in range(count // 2 - skip * -(-count // group)):
        first, second = randbelow(count), randbelow(count)
        shuffled[first], shuffled[second] = shuffled[second], shuffled[first]
    return shuffled


def _rearranged(
    order: Sequence[int], positions: Sequence[int], shuffle: Shuffle, randbelow: RandBelow
) -> list[int]:
    """Shuffle the entries at the positions given, in the order of these positions."""
    shuffled = list(order)
    entries = shuffle([order[position] for position in positions], randbelow)
    for position, entry in zip(positions, entries, strict=True):
        shuffled[position] = entry
    return shuffled
