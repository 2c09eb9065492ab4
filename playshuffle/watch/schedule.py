"""Schedule work that needs no event: hourly rescans, polls, folders to look at again."""

import math
from collections.abc import Collection, Iterator

POLL_S = 300.0  # between scans of folders without events: the default of the key `poll`

# The mount table of a machine with containers changes all the time.
_MOUNTS_APART_S = 60.0

# The two clocks are read one after the other, and one of them is stretched a little by NTP.
_ASLEEP_S = 1.0


class Schedule:
    """When everything, or some folders, must be looked at again.

    Times are seconds of one clock that is never set and stands still while the machine sleeps;
    `asleep_s` is how long it has slept since it was started.
    """

    def __init__(self, whole_s: float, poll_s: float, settle_s: float, now: float, asleep_s: float) -> None:
        self._whole_s = whole_s
        self._poll_s = poll_s
        self._settle_s = settle_s
        self._asleep_s = asleep_s
        self._last_whole = now
        self._last_mounts = -math.inf
        self._mounts_at = math.inf
        self._again: list[tuple[float, Collection[bytes]]] = []

    def done(self, now: float) -> None:
        """Everything was looked at."""
        self._last_whole = now
        self._mounts_at = math.inf

    def mounts(self, now: float) -> None:
        """Somewhere a file system was mounted or unmounted."""
        due = max(now + self._settle_s, self._last_mounts + _MOUNTS_APART_S)
        self._mounts_at = min(self._mounts_at, due)

    def again(self, folders: Collection[bytes], at: float) -> None:
        """Some folders must be looked at again then."""
        self._again.append((at, folders))

    def next_at(self, *, is_polled: bool) -> float:
        """Return when the next scan is due; `is_polled`: events do not report all folders."""
        interval_s = min(self._poll_s, self._whole_s) if is_polled else self._whole_s
        return min(self._last_whole + interval_s, self._mounts_at, *(at for at, _ in self._again))

    def due(self, now: float, asleep_s: float, *, is_polled: bool) -> str | None:
        """Why everything must be looked at now, if it must."""
        slept_s, self._asleep_s = asleep_s - self._asleep_s, asleep_s
        if slept_s > _ASLEEP_S:
            return "resume"
        if now >= self._mounts_at:
            self._last_mounts, self._mounts_at = now, math.inf
            return "mounts"
        if now >= self._last_whole + self._whole_s:
            return "hourly"
        return "poll" if is_polled and now >= self._last_whole + self._poll_s else None

    def folders(self, now: float) -> Iterator[Collection[bytes]]:
        """Yield the folders that are due to be scanned again, and forget them."""
        yield from (folders for at, folders in self._again if at <= now)
        self._again = [(at, folders) for at, folders in self._again if at > now]
