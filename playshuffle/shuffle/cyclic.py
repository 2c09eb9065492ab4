"""Shuffle so that no entry keeps its position (Sattolo)."""

from collections.abc import Collection, Sequence

from playshuffle.shuffle.chance import RandBelow, unreduced
from playshuffle.shuffle.constrained import pinned


def sattolo(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle so that no entry keeps its position.

    Uniform over the (n-1)! orders that move all n entries in one cycle. Hand in the last
    order, and no entry stands at the same position twice running. With n odd such a chain
    reaches only half of all n! orders, with n even it changes between the halves; leaving
    an entry out of a round (`sattolo_without`) leads out of its half.

    Args:
        order: n distinct indices; not changed.
        randbelow: drawn from n-1 times, with bounds n-1, n-2, …, 1.

    Returns:
        A new list of the same entries; for n < 2 the same order.

    Cost: O(n).

    Source: Sattolo, Information Processing Letters 22 (1986) 315-317.
    """
    shuffled = list(order)
    position = len(shuffled) - 1
    for number in unreduced(randbelow, range(position, 0, -1)):
        partner = number % position
        shuffled[position], shuffled[partner] = shuffled[partner], shuffled[position]
        position -= 1
    return shuffled


def sattolo_without(order: Sequence[int], left_out: Collection[int], randbelow: RandBelow) -> list[int]:
    """Shuffle so that none but the entries left out keeps its position.

    Uniform over the (m-1)! orders that move the m other entries in one cycle.

    Args:
        order: n distinct indices; not changed.
        left_out: entries of the order that stay where they stand.
        randbelow: drawn from m-1 times, with bounds m-1, m-2, …, 1.

    Returns:
        A new list of the same entries; for m < 2 the same order.

    Raises:
        ValueError: for an entry left out that is not in the order.

    Cost: O(n).

    Source: Sattolo, as above.
    """
    position_of = {entry: position for position, entry in enumerate(order)}
    absent = [entry for entry in left_out if entry not in position_of]
    if absent:
        raise ValueError(f"not in the order: {absent}")
    return pinned(order, [position_of[entry] for entry in left_out], sattolo, randbelow)
