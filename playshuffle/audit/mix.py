"""Measure how a playlist is mixed: repeats of artists and albums, tracks left in path order.

`keys[n]` is the group of the n-th entry.
"""

import itertools
import operator
import statistics
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from playshuffle.shuffle import Seeded, durstenfeld, fewest_repeats, nearest, repeats, spread

_GUESSES = 10_000  # more take long, and change little
_LISTS, _TRACKS = 20, 20_000  # maximum numbers of lists and tracks to compare with


class Guesses(NamedTuple):
    """How predictable a playlist is, and means of the same tracks in new `spread` and random orders."""

    here: float
    spread: float
    by_chance: float


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
    by_path = [keys[index] for index in sorted(range(len(paths)), key=paths.__getitem__)]
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


def successors(paths: Sequence[bytes]) -> int:
    """Count the entries that follow the same track as if the entries were sorted by path."""
    ranks = {path: rank for rank, path in enumerate(sorted(set(paths)))}
    return sum(ranks[after] - ranks[before] == 1 for before, after in pairwise(paths))


def guesses(keys: Sequence[int]) -> Guesses:
    """Measure how predictable a playlist is, beside new orders from a fixed seed."""
    draw, tracks = Seeded("guesses"), range(len(keys))
    lists = range(min(_LISTS, _TRACKS // max(len(keys), 1)) + 1)
    spread_orders = [spread(tracks, keys, draw) for _ in lists]
    random_orders = [durstenfeld(tracks, draw) for _ in lists]
    means = (
        statistics.mean(predictable([keys[index] for index in order]) for order in orders)
        for orders in (spread_orders, random_orders)
    )
    return Guesses(predictable(keys), *means)


def predictable(keys: Sequence[int]) -> float:
    """Return how often a listener who names the group that is most due is right, from 0 to 1.

    A group of m entries is due n/m plays after its last one, and n/2m plays after the start. The listener
    knows how many entries of each group are left, and guesses in the last two thirds of the list. Of several
    groups of one size that were not played yet, he guesses any.
    """
    count, sizes, right, guesses = len(keys), Counter(keys), 0.0, 0
    left = dict(sizes)
    # For each size, the groups that have entries left: unplayed ones, and others with their last position,
    # the oldest first.
    unplayed = {size: {key for key in sizes if sizes[key] == size} for size in set(sizes.values())}
    played: dict[int, dict[int, int]] = {size: {} for size in unplayed}
    step = -(-count // _GUESSES)
    for position, key in enumerate(keys):
        if position >= count // 3 and position % step == 0:
            due = [(position * size + count / 2, size, groups) for size, groups in unplayed.items() if groups]
            due += [
                ((position - last[oldest]) * size, size, {oldest})
                for size, last in played.items()
                for oldest in itertools.islice(last, 1)
            ]
            *_, most_due = max(due, key=operator.itemgetter(0, 1))
            right += (key in most_due) / len(most_due)
            guesses += 1
        size = sizes[key]
        left[key] -= 1
        unplayed[size].discard(key)
        played[size].pop(key, None)
        if left[key]:
            played[size][key] = position
    return right / max(guesses, 1)
