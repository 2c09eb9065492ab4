"""Define how much is dealt, and how often, as the user gives it."""

from dataclasses import dataclass

from playshuffle.dealing.period import Every

DEAL_COUNT = 40  # tracks, if nothing else is asked for


@dataclass(frozen=True, slots=True)
class Amount:
    """The size of a deal, in exactly one unit: tracks, playing time, or albums."""

    count: int | None = None
    time_ms: int | None = None
    albums: int | None = None


@dataclass(frozen=True, slots=True)
class DealSettings:
    """How much is dealt, and how often."""

    amount: Amount
    every: Every
