"""Define the size of a deal as the user gives it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Amount:
    """The size of a deal, in exactly one unit: tracks, playing time, or albums."""

    count: int | None = None
    time_ms: int | None = None
    albums: int | None = None
