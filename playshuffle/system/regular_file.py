"""Open regular files for reading, and nothing else: a FIFO would wait for ever, a device may act."""

import errno
import os
import stat

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class NotRegularError(OSError):
    """The path names a folder, a FIFO, a socket or a device."""


def open_regular(path: bytes, *, follow_links: bool = True) -> tuple[int, os.stat_result]:
    """Return the descriptor of a regular file, which the caller closes, and its status.

    The kind is checked before, since even opening a device can have effects, and again after: the file
    may have been exchanged meanwhile.

    Args:
        path: of the file.
        follow_links: False refuses a symbolic link with ELOOP.

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


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(errno.EINVAL, "not a regular file")
