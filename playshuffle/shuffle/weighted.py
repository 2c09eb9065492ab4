"""Orders by weight: an order and a weight for each entry in, one that favours the heavy out."""

import math
from collections.abc import Sequence

from playshuffle.shuffle.chance import RandBelow, draws

_LIGHTEST, _HEAVIEST = 1e-100, 1e100
_REALS = 1 << 53


def weighted(order: Sequence[int], weights: Sequence[float], randbelow: RandBelow) -> list[int]:
    """Shuffle so that an entry of greater weight tends to come early.

    Each place goes to one of the entries left with a probability in proportion to its weight
    (as exact as 53 bits are); equal weights make all n! orders equally likely.

    Args:
        order: n distinct indices; not changed.
        weights: `weights[entry]`, from 1e-100 to 1e100.
        randbelow: drawn from n times, with bound 2**53.

    Returns:
        A new list of the same entries.

    Raises:
        ValueError: for a weight that is out of bounds, or not a number.

    Cost: O(n log n).

    Source: Efraimidis and Spirakis, Information Processing Letters 97 (2006) 181-185.
    """
    lateness = []
    for entry, drawn in zip(order, draws(randbelow, [_REALS] * len(order)), strict=True):
        if not _LIGHTEST <= weights[entry] <= _HEAVIEST:
            raise ValueError(f"weight {weights[entry]} of entry {entry} is not within 1e-100 to 1e100")
        # Uniform over (0, 1]: 0 has no logarithm.
        lateness.append(-math.log((drawn + 1) / _REALS) / weights[entry])
    return [order[place] for place in sorted(range(len(order)), key=lateness.__getitem__)]
