"""Trace a shuffle step by step: the positions of all tracks after each draw.

After a swap, the rest of a shuffle is a shuffle of the same kind over fewer positions. So each step runs the
shuffle to its end, and then undoes the later draws.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from playshuffle.shuffle import RandBelow, Shuffle, durstenfeld, fisher_yates, forward_durstenfeld, sattolo


class Traced(NamedTuple):
    """A shuffle that can be shown step by step.

    Attributes:
        is_forward: positions become final from the first one up.
        is_struck: the drawn track is struck out and written down; nothing is swapped.
    """

    shuffle: Shuffle
    is_forward: bool = False
    is_struck: bool = False


class Step(NamedTuple):
    """One draw, and its effect.

    Attributes:
        draw: the position to swap with, or the index of the struck-out track among the remaining ones.
        order: all tracks after the draw, or the tracks written down so far.
    """

    position: int
    draw: int
    order: list[int]


TRACED = {
    "random": Traced(durstenfeld),
    "forward": Traced(forward_durstenfeld, is_forward=True),
    "sattolo": Traced(sattolo),
    "fisher-yates": Traced(fisher_yates, is_forward=True, is_struck=True),
}


def drawn(traced: Traced, tracks: int, randbelow: RandBelow) -> list[int]:
    """Return the draws of one shuffle, as `steps` takes them."""
    numbers: list[int] = []

    def noting(bound: int) -> int:
        numbers.append(randbelow(bound))
        return numbers[-1]

    traced.shuffle(range(tracks), noting)
    return [draw + first for draw, first in zip(numbers, _firsts(traced, tracks), strict=True)]


def allowed(traced: Traced, tracks: int) -> list[range]:
    """Return the range that each draw must be in."""
    # The smallest and the largest draws. No bound depends on the draws before.
    least, most = (drawn(traced, tracks, draw) for draw in (lambda _: 0, lambda bound: bound - 1))
    return [range(first, last + 1) for first, last in zip(least, most, strict=True)]


def positions(traced: Traced, tracks: int) -> range:
    """Return the position that each draw fills."""
    return range(tracks - 1) if traced.is_forward else range(tracks - 1, 0, -1)


def steps(traced: Traced, tracks: int, draws: Sequence[int]) -> Iterator[Step]:
    """Yield the effect of each draw; each draw must be `allowed`."""
    raw = [draw - first for draw, first in zip(draws, _firsts(traced, tracks), strict=True)]
    for placed_count, (position, draw) in enumerate(zip(positions(traced, tracks), draws, strict=True), 1):
        left_count = tracks - placed_count
        rest = [0] * (left_count - 1)
        order = traced.shuffle(range(tracks), _replay(raw[:placed_count] + rest))
        if traced.is_struck:
            order = order[:placed_count]
        else:
            start = placed_count if traced.is_forward else 0
            end_part = order[start : start + left_count]
            for track, origin in zip(end_part, traced.shuffle(range(left_count), _replay(rest)), strict=True):
                order[start + origin] = track
        yield Step(position, draw, order)


def _firsts(traced: Traced, tracks: int) -> Sequence[int]:
    swaps_ahead = traced.is_forward and not traced.is_struck
    return range(tracks - 1) if swaps_ahead else [0] * (tracks - 1)


def _replay(draws: Sequence[int]) -> Callable[[int], int]:
    waiting = iter(draws)
    return lambda _: next(waiting)
