"""Run a shuffle with every possible sequence of draws, and compute the probability of each order."""

import contextlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable
from fractions import Fraction
from typing import TypeVar

from playshuffle.shuffle import RandBelow, Seeded

T = TypeVar("T", bound=Hashable)


class TooManyDrawsError(Exception):
    """A run asked for more draws than the limit."""


def distribution(run: Callable[[RandBelow], T], draw_limit: int = 100) -> dict[T, Fraction]:
    """Return the exact probability of each result of `run`, which may draw from the given `randbelow`.

    Runs of more than `draw_limit` draws are omitted, so that the result sums to less than 1.
    """
    shares: defaultdict[T, Fraction] = defaultdict(Fraction)
    drawn: list[int] = []
    while True:
        bounds: list[int] = []

        def randbelow(bound: int, bounds: list[int] = bounds) -> int:
            assert bound >= 1
            if len(bounds) == draw_limit:
                raise TooManyDrawsError
            bounds.append(bound)
            if len(drawn) < len(bounds):
                drawn.append(0)
            return drawn[len(bounds) - 1]

        with contextlib.suppress(TooManyDrawsError):
            shares[run(randbelow)] += Fraction(1, math.prod(bounds))
        # Count up like an odometer whose wheels have these bounds.
        while drawn and drawn[-1] + 1 == bounds[len(drawn) - 1]:
            drawn.pop()
        if not drawn:
            return dict(shares)
        drawn[-1] += 1


def sampled(run: Callable[[RandBelow], T], seeds: int = 50) -> dict[T, Fraction]:
    """Return results of `run` with seeds, for a run with too many draws to try them all."""
    counts = Counter(run(Seeded(str(seed))) for seed in range(seeds))
    return {result: Fraction(count, seeds) for result, count in counts.items()}


def replay(*draws: int) -> RandBelow:
    """Return a `randbelow` that returns these draws, in order; another draw is an error."""
    waiting = iter(draws)

    def randbelow(bound: int) -> int:
        drawn = next(waiting)
        assert 0 <= drawn < bound
        return drawn

    return randbelow


def is_uniform_over(shares: dict[T, Fraction], members: Collection[T]) -> bool:
    """Return whether exactly these members have a probability, all the same one."""
    return set(shares) == set(members) and len(set(shares.values())) <= 1
