"""Watch single files in threads and report which of them were created, changed or removed.

Each file has a thread, because a call to a network drive may hang. There are no events: at each heartbeat
the status of the file is compared, whatever the file system and however the file is written.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable

_Status = tuple[int, ...] | None


class FileWatcher:
    """Checks files for changes. They need not exist.

    Args:
        paths: absolute paths.
        report: called in other threads with the path of each file that changed. Must not raise.
    """

    def __init__(self, paths: Iterable[bytes], report: Callable[[bytes], None]) -> None:
        self._report = report
        self._statuses: dict[bytes, _Status] = dict.fromkeys(paths, _UNKNOWN)
        self._is_stopped = False
        self._checks = {path: threading.Event() for path in self._statuses}
        self._threads = [
            threading.Thread(target=self._run, args=each, name="watch file", daemon=True)
            for each in self._checks.items()
        ]
        for thread in self._threads:
            thread.start()
        self.check()

    def check(self) -> None:
        """Check all files in their threads. Must be called regularly."""
        for check in self._checks.values():
            check.set()

    def stop(self) -> None:
        """Ask the threads to end; `join` waits for them."""
        self._is_stopped = True
        self.check()

    def join(self, timeout_s: float) -> bool:
        """Wait for the threads to end; return False if a call to a file system hangs."""
        end = time.monotonic() + timeout_s
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self, path: bytes, check: threading.Event) -> None:
        while True:
            check.wait()
            check.clear()
            if self._is_stopped:
                return
            before = self._statuses[path]
            now = self._statuses[path] = _status(path)
            if now != before != _UNKNOWN:
                self._report(path)


_UNKNOWN: _Status = ()


def _status(path: bytes) -> _Status:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
