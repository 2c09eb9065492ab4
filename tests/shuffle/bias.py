"""How evenly a shuffle puts entries at positions, counted."""

import math
from collections.abc import Sequence

from playshuffle.shuffle import RandBelow, Shuffle


def excess(shuffle: Shuffle, count: int, rounds: int, randbelow: RandBelow) -> float:
    """By how many standard deviations the bias matrix is less even than chance makes it.

    Chi-square over count² cells, of which (count-1)² are free; since each round fills every
    row and column once, the sum is scaled by (count-1)/count. For a uniform shuffle the
    result is close to a standard normal draw: above 6 once in 10⁸ cases or so.
    """
    cells = [[0] * count for _ in range(count)]
    order: Sequence[int] = range(count)
    for _ in range(rounds):
        for position, entry in enumerate(shuffle(order, randbelow)):
            cells[entry][position] += 1
    expected = rounds / count
    chi_square = sum((seen - expected) ** 2 / expected for row in cells for seen in row)
    freedom = (count - 1) ** 2
    return (chi_square * (count - 1) / count - freedom) / math.sqrt(2 * freedom)
