"""Schedule scans without an event: hourly scans, polls, and repeated scans of folders."""

import math
from collections.abc import Collection, Iterator

SETTLE_S = 2.0  # a batch is ripe after this time without an event: the default of the key `settle`
POLL_S = 300.0  # between scans of folders without events: the default of the key `poll`

# The mount table of a machine with containers changes all the time, so scan for it once in this time.
_MOUNTS_INTERVAL_S = 60.0

# A smaller difference is no sleep: two clocks are read one after the other, and NTP adjusts one of them.
_MIN_SLEEP_S = 1.0


class Schedule:
    """Knows when the next scans are due.

    Times are seconds of a monotonic clock that stops while the machine sleeps; `asleep_s` is all time asleep.
    """

    def __init__(
        self, full_scan_s: float, poll_s: float, settle_s: float, now: float, asleep_s: float
    ) -> None:
        self._full_scan_s = full_scan_s
        self._poll_s = poll_s
        self._settle_s = settle_s
        self._asleep_s = asleep_s
        self._last_full_scan = now
        self._last_mounts = -math.inf
        self._mounts_at = math.inf
        self._rescans: list[tuple[float, Collection[bytes]]] = []

    def note_full_scan(self, now: float) -> None:
        self._last_full_scan = now
        self._mounts_at = math.inf

    def note_mounts(self, now: float) -> None:
        due = max(now + self._settle_s, self._last_mounts + _MOUNTS_INTERVAL_S)
        self._mounts_at = min(self._mounts_at, due)

    def add_rescan(self, folders: Collection[bytes], due_s: float) -> None:
        self._rescans.append((due_s, folders))

    def next_at(self, *, is_polled: bool) -> float:
        """Return when the next scan is due. `is_polled`: some folders report no changes."""
        interval_s = min(self._poll_s, self._full_scan_s) if is_polled else self._full_scan_s
        return min(self._last_full_scan + interval_s, self._mounts_at, *(due_s for due_s, _ in self._rescans))

    def full_scan_reason(self, now: float, asleep_s: float, *, is_polled: bool) -> str | None:
        slept_s, self._asleep_s = asleep_s - self._asleep_s, asleep_s
        if slept_s > _MIN_SLEEP_S:
            return "resume"
        if now >= self._mounts_at:
            self._last_mounts, self._mounts_at = now, math.inf
            return "mounts"
        if now >= self._last_full_scan + self._full_scan_s:
            return "hourly"
        return "poll" if is_polled and now >= self._last_full_scan + self._poll_s else None

    def take_rescans(self, now: float) -> Iterator[Collection[bytes]]:
        yield from (folders for due_s, folders in self._rescans if due_s <= now)
        self._rescans = [(due_s, folders) for due_s, folders in self._rescans if due_s > now]
