"""Find orders that other packages define, and check what they return.

A package defines an order by an entry point of the group `playshuffle.orders`: its name is the name
of the order, its value is a function as `PluginOrder` describes it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.shuffle import RandBelow, Shuffle
from playshuffle.tags.reading import Tags

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "playshuffle.orders"


class Track(NamedTuple):
    """What an order of another package sees of a track; tags that are missing are empty or None."""

    path: str
    tags: Tags


# The tracks to arrange and the source of draws -> the positions of these tracks, each once, in the new order.
PluginOrder = Callable[[Sequence[Track], RandBelow], Iterable[int]]


@cache
def find(name: str) -> "EntryPoint | None":
    """Return the entry point of an order; None if no package defines it."""
    from importlib.metadata import entry_points  # takes as long as all of `make` on a small folder

    return next(iter(entry_points(group=GROUP, name=name)), None)


def names() -> list[str]:
    """Return the names of all orders that other packages define, sorted."""
    from importlib.metadata import entry_points

    return sorted({point.name for point in entry_points(group=GROUP)})


def package(name: str) -> str:
    """Return the name of the package that defines an order."""
    point = find(name)
    return point.dist.name if point is not None and point.dist is not None else "another package"


@cache
def load(name: str) -> PluginOrder:
    """Import the function of an order.

    Raises:
        PlayshuffleError: there is none, or it can't be imported.
    """
    point = find(name)
    if point is None:
        raise PlayshuffleError(
            f"No package defines the order '{shown(name)}'. Install its package again.", Exit.USAGE
        )
    try:
        function = point.load()
    except Exception as error:  # the code of somebody else may raise anything
        raise _failed(name, f"can't be loaded: {_text(error)}") from error
    if not callable(function):
        raise _failed(name, "is not a function")
    order: PluginOrder = function
    return order


def summary(name: str) -> str:
    """Return the first line of what the function of an order says of itself."""
    return shown((load(name).__doc__ or "").strip().partition("\n")[0]).rstrip(".")


def shuffle_by(name: str, tracks: Sequence[Track]) -> Shuffle:
    """Return an order of another package as a shuffle of these tracks; it raises PlayshuffleError."""
    function = load(name)

    def shuffle(order: Sequence[int], randbelow: RandBelow) -> list[int]:
        try:
            positions = list(function([tracks[index] for index in order], randbelow))
            is_complete = len(positions) == len(order) and set(positions) == set(range(len(order)))
        except Exception as error:
            raise _failed(name, f"failed: {_text(error)}") from error
        if not is_complete:
            raise _failed(
                name,
                f"returned {len(positions):,} positions for {len(order):,} tracks, not each track once",
            )
        return [order[position] for position in positions]

    return shuffle


def _failed(name: str, problem: str) -> PlayshuffleError:
    return PlayshuffleError(
        f"The order '{shown(name)}' of the package {shown(package(name))} {problem}.", Exit.LOSSES
    )


def _text(error: Exception) -> str:
    return shown(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
