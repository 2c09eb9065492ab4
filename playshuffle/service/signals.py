"""Receive signals as bytes on a pipe, so that a main loop can wait for them."""

import contextlib
import math
import os
import signal
import time
from collections.abc import Collection, Iterator

HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_SHELL_ENDS_S = 60  # a shell that ends sends HUP to its jobs, and then leaves the terminal


class Terminal:
    """The terminal in which the service was started, if any. The service ends with it, except under nohup.

    Create it before the signals are handled.
    """

    def __init__(self) -> None:
        self._is_bound = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN and _has_terminal()
        self._hung_up_s = -math.inf

    def is_gone(self, numbers: Collection[int]) -> bool:
        """Return whether the terminal was closed; `numbers` are the signals since the last call.

        Without HUP it is not: a job that its shell has disowned goes on.
        """
        now_s = time.monotonic()
        if signal.SIGHUP in numbers:
            self._hung_up_s = now_s
        return self._is_bound and now_s < self._hung_up_s + _SHELL_ENDS_S and not _has_terminal()


@contextlib.contextmanager
def signal_pipe() -> Iterator[int]:
    """Open a pipe that receives the number of each handled signal, as one byte."""
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    before = [signal.signal(number, lambda *_: None) for number in HANDLED]
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield reader
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in zip(HANDLED, before, strict=True):
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)


def received(pipe: int) -> set[int]:
    """Return the numbers of the signals since the last call."""
    try:
        return set(os.read(pipe, 64))
    except BlockingIOError:
        return set()


def _has_terminal() -> bool:
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
