"""Shuffle uniformly: each of the n! orders is equally likely.

Use `durstenfeld`. The other functions extend an order, are for comparison, or show another way. "Knuth" is
The Art of Computer Programming 2, section 3.4.2.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence

from playshuffle.shuffle.chance import RandBelow, draws, unreduced
from playshuffle.shuffle.deals import deal

Shuffle = Callable[[Sequence[int], RandBelow], list[int]]

_TABLE_LIMIT = 8


def durstenfeld(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle by swapping each position, from the last down, with itself or an earlier one.

    Draws: n-1, with bounds n, n-1, …, 2. Cost: O(n).

    Source: Durstenfeld, Communications of the ACM 7 (1964), algorithm 235; Knuth, algorithm P.
    """
    shuffled = list(order)
    position = len(shuffled)
    for number in unreduced(randbelow, range(position, 1, -1)):
        partner = number % position
        position -= 1
        shuffled[position], shuffled[partner] = shuffled[partner], shuffled[position]
    return shuffled


def forward_durstenfeld(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle as Durstenfeld does, but from the first position up.

    The first k positions are final after k draws. Position k is swapped with position k + draw.

    Draws: n-1, with bounds n, n-1, …, 2. Cost: O(n).
    """
    return deal(order, len(order), randbelow)[0]


def fisher_yates(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle as with pencil and paper: strike out a random entry, write it down, repeat.

    Draws: n-1, with bounds n, n-1, …, 2. Cost: O(n²).

    Source: Fisher and Yates, Statistical Tables (1938), 'random numbers'.
    """
    remaining = list(order)
    shuffled = [remaining.pop(number) for number in draws(randbelow, range(len(remaining), 1, -1))]
    return shuffled + remaining


def inside_out(arrivals: Iterable[int], randbelow: RandBelow) -> list[int]:
    """Shuffle entries as they arrive, without knowing their number.

    After each arrival, all orders of the entries so far are equally likely.

    Draws: one for each arrival, with bounds 1, 2, …, n. Cost: O(1) for each arrival.

    Source: Knuth.
    """
    shuffled: list[int] = []
    for entry in arrivals:
        position = randbelow(len(shuffled) + 1)
        shuffled.append(entry)
        shuffled[position], shuffled[-1] = entry, shuffled[position]
    return shuffled


def by_keys(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle by giving each entry a random key and sorting.

    Equal keys would bias the order, so all keys are drawn again.

    Draws: n with bound n³; again with probability below 1/n. Cost: O(n log n).

    Source: Knuth.
    """
    count = len(order)
    while True:
        keys = list(draws(randbelow, [count**3] * count))
        if len(set(keys)) == count:
            return [order[position] for position in sorted(range(count), key=keys.__getitem__)]


def insertion(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle by inserting each entry at a random position among those before it.

    Draws: n-1, with bounds 2, 3, …, n. Cost: O(n²) shifts.

    Source: Knuth.
    """
    shuffled = list(order[:1])
    for entry, position in zip(order[1:], draws(randbelow, range(2, len(order) + 1)), strict=True):
        shuffled.insert(position, entry)
    return shuffled


def top_in_at_random(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle as by hand: insert the top entry at a random position, until the first bottom entry was.

    Uniform with this stopping rule, but not after a fixed number of moves.

    Draws: n·(1 + 1/2 + … + 1/n) on average, with bound n. Cost: O(n² log n) shifts.

    Source: Aldous and Diaconis, American Mathematical Monthly 93 (1986) 333-348.
    """
    shuffled = list(order)
    if len(shuffled) < 2:
        return shuffled
    bottom, top = shuffled[-1], None
    while top != bottom:
        top = shuffled.pop(0)
        shuffled.insert(randbelow(len(order)), top)
    return shuffled


def from_table(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle by drawing one row from the table of all n! permutations.

    Draws: one, with bound n!. Cost: O(n!) memory, kept for the next call.

    Raises:
        ValueError: there are more than 8 entries.
    """
    if len(order) > _TABLE_LIMIT:
        raise ValueError(f"a table of {len(order)}! permutations is too large")
    row = _table(len(order))[randbelow(math.factorial(len(order)))]
    return [order[position] for position in row]


@functools.cache
def _table(count: int) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(count)))
