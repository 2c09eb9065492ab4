"""Define how much to deal, and how often."""

from enum import StrEnum
from typing import NamedTuple

from playshuffle.dealing.period import Every

DEAL_COUNT = 40  # tracks, by default


class Amount(NamedTuple):
    """The size of a deal, in exactly one unit: tracks, playing time, or albums."""

    tracks: int | None = None
    time_ms: int | None = None
    albums: int | None = None


class Count(StrEnum):
    """When a track of a round is done: when it was dealt, or when it was played or skipped."""

    DEALT = "dealt"
    PLAYED = "played"


class DealSettings(NamedTuple):
    """How much to deal, how often, and when a track is done."""

    amount: Amount = Amount(DEAL_COUNT)
    every: Every = Every.DAY
    done_when: Count = Count.DEALT

    @property
    def is_by_hand(self) -> bool:
        """Return whether only the user deals: neither the service nor `deal --due`."""
        return self.every is Every.RUN
