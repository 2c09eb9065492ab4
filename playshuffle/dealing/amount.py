"""Define how much to deal, and how often."""

import math
import re
from enum import StrEnum
from typing import NamedTuple

from playshuffle.dealing.period import Every
from playshuffle.errors import OptionError

DEAL_COUNT = 40  # tracks, by default
PATIENCE = 3  # deals of an unheard track, by default
_NUMBER = "0*[1-9][0-9]{0,8}"


class Amount(NamedTuple):
    """The size of a deal, in exactly one unit: tracks, playing time, groups, or bytes."""

    tracks: int | None = None
    time_ms: int | None = None
    groups: int | None = None
    size: int | None = None


class Count(StrEnum):
    """When a track of a round is done: when it was dealt, or when it was played or skipped."""

    DEALT = "dealt"
    PLAYED = "played"


class DealSettings(NamedTuple):
    """How much to deal, how often, and when a track is done; an unheard track after `patience` deals."""

    amount: Amount = Amount(DEAL_COUNT)
    every: Every = Every.DAY
    done_when: Count = Count.DEALT
    patience: float = PATIENCE

    @property
    def is_by_hand(self) -> bool:
        """Return whether only the user starts deals, neither the service nor `deal --due`."""
        return self.every == Every.RUN


def parse_patience(text: str) -> float:
    """Return in how many deals an unheard track comes, at least 1; infinite for `always`.

    Raises:
        OptionError: the text is neither.
    """
    if text == "always":
        return math.inf
    if re.fullmatch(_NUMBER, text) is None:
        raise OptionError("{} must be a number from 1, or always, not '{text}'.", "patience", text=text)
    return int(text)
