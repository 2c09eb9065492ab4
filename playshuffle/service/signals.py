"""Receive signals as bytes on a pipe, so that a main loop can wait for them."""

import contextlib
import os
import signal
from collections.abc import Iterator

HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


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
