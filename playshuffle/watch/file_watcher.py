"""Watch single files in threads and report which of them changed, came or went.

Each file has its thread, because a look at a file on a network drive may hang. A player may replace a
file or write to it in place, on any file system, so that its facts are compared at each heartbeat.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable

_Facts = tuple[int, ...] | None


class FileWatcher:
    """Looks at files, which need not exist.

    Args:
        paths: absolute paths.
        tell: called in other threads with the path of each file that changed. Must not raise.
    """

    def __init__(self, paths: Iterable[bytes], tell: Callable[[bytes], None]) -> None:
        self._tell = tell
        self._facts: dict[bytes, _Facts] = dict.fromkeys(paths, _UNKNOWN)
        self._is_over = False
        self._pokes = {path: threading.Event() for path in self._facts}
        self._threads = [
            threading.Thread(target=self._run, args=each, name="watch file", daemon=True)
            for each in self._pokes.items()
        ]
        for thread in self._threads:
            thread.start()
        self.poke()

    def poke(self) -> None:
        """Have it look at the files; to be called regularly."""
        for poke in self._pokes.values():
            poke.set()

    def stop(self) -> None:
        """Tell it to end; `join` waits for that."""
        self._is_over = True
        self.poke()

    def join(self, patience_s: float) -> bool:
        """Wait for its end; return False if a call to a file system hangs."""
        until = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _run(self, path: bytes, poke: threading.Event) -> None:
        while True:
            poke.wait()
            poke.clear()
            if self._is_over:
                return
            before = self._facts[path]
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
