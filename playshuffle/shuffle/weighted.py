"""Shuffle by weight: heavier entries tend to come earlier."""

import math
from collections.abc import Sequence

from playshuffle.shuffle.chance import RandBelow, unreduced

_LIGHTEST, _HEAVIEST = 1e-100, 1e100
_REALS = 1 << 53
_MASK = _REALS - 1  # `number & _MASK` is `number % _REALS`, and faster
_STEP = 2.0**-53


def weighted(order: Sequence[int], weights: Sequence[float], randbelow: RandBelow) -> list[int]:
    """Shuffle so that an entry of greater weight tends to come early.

    Each position goes to one of the remaining entries, with a chance in proportion to its weight.
    Equal weights make all n! orders equally likely. Weights are from 1e-100 to 1e100.

    Draws: n, with bound 2**53. Cost: O(n log n).

    Raises:
        ValueError: a weight is out of bounds, or not a number.

    Source: Efraimidis and Spirakis, Information Processing Letters 97 (2006) 181-185.
    """
    entry_weights = [weights[entry] for entry in order]
    wrong = [entry for entry in order if not _LIGHTEST <= weights[entry] <= _HEAVIEST]
    if wrong:
        raise ValueError(f"weight {weights[wrong[0]]} of entry {wrong[0]} is not within 1e-100 to 1e100")
    log = math.log
    numbers = unreduced(randbelow, [_REALS] * len(order))
    # Uniform over (0, 1]: 0 has no logarithm.
    earliness = [
        log(((number & _MASK) + 1) * _STEP) / weight
        for number, weight in zip(numbers, entry_weights, strict=True)
    ]
    return [order[at] for at in sorted(range(len(order)), key=earliness.__getitem__, reverse=True)]
