"""Detect a clock that is behind a time that was read before, and go on from that time.

Many small computers have no clock of their own. They start at an old date, until the network tells them the
time. A clock that stays behind for a day was ahead before.
"""

import time
from typing import NamedTuple, Self

PATIENCE_S = 86_400  # of running, until a clock that is behind is believed
_CORRECTION_S = 600  # a usual one
_TOLERANCE_S = 3600  # of corrections by the network, and until a later time is worth a write


class Clock(NamedTuple):
    """The latest time that was believed.

    Attributes:
        time_s: Unix time.
        waited_s: for how long the computer has run with a clock that is behind.
        uptime_s: at the last look at a clock that was behind; -1 without one.
    """

    time_s: int = 0
    waited_s: int = 0
    uptime_s: int = -1

    def at(self, now_s: int, uptime_s: int, patience_s: int = PATIENCE_S) -> Self:
        """Return the clock at a time that the computer shows, and with its uptime."""
        if now_s > self.time_s - _TOLERANCE_S:
            is_worth_it = self.is_behind or now_s > self.time_s + _TOLERANCE_S
            return type(self)(now_s) if is_worth_it else self
        waited_s = self.waited_s
        if self.is_behind:
            waited_s += uptime_s - self.uptime_s if uptime_s >= self.uptime_s else uptime_s
        if waited_s >= patience_s:
            return type(self)(now_s)
        return self._replace(waited_s=waited_s, uptime_s=uptime_s)

    @property
    def is_behind(self) -> bool:
        return self.uptime_s >= 0

    def believed(self, now_s: int) -> int:
        """Return the time that counts: `now_s`, or the latest believed time if the clock is behind it."""
        return self.time_s if self.is_behind else now_s


class Began(NamedTuple):
    """When a process began: Unix time, and the uptime."""

    time_s: int
    uptime_s: int = 0

    def at(self, now_s: int, uptime_s: int) -> int:
        """Return the Unix time of the beginning, even if the clock was corrected by a large step since."""
        corrected_s = now_s - uptime_s - (self.time_s - self.uptime_s)
        return self.time_s + min(corrected_s, max(0, corrected_s - _CORRECTION_S))


def uptime_s() -> int:
    """Return the seconds since the computer started, including those asleep."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME))
