"""Show a shuffle step by step: `playshuffle trace`."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from playshuffle.audit import trace_steps
from playshuffle.audit.trace_steps import Traced
from playshuffle.cli.common_options import option
from playshuffle.cli.streams import print_lines
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.shuffle import Seeded, System
from playshuffle.text import known

EXAMPLES = """\b
Examples:
  playshuffle trace --order sattolo -n 10
  playshuffle trace --order random --draws 4,0,0,2,2,0
  playshuffle trace --order fisher-yates --draws 5,3,4,3,0,1

k is the position, from 0, that a draw fills. The draw is the position that
it is swapped with. For fisher-yates the draw is the number of the track,
among those left, that is struck out.
"""

_TRACKS, _MOST_TRACKS = 10, 1000


def trace(
    order: Annotated[
        str, option("--order NAME", "Order, such as sattolo", complete=lambda: [*trace_steps.TRACED])
    ] = "random",
    tracks: Annotated[int | None, option("--tracks -n N", f"Number of tracks. Default: {_TRACKS}")] = None,
    draws: Annotated[str | None, option("--draws 6,4,4,…", "Numbers to use. Default: random")] = None,
    seed: Annotated[str | None, option("--seed TEXT", "Make the draws repeatable")] = None,
) -> None:
    """Show a shuffle step by step.

    Each line has a draw, and the order after it.
    """
    traced = trace_steps.TRACED[known("order", order, trace_steps.TRACED)]
    if draws is not None and seed is not None:
        raise PlayshuffleError("--draws gives all numbers, so --seed has no effect. Remove either.")
    numbers = None if draws is None else _numbers(draws)
    count = (_TRACKS if numbers is None else len(numbers) + 1) if tracks is None else tracks
    if not 2 <= count <= _MOST_TRACKS:
        raise PlayshuffleError(f"-n must be a number from 2 to {_MOST_TRACKS}.")
    if numbers is None:
        numbers = trace_steps.drawn(traced, count, System() if seed is None else Seeded(seed))
    else:
        _check(traced, count, numbers)
    print_lines(_lines(traced, count, numbers))


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise PlayshuffleError(
            f"--draws must be numbers with commas between them, not '{shown(text)}'."
        ) from None


def _check(traced: Traced, count: int, draws: Sequence[int]) -> None:
    positions, allowed = trace_steps.positions(traced, count), trace_steps.allowed(traced, count)
    if len(draws) != len(positions):
        raise PlayshuffleError(
            f"--draws has {len(draws)} numbers, but {count} tracks need {len(positions)}, for"
            f" k={positions[0]} to {positions[-1]}."
        )
    for position, draw, may_be in zip(positions, draws, allowed, strict=True):
        if draw not in may_be:
            bounds = f"from {may_be[0]} to {may_be[-1]}" if len(may_be) > 1 else f"{may_be[0]}"
            raise PlayshuffleError(f"For k={position} the draw must be {bounds}, not {draw}.")


def _lines(traced: Traced, count: int, draws: Sequence[int]) -> Iterator[str]:
    width = len(str(count - 1))
    for step in trace_steps.steps(traced, count, draws):
        standing: list[int | str] = list(step.order)
        if traced.is_struck:
            placed = set(step.order)
            standing = ["-" if track in placed else track for track in range(count)]
            standing += ["", *step.order]
        yield (
            f"k={step.position:<{width}} draw {step.draw:<{width}}   "
            + " ".join(f"{track:>{width if track != '' else 0}}" for track in standing)
        )
