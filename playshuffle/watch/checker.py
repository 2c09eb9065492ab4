"""Check something in a separate thread, because a call into a file system may hang for hours."""

import threading
import time
from collections.abc import Callable

from playshuffle.system.regular_file import status_of

_Status = tuple[int, ...] | None
_UNKNOWN: _Status = ()


class Checker:
    """Calls `_check` in a thread: at the start, then on request."""

    def __init__(self, name: str) -> None:
        self._is_stopped = False
        self._check_requested = threading.Event()
        self._check_requested.set()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def check(self) -> None:
        """Request a check. Must be called regularly."""
        self._check_requested.set()

    def stop(self) -> None:
        """Ask the thread to end; `join` waits for it."""
        self._is_stopped = True
        self._check_requested.set()

    def join(self, until_s: float) -> bool:
        """Wait for the thread; return False if it still runs at `until_s` of the monotonic clock."""
        self._thread.join(max(0.0, until_s - time.monotonic()))
        return not self._thread.is_alive()

    def _run(self) -> None:
        while not self._is_stopped:
            self._check_requested.wait()
            self._check_requested.clear()
            if not self._is_stopped:
                self._check()
        self._close()

    def _check(self) -> None:
        raise NotImplementedError

    def _close(self) -> None:
        """Release resources that the checks opened."""


class FileWatcher(Checker):
    """Checks whether a file was created, changed or removed.

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
    status = status_of(path)
    if status is None:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
