"""Stop regular expressions that take too long.

Python runs signal handlers while it searches, so that a timer of the processor time can end a search.
Signals belong to the main thread: in any other thread there is no limit.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlowError(Exception):
    """The time is up."""


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlowError in the block once it has used this processor time."""
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
