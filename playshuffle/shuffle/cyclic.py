"""Shuffle so that no entry keeps its position (Sattolo)."""

from collections.abc import Sequence

from playshuffle.shuffle.chance import RandBelow, unreduced


def sattolo(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle so that no entry keeps its position.

    Uniform over the (n-1)! orders that move all n entries in one cycle. With the last order as input, no
    entry has the same position twice in a row. With n odd, repeated shuffles reach only half of all n!
    orders; with n even, each shuffle changes to the other half.

    Draws: n-1, with bounds n-1, n-2, …, 1. Cost: O(n).

    Source: Sattolo, Information Processing Letters 22 (1986) 315-317.
    """
    shuffled = list(order)
    position = len(shuffled) - 1
    for number in unreduced(randbelow, range(position, 0, -1)):
        partner = number % position
        shuffled[position], shuffled[partner] = shuffled[partner], shuffled[position]
        position -= 1
    return shuffled
