"""Format log lines, for a terminal or for the journal."""

import logging
import os
import sys
from collections.abc import Callable, Iterable

from playshuffle.errors import shown

# Numbers of syslog and the journal.
_LEVELS = {logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}


class _OneLine(logging.Formatter):
    """Formats a record as one line, which a terminal wraps.

    For the journal the line begins with the level, elsewhere with the time, then any level but INFO.
    """

    def __init__(self, wrap: Callable[[str], Iterable[str]], *, is_journal: bool) -> None:
        super().__init__(datefmt="%Y-%m-%d %H:%M:%S")
        self._wrap = wrap
        self._is_journal = is_journal

    def format(self, record: logging.LogRecord) -> str:
        text = shown(" ".join(record.getMessage().split("\n")))
        if record.exc_info:
            text += f": {record.exc_info[1]!r}"
        if self._is_journal:
            return f"<{_LEVELS.get(record.levelno, 6)}>{text}"
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        return "\n".join(self._wrap(f"{self.formatTime(record, self.datefmt)} {level}{text}"))


def begin(
    *,
    is_quiet: bool = False,
    is_verbose: bool = False,
    wrap: Callable[[str], Iterable[str]] = lambda text: [text],
) -> None:
    """Begin to log to standard error; `wrap` divides a message into lines for its terminal."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine(wrap, is_journal=bool(os.environ.get("JOURNAL_STREAM"))))
    logger = logging.getLogger("playshuffle")
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(logging.WARNING if is_quiet else logging.DEBUG if is_verbose else logging.INFO)
