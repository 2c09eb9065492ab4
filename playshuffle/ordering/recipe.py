"""Parse the options of an order into a recipe: order, gap, part and limits."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.shuffle import Inside

LAST = "last"
HERE = "here"

# Compiled where they are used, which is rare.
_GAP = r"([0-9]{1,9})(%?)"
_PART = r"([0-9]{1,9}):([0-9]{1,9})(?::([0-9]{1,9}))?"


@dataclass(frozen=True, slots=True)
class Pin:
    """A track, by index, and the place it must have: from 0, or `LAST`, or `HERE`."""

    index: int
    place: int | str


class Gap(NamedTuple):
    """The minimum number of plays before a track repeats, or that number as a percentage of the tracks."""

    size: int
    is_percent: bool = False

    def plays(self, tracks: int) -> int:
        """Return the gap in a library of N tracks, rounded up."""
        return -(-self.size * tracks // 100) if self.is_percent else self.size


def usual_gap(tracks: int) -> int:
    """Between two rounds, in plays: a quarter of the tracks, and no more than a hundred."""
    return min(tracks // 4, 100)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to arrange; None is what was not asked for.

    limit: maximum number of tracks. time_ms: maximum playing time.
    group_by: what is kept together, or apart: one of `groups.KNOWN`.
    part: the places that are shuffled, from 0.
    """

    order: str = "random"
    pins: tuple[Pin, ...] = ()
    limit: int | None = None
    time_ms: int | None = None
    group_by: str | None = None
    group_size: int | None = None
    inside: Inside | None = None
    part: range | None = None
    gap: Gap | None = None

    @property
    def order_name(self) -> str:
        """The order and what it uses, as in "groups by genre"."""
        said = {"by": self.group_by, "group size": self.group_size, "inside": self.inside}
        return " ".join([self.order, *(f"{key} {value}" for key, value in said.items() if value is not None)])


def parse_gap(text: str) -> Gap | None:
    """Read '50' or '25%'; None for a gap that asks for nothing: 0, or 1, which is no play in between.

    Raises:
        PlayshuffleError: it is neither.
    """
    found = re.fullmatch(_GAP, text)
    gap = Gap(int(found[1]), bool(found[2])) if found else None
    if gap is None or (gap.is_percent and gap.size > 100):
        raise PlayshuffleError(
            f"--gap '{shown(text)}' is no gap; write it like 50 (plays) or 25% (of the tracks).", Exit.USAGE
        )
    return gap if gap.size > 1 or (gap.size and gap.is_percent) else None


def parse_part(text: str) -> range:
    """Read 'START:COUNT' or 'START:COUNT:STRIDE', with places from 1.

    Raises:
        PlayshuffleError: it is neither, or one of the numbers is 0.
    """
    found = re.fullmatch(_PART, text)
    start, count, stride = (int(number or 1) for number in found.groups()) if found else (0, 0, 0)
    if not (start and count and stride):
        raise PlayshuffleError(
            f"--part '{shown(text)}' is no part; write it START:COUNT or START:COUNT:STRIDE, with numbers"
            " from 1: 1:40 is the first forty places, 1:20:2 every other one of them.",
            Exit.USAGE,
        )
    return range(start - 1, start - 1 + count * stride, stride)
