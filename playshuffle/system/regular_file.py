"""Look at files that may be missing, and open regular ones only.

A FIFO would block for ever, and a device may have side effects.
"""

import errno
import os
import stat
from typing import AnyStr

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRegularError(OSError):
    """The path names a folder, a FIFO, a socket or a device."""


def status_of(path: bytes | str) -> os.stat_result | None:
    """Return the status of a file, through links; None if there is none, or no file has such a name."""
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


def names_in(folder: AnyStr) -> list[AnyStr]:
    """Return the names in a folder; none if it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def read_if_any(path: bytes | str, size: int = -1) -> bytes:
    """Return the first bytes of one of the system's files; none if it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(size)
    except OSError:
        return b""


def open_regular(path: bytes, *, follow_links: bool = True) -> tuple[int, os.stat_result]:
    """Open a regular file; return its descriptor, which the caller closes, and its status.

    The kind is checked before opening, and again afterwards, since the file may be replaced meanwhile.
    Without `follow_links`, a symbolic link is refused with ELOOP.

    Raises:
        NotRegularError: it is not a regular file.
        OSError: it cannot be opened.
    """
    _check(os.stat(path))
    descriptor = os.open(path, _FLAGS if follow_links else _FLAGS | os.O_NOFOLLOW)
    try:
        status = os.fstat(descriptor)
        _check(status)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor, status


def read_regular(path: bytes, size: int = -1, *, follow_links: bool = True) -> bytes:
    """Return the first bytes of a regular file, by default all. Raise the same errors as `open_regular`."""
    descriptor, _ = open_regular(path, follow_links=follow_links)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(size)


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(errno.EINVAL, "not a regular file")
