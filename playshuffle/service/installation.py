"""Notice that the installed program was replaced or removed while it runs."""

import os

import playshuffle
from playshuffle.system.regular_file import status_of

_FILE = os.path.abspath(playshuffle.__file__)


class Installation:
    """The installed program.

    `change`: a message that the program was upgraded or removed.
    """

    def __init__(self, file: str = _FILE) -> None:
        self.change: str | None = None
        self._file = file
        self._before = self._last = _stamp(file)

    def check(self) -> str | None:
        """Check the program; return `change`, set once two checks in a row agree."""
        now = _stamp(self._file)
        if now == self._last and now != self._before:
            self.change = (
                "The program was removed. This service ends with the next restart."
                if now is None
                else "The program was upgraded. Start this service again to use the new version."
            )
        self._last = now
        return self.change


def _stamp(file: str) -> tuple[int, int] | None:
    status = status_of(file)
    return None if status is None else (status.st_ino, status.st_mtime_ns)
