"""Watch a single file and report when it was created, changed or removed.

Each check compares its status, so this works on any file system.
"""

import os
from collections.abc import Callable

from playshuffle.watch.checker import Checker

_Status = tuple[int, ...] | None
_UNKNOWN: _Status = ()


class FileWatcher(Checker):
    """Checks a file for changes. It need not exist.

    Args:
        report: called in another thread with the path when the file has changed. Must not raise.
    """

    def __init__(self, path: bytes, report: Callable[[bytes], None]) -> None:
        self._path = path
        self._report = report
        self._status = _UNKNOWN
        super().__init__("watch file")

    def _check(self) -> None:
        before, self._status = self._status, _status(self._path)
        if self._status != before != _UNKNOWN:
            self._report(self._path)


def _status(path: bytes) -> _Status:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
