"""Distinguish a thread that is blocked in the kernel from a slow machine.

A thread that waits for a drive without an answer does not run at all. A thread on a slow machine runs
now and then, or is ready to. While the observer itself does not run, it cannot know.
"""

import re
from typing import NamedTuple

_SWITCHES = re.compile(rb"ctxt_switches:\s*(\d+)")
_STATE = re.compile(rb"State:\s*(\w)")


class Activity(NamedTuple):
    """How often a thread was switched to or from, and whether it wants to run."""

    switches: int
    is_runnable: bool


def activity(thread: int) -> Activity | None:
    """Return the activity of a thread of this process, by its native id; None if nothing shows it."""
    try:
        with open(f"/proc/self/task/{thread}/status", "rb") as file:
            text = file.read()
    except OSError:
        return None
    state = _STATE.search(text)
    return Activity(sum(map(int, _SWITCHES.findall(text))), state is not None and state[1] == b"R")


class StallClock:
    """Measures for how long a thread has been blocked, by regular observations.

    longest_s: the most that counts between two observations; a longer pause is the observer's own.
    """

    def __init__(self, longest_s: float) -> None:
        self.stalled_s = 0.0
        self._longest_s = longest_s
        self._seen_s: float | None = None
        self._last: Activity | None = None

    def reset(self) -> None:
        """Begin again: the thread has finished what it did."""
        self.stalled_s = 0.0
        self._seen_s = self._last = None

    def observe(self, now_s: float, activity: Activity | None) -> None:
        """Note the activity of the thread, or None if only the time is known."""
        if self._seen_s is not None:
            has_run = activity is not None and (activity.is_runnable or activity != self._last)
            passed_s = min(now_s - self._seen_s, self._longest_s)
            self.stalled_s = 0.0 if has_run else self.stalled_s + passed_s
        self._seen_s, self._last = now_s, activity
