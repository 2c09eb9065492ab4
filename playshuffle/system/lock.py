"""Lock files and folders against other processes."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator

from playshuffle.errors import Exit, PlayshuffleError

_RETRY_S = 0.02


class HeldError(PlayshuffleError):
    """Another process holds the lock."""


@contextlib.contextmanager
def held(
    path: bytes, patience_s: float, refusal: str = "", code: Exit = Exit.CANNOT_CREATE
) -> Iterator[None]:
    """Hold a lock file against other processes; create it if needed.

    If it cannot be locked or created, as on a full disk, nothing is locked: writing matters more.

    Args:
        refusal: text of the error, with {process} for the number of the other process.

    Raises:
        HeldError: another process did not release it within `patience_s` seconds.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield
        return
    with held_descriptor(descriptor, patience_s) as is_free:
        if not is_free:
            raise HeldError(refusal.replace("{process}", _number(descriptor)), code)
        with contextlib.suppress(OSError):  # for the message to processes that wait
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield


@contextlib.contextmanager
def held_descriptor(descriptor: int, patience_s: float) -> Iterator[bool]:
    """Lock an open file or folder if its file system can, and close it at the end.

    Yields False if another process held it for `patience_s` seconds.
    """
    try:
        yield _lock(descriptor, patience_s)
    finally:
        # Closing alone is not enough: a child forked meanwhile has the descriptor, too.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def holder(path: bytes) -> str | None:
    """Return the number of the process that holds a lock file, if any."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    with held_descriptor(descriptor, 0) as is_free:
        return None if is_free else _number(descriptor)


def _lock(descriptor: int, patience_s: float) -> bool:
    until = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                return True  # a file system without locks, like NFS for folders
            if time.monotonic() > until:
                return False
        else:
            return True
        time.sleep(_RETRY_S)


def _number(descriptor: int) -> str:
    """Return the number of the process that holds a file: on a full disk it could not write it."""
    text = os.pread(descriptor, 20, 0).decode(errors="replace")
    if text:
        return text
    status = os.fstat(descriptor)
    file = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    with contextlib.suppress(OSError), open("/proc/locks", encoding="ascii") as table:
        rows = map(str.split, table)
        return next((row[4] for row in rows if row[1] == "FLOCK" and row[5] == file), "unknown")
    return "unknown"
