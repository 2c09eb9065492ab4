"""Measure how a playlist is mixed: repeats of artists and albums, tracks left in path order.

`keys[n]` is the group of the n-th entry.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from playshuffle.shuffle import fewest_repeats, repeats


class Mix(NamedTuple):
    """How often entries of one group are neighbours, and how close they come.

    Attributes:
        in_path_order: `neighbours` of the playlist sorted by path.
        nearest: minimum plays from an entry to the next one of its group; None if no group has two entries.
    """

    neighbours: int
    fewest_possible: int
    uniform_mean: float
    in_path_order: int
    nearest: int | None
    nearest_in_path_order: int | None


def mix(paths: Sequence[bytes], keys: Sequence[int]) -> Mix:
    """Measure how the groups of a playlist are mixed."""
    by_path = [keys[at] for at in sorted(range(len(paths)), key=paths.__getitem__)]
    return Mix(
        repeats(keys),
        fewest_repeats(keys),
        float(neighbours_by_chance(keys)),
        repeats(by_path),
        nearest(keys),
        nearest(by_path),
    )


def neighbours_by_chance(keys: Sequence[int]) -> Fraction:
    """Return the mean number of repeats in a uniform order.

    It is the sum of m(m-1)/n over the groups of m entries: each of the n-1 pairs of neighbours is one of
    n(n-1) ordered pairs, and m(m-1) of these are of one group.
    """
    pairs = sum(size * (size - 1) for size in Counter(keys).values())
    return Fraction(pairs, max(len(keys), 1))


def nearest(keys: Sequence[int]) -> int | None:
    """Return the minimum plays from an entry to the next one of its group, if a group has two entries."""
    last: dict[int, int] = {}
    shortest = None
    for position, key in enumerate(keys):
        if key in last and (shortest is None or position - last[key] < shortest):
            shortest = position - last[key]
        last[key] = position
    return shortest


def successors(paths: Sequence[bytes]) -> int:
    """Count the entries that follow the same track as if the entries were sorted by path."""
    ranks = {path: rank for rank, path in enumerate(sorted(set(paths)))}
    return sum(ranks[after] - ranks[before] == 1 for before, after in pairwise(paths))
