"""Watch single files in a thread and report which of them changed, came or went.

A thread, because a look at a file on a network drive may hang. A player may replace a file or write
to it in place, on any file system, so that its facts are compared at each heartbeat.
"""

import os
import threading
from collections.abc import Callable, Iterable

_Facts = tuple[int, ...] | None


class FileWatcher:
    """Looks at files, which need not exist.

    Args:
        paths: absolute paths.
        tell: called in another thread with the path of each file that changed. Must not raise.
    """

    def __init__(self, paths: Iterable[bytes], tell: Callable[[bytes], None]) -> None:
        self._tell = tell
        self._facts: dict[bytes, _Facts] = dict.fromkeys(paths, _UNKNOWN)
        self._is_over = False
        self._poked = threading.Event()
        self._poked.set()
        self._thread: threading.Thread | None = None
        if self._facts:
            self._thread = threading.Thread(target=self._run, name="watch files", daemon=True)
            self._thread.start()

    def poke(self) -> None:
        """Have it look at the files; to be called regularly."""
        self._poked.set()

    def stop(self) -> None:
        """Tell it to end; `join` waits for that."""
        self._is_over = True
        self._poked.set()

    def join(self, patience_s: float) -> bool:
        """Wait for its end; False if a file system does not let go of it."""
        if self._thread is None:
            return True
        self._thread.join(max(0.0, patience_s))
        return not self._thread.is_alive()

    def _run(self) -> None:
        while True:
            self._poked.wait()
            self._poked.clear()
            if self._is_over:
                return
            for path, before in self._facts.items():
                now = self._facts[path] = _facts(path)
                if now != before != _UNKNOWN:
                    self._tell(path)


_UNKNOWN: _Facts = ()


def _facts(path: bytes) -> _Facts:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
