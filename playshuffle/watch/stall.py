"""Distinguish a thread that is blocked in the kernel from a slow machine.

A thread that waits for a dead drive never runs. On a slow machine it runs sometimes, or is ready to.
"""

import re
from typing import NamedTuple

from playshuffle.system.regular_file import read_if_any

_SWITCHES = re.compile(rb"ctxt_switches:\s*(\d+)")
_STATE = re.compile(rb"State:\s*(\w)")


class Activity(NamedTuple):
    """The number of context switches of a thread, and whether it runs or is ready to run."""

    switches: int
    is_runnable: bool


def activity(thread: int) -> Activity | None:
    """Return the activity of a thread of this process, by its native id."""
    text = read_if_any(f"/proc/self/task/{thread}/status")
    if not text:
        return None
    state = _STATE.search(text)
    return Activity(sum(map(int, _SWITCHES.findall(text))), state is not None and state[1] == b"R")


class StallClock:
    """Measures how long a thread has been blocked, by regular observations.

    `longest_s` is the maximum time that counts between two observations: in a longer pause the observer
    itself did not run.
    """

    def __init__(self, longest_s: float) -> None:
        self.stalled_s = 0.0
        self._longest_s = longest_s
        self._seen_s: float | None = None
        self._last: Activity | None = None

    def reset(self) -> None:
        self.stalled_s = 0.0
        self._seen_s = self._last = None

    def observe(self, now_s: float, activity: Activity | None) -> None:
        """Note the activity of the thread at a time; None if it is unknown."""
        if self._seen_s is not None:
            has_run = activity is not None and (activity.is_runnable or activity != self._last)
            passed_s = min(now_s - self._seen_s, self._longest_s)
            self.stalled_s = 0.0 if has_run else self.stalled_s + passed_s
        self._seen_s, self._last = now_s, activity
