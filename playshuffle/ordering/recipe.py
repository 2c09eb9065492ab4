"""Define how to arrange: a recipe of order, pins, gap and limits."""

from typing import NamedTuple

from playshuffle.ordering.gap import Gap
from playshuffle.shuffle import Inside

LAST = "last"
HERE = "here"


class Pin(NamedTuple):
    """A track, as an index into the library, and the position it must have: from 0, or `LAST`, or `HERE`."""

    track_index: int
    position: int | str


class Recipe(NamedTuple):
    """How to arrange; None is what was not asked for.

    limit: maximum number of tracks. time_ms: maximum playing time.
    group_by: what is kept together, or apart: one of `groups.KEYS`.
    rest_ms: how long a track rests after it was heard. resting: indices of the tracks that do; like those of
    pins they are found out later.
    """

    order: str = "random"
    pins: tuple[Pin, ...] = ()
    limit: int | None = None
    time_ms: int | None = None
    group_by: str | None = None
    inside: Inside | None = None
    gap: Gap | None = None
    rest_ms: int | None = None
    resting: frozenset[int] = frozenset()

    @property
    def order_name(self) -> str:
        """The order and what it uses, as in "groups by genre"."""
        options = {"by": self.group_by, "inside": self.inside}
        return " ".join(
            [self.order, *(f"{key} {value}" for key, value in options.items() if value is not None)]
        )
