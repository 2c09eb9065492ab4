"""Stop regular expressions that take too long.

Python runs signal handlers during a search, so a timer of processor time can end the search. Only the main
thread gets signals: searches in other threads have no limit.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlowError(Exception):
    """A search by a regular expression took too much processor time."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in the `with` block when it has used this processor time."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, before)
