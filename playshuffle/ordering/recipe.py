"""Define how to arrange: a recipe of order, pins, gap, part and limits."""

import re
from typing import NamedTuple

from playshuffle.errors import OptionError
from playshuffle.ordering.gap import Gap
from playshuffle.shuffle import Inside

LAST = "last"
HERE = "here"

# Compiled where it is used, which is rare.
_PART = r"([0-9]{1,9}):([0-9]{1,9})(?::([0-9]{1,9}))?"


class Pin(NamedTuple):
    """A track, as an index into the library, and the position it must have: from 0, or `LAST`, or `HERE`."""

    track_index: int
    position: int | str


class Recipe(NamedTuple):
    """How to arrange; None is what was not asked for.

    limit: maximum number of tracks. time_ms: maximum playing time.
    group_by: what is kept together, or apart: one of `groups.KEYS`.
    part: the positions that are shuffled, from 0.
    rest_ms: how long a track rests after it was heard. resting: indices of the tracks that do; like those of
    pins they are found out later.
    """

    order: str = "random"
    pins: tuple[Pin, ...] = ()
    limit: int | None = None
    time_ms: int | None = None
    group_by: str | None = None
    inside: Inside | None = None
    part: range | None = None
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


def parse_part(text: str) -> range:
    """Read 'START:COUNT' or 'START:COUNT:STRIDE', with positions from 1.

    Raises:
        OptionError: it is neither, or one of the numbers is 0.
    """
    match = re.fullmatch(_PART, text)
    start, count, stride = (int(number or 1) for number in match.groups()) if match else (0, 0, 0)
    if not (start and count and stride):
        raise OptionError(
            "{} '{text}' is not a part. Write START:COUNT or START:COUNT:STRIDE, such as 1:40 for the first"
            " 40 positions, or 1:20:2 for every other one of them.",
            "part",
            text=text,
        )
    return range(start - 1, start - 1 + count * stride, stride)
