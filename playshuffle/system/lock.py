"""Lock a file against other processes of this user."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator

_RETRY_S = 0.02


class HeldError(Exception):
    """Another process has it; the text is its number."""


@contextlib.contextmanager
def held(path: bytes, patience_s: float) -> Iterator[None]:
    """Keep all others from what this file stands for; it is made if need be.

    Where no file can be locked, or made because the disk is full, it does nothing: better to go
    on than not to write.

    Raises:
        HeldError: another process did not let go as long as patience lasts.
    """
    descriptor = -1
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if descriptor < 0:
        yield
        return
    try:
        _lock(descriptor, patience_s)
        with contextlib.suppress(OSError):  # for the message to whoever has to wait
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        # Closing alone would not do: a child forked meanwhile has the descriptor, too.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def holder(path: bytes) -> str | None:
    """The number of the process that has it; None if nobody has."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return _number(descriptor) if error.errno == errno.EWOULDBLOCK else None
    else:
        return None
    finally:
        os.close(descriptor)


def _lock(descriptor: int, patience_s: float) -> None:
    until = time.monotonic() + patience_s
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                return None  # a file system without locks
            if time.monotonic() > until:
                raise HeldError(_number(descriptor)) from None
        time.sleep(_RETRY_S)


def _number(descriptor: int) -> str:
    return os.pread(descriptor, 20, 0).decode(errors="replace")
