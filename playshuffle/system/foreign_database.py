"""Read a SQLite database that another program may be writing, and leave no file beside it.

A reader of a database in WAL mode creates the files `-wal` and `-shm` if they are missing. If another user
creates them, the database's own program cannot write any more. So this module has three ways:

* Share the existing files with the program, if the disk is local.
* Without a `-wal`, all content is in the database. Read it without locks.
* Otherwise no program here has it open: it was copied, or its program was killed or runs on another computer.
  Read a private copy of the database and its log.
"""

import contextlib
import fcntl
import os
import shutil
import sqlite3
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from playshuffle.system import mounts

T = TypeVar("T")

READ_S = 120  # a view may have no end
_STEPS = 100_000  # of SQLite between two looks at the clock
_WAIT_S = 2  # for a program that is writing
_PAUSE_S = 0.05
_LOGS = (b"-wal", b"-journal")
_SHARED_LOCK = struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0x4000_0002, 510, 0)  # SQLite's own bytes
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


class _DatabaseChangedError(Exception):
    """Another program changed the files during a read."""


def read_foreign(path: bytes, read: Callable[[sqlite3.Connection], T]) -> T:
    """Return the result of `read` for a database. `read` may be called several times, and gets text as bytes.

    Raises:
        OSError: a file cannot be read or copied.
        sqlite3.DatabaseError: the file is damaged, is locked, or is not a database.
    """
    path = os.path.realpath(path)  # `-wal` and `-shm` are beside the real path
    until_s = time.monotonic() + _WAIT_S
    while time.monotonic() < until_s:
        with contextlib.suppress(_DatabaseChangedError):
            return _read_once(path, read)
        time.sleep(_PAUSE_S)
    raise sqlite3.OperationalError("database is locked")


def _read_once(path: bytes, read: Callable[[sqlite3.Connection], T]) -> T:
    if not _is_in_wal_mode(path):
        try:
            return _read(path, "mode=ro", read)
        except sqlite3.OperationalError as error:
            # A program was killed while it wrote. Its changes must be rolled back, in a copy.
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise
    elif os.stat(path).st_dev not in mounts.remote_devices(mounts.mountinfo()):
        # While it is locked, a program that exits deletes neither file, so SQLite creates none.
        with _locked(path):
            if all(os.path.exists(path + suffix) for suffix in (b"-wal", b"-shm")):
                try:
                    return _read(path, "mode=ro&readonly_shm=1", read)
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode & 0xFF not in _REFUSED:
                        raise
    return _read_unlocked(path, read)


def _read_unlocked(path: bytes, read: Callable[[sqlite3.Connection], T]) -> T:
    before = _stamps(path)
    try:
        if before.keys() == {path}:
            result = _read(path, "mode=ro&immutable=1", read)
        else:
            with tempfile.TemporaryDirectory(prefix="playshuffle-") as folder:
                copy = os.path.join(os.fsencode(folder), b"copy")
                for file in before:
                    shutil.copyfile(file, copy + file.removeprefix(path))
                result = _read(copy, "mode=rw", read)
    except (sqlite3.DatabaseError, FileNotFoundError):
        if _stamps(path) == before:
            raise
    if _stamps(path) != before:
        raise _DatabaseChangedError
    return result


def _read(path: bytes, options: str, read: Callable[[sqlite3.Connection], T]) -> T:
    # Every byte is percent-encoded: the path may have any byte.
    database = sqlite3.connect(f"file:%{path.hex('%')}?{options}", uri=True, timeout=_WAIT_S)
    database.text_factory = bytes
    until_s = time.monotonic() + READ_S
    database.set_progress_handler(lambda: time.monotonic() > until_s, _STEPS)
    with contextlib.closing(database):
        return read(database)


def _is_in_wal_mode(path: bytes) -> bool:
    with open(path, "rb") as file:
        return file.read(20)[18:] == b"\2\2"


def _stamps(path: bytes) -> Mapping[bytes, tuple[int, int, int]]:
    stamps: dict[bytes, tuple[int, int, int]] = {}
    for file in (path, *(path + suffix for suffix in _LOGS)):
        with contextlib.suppress(FileNotFoundError):
            status = os.stat(file)
            if status.st_size:
                stamps[file] = status.st_size, status.st_mtime_ns, status.st_ino
    return stamps


@contextlib.contextmanager
def _locked(path: bytes) -> Iterator[None]:
    """Hold the lock of a SQLite reader on a database.

    It belongs to the open file, not to the process, so it is independent of SQLite's own lock.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _SHARED_LOCK)
        yield
    except BlockingIOError as error:
        raise _DatabaseChangedError from error
    finally:
        os.close(descriptor)
