"""Define how much to deal, and how often."""

from dataclasses import dataclass
from enum import StrEnum

from playshuffle.dealing.period import Every

DEAL_COUNT = 40  # tracks, by default


@dataclass(frozen=True, slots=True)
class Amount:
    """The size of a deal, in exactly one unit: tracks, playing time, or albums."""

    count: int | None = None
    time_ms: int | None = None
    albums: int | None = None


class Count(StrEnum):
    """When a track of a round is done: when it was dealt, or when it was played or skipped."""

    DEALT = "dealt"
    PLAYED = "played"


@dataclass(frozen=True, slots=True)
class DealSettings:
    """How much to deal, how often, and when a track is done."""

    amount: Amount = Amount(DEAL_COUNT)
    every: Every = Every.DAY
    count: Count = Count.DEALT

    @property
    def is_by_hand(self) -> bool:
        """Return whether only the user deals: neither the service nor `deal --due`."""
        return self.every is Every.RUN
