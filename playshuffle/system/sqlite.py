"""Open SQLite databases of playshuffle, and rename or copy damaged ones.

The databases have mode 0600, because the names of music files in them are private.
"""

import contextlib
import errno
import fcntl
import os
import shutil
import sqlite3
import stat
import time

from playshuffle.errors import shown

_FAR = 1 << 62  # a byte that SQLite never locks
_WAIT_S = 10  # for another playshuffle that is writing

Connection = sqlite3.Connection

# Exceptions of a damaged database; UnicodeDecodeError if the message quotes damaged bytes.
ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)
INTERRUPTED = sqlite3.SQLITE_INTERRUPT

_PASSING = {
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_READONLY,
}  # fmt: skip


class NoLocksError(OSError):
    """The file system has no file locks, as NFS without its lock service. SQLite would wait for them."""


def connect(path: bytes, *, writes: bool = True) -> sqlite3.Connection:
    """Open a database; the file is made private before the first byte is written.

    Raises:
        OSError: it is not a regular file, or cannot be opened or created.
        sqlite3.OperationalError: without `writes`, it cannot be opened.
    """
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISREG(os.stat(path).st_mode):  # a FIFO would make SQLite wait for ever
            raise OSError(f"{shown(path)} is not a regular file")
    if not writes:
        # Every byte is percent-encoded: the path may have any byte.
        return sqlite3.connect(f"file:%{path.hex('%')}?mode=ro", uri=True, timeout=_WAIT_S)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, _FAR)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES, errno.EINTR):
            raise NoLocksError(error.errno, "its file system cannot lock files", path) from error
    finally:
        os.close(descriptor)
    return sqlite3.connect(os.fsdecode(path), timeout=_WAIT_S)


def is_passing(error: Exception) -> bool:
    """Return whether an error is temporary: a lock, a full disk, a missing permission."""
    code = getattr(error, "sqlite_errorcode", None)  # none if Python raised it: text is not UTF-8
    return code is not None and code & 0xFF in _PASSING


def is_full(error: Exception) -> bool:
    """Return whether an error means that the disk is full."""
    code = getattr(error, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_FULL or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)


def set_aside(path: bytes) -> bytes:
    """Rename a damaged database, so that none of it is lost; return its new name."""
    aside = _new_name(path)
    journal = path + b"-journal"
    # First, so that it is not rolled back into the next database of that name.
    if os.path.exists(journal):
        os.replace(journal, aside + b"-journal")
    os.replace(path, aside)
    return aside


def copy_aside(path: bytes) -> bytes:
    """Copy a database that nobody is writing; return the name of the copy."""
    aside = _new_name(path)
    with open(path, "rb") as source:
        fd = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "wb") as copy:
            shutil.copyfileobj(source, copy)
    return aside


def _new_name(path: bytes) -> bytes:
    stem = aside = path + time.strftime(".damaged-%Y-%m-%d-%H%M%S").encode()
    number = 1
    while os.path.lexists(aside):  # another one, in the same second
        number += 1
        aside = b"%b-%d" % (stem, number)
    return aside
