"""Define the guarantees of orders, such as the probability of each track at each position."""

import math
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from playshuffle.shuffle import fewest_repeats, repeats

# chances[track][position]; each row and each column sums to 1.
Chances = list[list[float]]


class Guarantee(NamedTuple):
    """A promise about an order of the tracks 0, 1, 2, ….

    Attributes:
        bits: log2 of the number of possible orders; None if unknown.
        freedom: degrees of freedom of the chi-square sum; None if they must be measured.
        rule: a clause that is true of each single order.
        keeps: returns whether an order keeps the rule.
        counted: converts an order to one whose positions are counted; None counts the order itself.
    """

    words: str
    chances: Chances
    bits: float | None = None
    freedom: int | None = None
    rule: str = ""
    keeps: Callable[[Sequence[int]], bool] | None = None
    counted: Callable[[Sequence[int]], list[int]] | None = None


def uniform(count: int) -> Guarantee:
    """Guarantee that every order is equally likely."""
    return Guarantee(
        "every track equally likely at every position",
        [[1 / count] * count] * count,
        _factorial_bits(count),
        (count - 1) ** 2,
    )


def one_ring(count: int) -> Guarantee:
    """Guarantee that all orders that move the tracks in one cycle are equally likely, as by Sattolo."""
    chances = [[1 / (count - 1)] * count for _ in range(count)]
    for track, row in enumerate(chances):
        row[track] = 0.0

    def keeps(order: Sequence[int]) -> bool:
        length, position = 1, order[0]
        while position:
            length, position = length + 1, order[position]
        return length == count

    return Guarantee(
        "no track keeps its position, every other position equally likely",
        chances,
        _factorial_bits(count - 1),
        # n² - n cells, with known sums of rows and columns, one of which follows from the others.
        count * count - 3 * count + 1,
        "all tracks change positions in one ring",
        keeps,
    )


def gap(count: int, plays: int) -> Guarantee:
    """Return the guarantee of a gap of `plays`: the tracks allowed at a position are equally likely there."""
    free = [min(count - plays + 1, count - position) for position in range(count)]
    chances = []
    for track in range(count):
        row = [0.0] * count
        waiting = 1.0
        for position in range(max(0, track - count + plays), count):
            row[position] = waiting / free[position]
            waiting -= row[position]
        chances.append(row)
    return Guarantee(
        f"no track returns before {plays} plays, every order that keeps to this equally likely",
        chances,
        sum(map(math.log2, free)),
    )


def swapped(count: int, swaps: int) -> Guarantee:
    """Guarantee N swaps, each of two random positions."""
    untouched = (1 - 2 / count) ** swaps
    chances = [[(1 - untouched) / count] * count for _ in range(count)]
    for track, row in enumerate(chances):
        row[track] += untouched
    return Guarantee(
        f"{swaps} swaps: {chances[0][0]:.0%} of the tracks keep their position, the others go anywhere",
        chances,
    )


def apart(keys: Sequence[int]) -> Guarantee:
    """Guarantee the fewest neighbours of one group, if no group has more than half of the tracks."""
    fewest = fewest_repeats(keys)
    rule = "neighbours by one artist are as few as can be"
    return uniform(len(keys))._replace(
        bits=None,
        freedom=None,
        rule=rule,
        keeps=lambda order: repeats([keys[index] for index in order]) == fewest,
    )


def together(keys: Sequence[int]) -> Guarantee:
    """Guarantee whole blocks, each counted as one track; `keys` number blocks by first appearance."""
    count = max(keys) + 1

    def counted(order: Sequence[int]) -> list[int]:
        return list(dict.fromkeys(keys[track] for track in order))

    def keeps(order: Sequence[int]) -> bool:
        met = [keys[track] for track in order]
        starts = 1 + sum(one != other for one, other in pairwise(met))
        return starts == count and all(
            one < other for one, other in pairwise(order) if keys[one] == keys[other]
        )

    return uniform(count)._replace(
        words=f"each of {count} blocks, seen as one, equally likely at every position",
        rule="each block stays together and in its order",
        keeps=keeps,
        counted=counted,
    )


def among(count: int, positions: Collection[int]) -> Guarantee:
    """Guarantee a uniform shuffle of these positions only."""
    free = len(positions)
    chances = [
        [
            (1 / free if position in positions else 0.0) if track in positions else float(position == track)
            for position in range(count)
        ]
        for track in range(count)
    ]
    return Guarantee(
        f"{count - free} tracks keep their positions, the others equally likely at all that are left",
        chances,
        _factorial_bits(free),
        (free - 1) ** 2,
    )


def dealt(count: int, hand: int) -> Guarantee:
    """Guarantee a deal into the first `hand` positions; tracks behind them stay unless dealt."""
    chances = [[1 / count] * count for _ in range(hand)]
    for track in range(hand, count):
        row = [1 / count] * hand + [0.0] * (count - hand)
        row[track] = 1 - hand / count
        chances.append(row)
    return Guarantee(
        f"every track equally likely at each of the first {hand} positions; what is left is in no order",
        chances,
        _factorial_bits(count) - _factorial_bits(count - hand),
    )


def favoured(count: int, heavy: int, weight: int) -> Guarantee:
    """Guarantee weights: the first `heavy` tracks have this weight, all others 1."""
    light = count - heavy
    # heavy_chances[k]: probability that k heavy tracks are used; updated for one position at a time.
    heavy_chances = [1.0] + [0.0] * heavy
    heavy_row, light_row = [], []
    for position in range(count):
        after = [0.0] * (heavy + 1)
        heavy_here = 0.0
        for number, chance in enumerate(heavy_chances[: position + 1]):
            heavy_weight = weight * (heavy - number)
            share = heavy_weight / (heavy_weight + light - position + number) if chance else 0.0
            heavy_here += chance * share
            after[number] += chance * (1 - share)
            if share:
                after[number + 1] += chance * share
        heavy_chances = after
        heavy_row.append(heavy_here / heavy)
        light_row.append((1 - heavy_here) / light)
    return Guarantee(
        f"the first {heavy} tracks weigh {weight} times as much, and come early as often as that says",
        [heavy_row] * heavy + [light_row] * light,
        _factorial_bits(count),
    )


def _factorial_bits(count: int) -> float:
    return math.lgamma(count + 1) / math.log(2)
