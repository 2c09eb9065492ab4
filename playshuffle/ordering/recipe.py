"""Define a recipe: how to arrange tracks, by order, pins, gap and limits."""

from typing import NamedTuple

from playshuffle.ordering.gap import Gap
from playshuffle.shuffle import Inside

LAST = "last"
HERE = "here"


class Pin(NamedTuple):
    """A pinned track. Its position is a number from 0, `LAST` or `HERE`."""

    track_index: int
    position: int | str


class Recipe(NamedTuple):
    """How to arrange tracks; None for an option that was not given.

    Attributes:
        group_count: number of whole groups in the playlist.
        group_by: the field whose groups are kept together, or apart; one of `groups.KEYS`.
        size: maximum bytes of all files, as on a stick.
        rests: (field, ms): how long a heard track rests, with all tracks that share its value of the field.
        resting: indices of the resting tracks; found later, as are the tracks of pins.
    """

    order_name: str = "random"
    pins: tuple[Pin, ...] = ()
    limit: int | None = None
    time_ms: int | None = None
    group_count: int | None = None
    size: int | None = None
    group_by: str | None = None
    inside: Inside | None = None
    gap: Gap | None = None
    rests: tuple[tuple[str | None, int], ...] = ()
    resting: frozenset[int] = frozenset()

    @property
    def full_name(self) -> str:
        """Return the order and its field, as in "groups by genre"."""
        options = {"by": self.group_by, "inside": self.inside}
        return " ".join(
            [self.order_name, *(f"{key} {value}" for key, value in options.items() if value is not None)]
        )
