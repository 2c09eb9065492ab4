"""Define the gap: the minimum number of plays from one play of a track to its next, also across rounds."""

import re
from typing import NamedTuple

from playshuffle.errors import OptionError

LONGEST = 280  # plays; the longest gap unless another was asked for
_GAP = r"([0-9]{1,9})(%?)"  # compiled when it is used, which is rare


class Gap(NamedTuple):
    """A gap in plays, or as a percentage of the tracks."""

    size: int
    is_percent: bool = False

    def plays(self, tracks: int) -> int:
        """Return the gap in plays for N tracks; a percentage is rounded up."""
        return -(-self.size * tracks // 100) if self.is_percent else self.size


def usual_gap(tracks: int) -> int:
    """Return the default gap in plays: a quarter of the tracks, at most a week of 40 a day."""
    return min(tracks // 4, LONGEST)


def parse_gap(text: str) -> Gap | None:
    """Parse '50' or '25%'; return None for 0 and 1, which have no effect.

    Raises:
        OptionError: the text is not a gap.
    """
    match = re.fullmatch(_GAP, text)
    gap = Gap(int(match[1]), bool(match[2])) if match else None
    if gap is None or (gap.is_percent and gap.size > 100):
        raise OptionError(
            "{} '{text}' is not a gap. Write 50 (plays) or 25% (of the tracks, at most 100%).",
            "gap",
            text=text,
        )
    return gap if gap.size > 1 or (gap.size and gap.is_percent) else None
