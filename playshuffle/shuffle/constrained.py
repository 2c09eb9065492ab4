"""Shuffle an order while some entries keep their position."""

from collections.abc import Collection, Sequence

from playshuffle.shuffle.chance import RandBelow
from playshuffle.shuffle.uniform import Shuffle


def pinned(order: Sequence[int], pins: Collection[int], shuffle: Shuffle, randbelow: RandBelow) -> list[int]:
    """Keep the entries at the pinned positions; shuffle the others.

    `shuffle` gets the other entries in their order. Its result fills their positions.

    Raises:
        ValueError: a position is beyond the order.

    Cost: O(n), and the cost of `shuffle`.
    """
    staying = set(pins)
    beyond = [position for position in pins if not 0 <= position < len(order)]
    if beyond:
        raise ValueError(f"pinned beyond an order of {len(order)}: {beyond}")
    free = [position for position in range(len(order)) if position not in staying]
    return _rearranged(order, free, shuffle, randbelow)


def part(order: Sequence[int], positions: range, shuffle: Shuffle, randbelow: RandBelow) -> list[int]:
    """Shuffle some positions of a longer order: a run of them, or every k-th.

    `positions` is `range(start, start + count * stride, stride)`, within 0 to n-1.

    Raises:
        ValueError: positions are beyond the order.

    Cost: O(n), and the cost of `shuffle`.
    """
    if any(not 0 <= position < len(order) for position in (*positions[:1], *positions[-1:])):
        raise ValueError(f"{positions} reaches beyond an order of {len(order)}")
    return _rearranged(order, positions, shuffle, randbelow)


def behind(order: Sequence[int], late: Collection[int], shuffle: Shuffle, randbelow: RandBelow) -> list[int]:
    """Shuffle late entries and all others separately, and put the late ones last.

    `shuffle` is called for the others first. Late entries that are not in the order are ignored.

    Cost: O(n), and the cost of `shuffle` over both parts.
    """
    first = shuffle([entry for entry in order if entry not in late], randbelow)
    return first + shuffle([entry for entry in order if entry in late], randbelow)


def semi_shuffle(order: Sequence[int], group: int, skip: int, randbelow: RandBelow) -> list[int]:
    """Shuffle only in part: by so few swaps that the old order still shows.

    Makes ⌊n/2⌋ swaps, less `skip` (0 or more) for every position divisible by `group` (1 or more). Each
    swap exchanges two positions drawn from all n; they may be equal.

    Draws: two with bound n for each swap.

    Raises:
        ValueError: the group is below 1, or the skip below 0.

    Cost: O(n).
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
    shuffled = list(order)
    entries = shuffle([order[position] for position in positions], randbelow)
    for position, entry in zip(positions, entries, strict=True):
        shuffled[position] = entry
    return shuffled
