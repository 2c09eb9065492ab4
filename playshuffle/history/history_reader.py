"""Read the rows of a play history."""

import contextlib
import os
import re
import resource
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.history import files
from playshuffle.history.databases import Database, UnknownUserError
from playshuffle.history.histories import HISTORIES, NAMES, TITLES, File, History
from playshuffle.history.rows import HistoryRows
from playshuffle.history.sources import Source
from playshuffle.system import regular_file, sqlite
from playshuffle.system.foreign_database import READ_S, read_foreign

_HEAD = 4096  # first bytes that identify a file
_MEMORY_BYTES = 1 << 30  # a history of a million plays takes 400 MB


class Content(NamedTuple):
    """The content of a source, a row for each track. `starts`: the program counts plays when they start."""

    history: History
    rows: HistoryRows
    starts: bool


class SourceError(PlayshuffleError):
    """A source cannot be read."""

    def __init__(self, source: Source, problem: str, code: Exit = Exit.NO_INPUT) -> None:
        super().__init__(f"Play history {shown(source.path)}: {problem}", code)


def stamp_of(source: Source) -> str:
    """Return size, time and inode of a source's files and write-ahead log.

    Raises:
        SourceError: the file does not exist.
    """
    parts = []
    real = os.path.realpath(source.path)
    for path in (real, real + b"-wal", *files.in_folder(real)):
        try:
            status = os.stat(path)
            parts.append(f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}")
        except OSError as error:
            if path == real:
                advice = NAMES[source.text].advice if source.text in NAMES else ""
                advice = advice or "Check the name or the permissions."
                raise SourceError(source, f"{error.strerror}. {advice}") from error
    return " ".join(parts)


def read_source(source: Source, now_s: float) -> Content:
    """Return the content of a source. Logged times after `now_s` (Unix seconds) are dropped.

    Raises:
        SourceError: the source cannot be read, or is not a history.
    """
    try:
        head = b""
        if not os.path.isdir(source.path):
            head = regular_file.read_regular(source.path, _HEAD)
        with _limited_memory():
            if head.startswith(b"SQLite format 3\0"):
                return read_foreign(source.path, lambda database: _read_database(database, source))
            return _read_file(source, head, now_s)
    except MemoryError as error:
        raise SourceError(
            source, f"Reading it takes more than {_MEMORY_BYTES >> 20:,} MB of memory."
        ) from error
    except OSError as error:
        raise SourceError(source, f"{error.strerror}. Make it readable for you, or name a copy.") from error
    except sqlite.ERRORS as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite.INTERRUPTED:
            raise SourceError(source, f"Reading it takes more than {READ_S} seconds.") from error
        raise SourceError(source, f"{error}. Is another program writing it?") from error
    except UnknownUserError as error:
        raise SourceError(source, f"It has no user '{shown(source.user)}'.", Exit.USAGE) from error
    except SourceError:
        raise
    except Exception as error:  # readers of a damaged file may raise anything
        raise SourceError(source, f"It is damaged, or of an unknown version: {shown(str(error))}.") from error


@contextlib.contextmanager
def _limited_memory() -> Iterator[None]:
    """Limit the memory while a history is read: a damaged or hostile one could use up all of it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", "rb") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    limits = [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([used + _MEMORY_BYTES, *limits]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _refuse(source: Source) -> NoReturn:
    titles = f"{', '.join(TITLES[:-1])} and {TITLES[-1]}"
    problem = f"It is not a known play history. playshuffle reads those of {titles}."
    raise SourceError(source, problem, Exit.USAGE)


def _read_database(database: sqlite.Connection, source: Source) -> Content:
    others: list[tuple[int, History, str]] = []
    for history in HISTORIES:
        if isinstance(history.reader, Database):
            missing = history.reader.missing_columns(database)
            if missing == []:
                rows = history.reader.read(database, source.user)
                return Content(history, rows.with_values(), history.reader.counts_starts(database))
            if missing is not None:
                others.append((len(missing), history, missing[0]))
    if not others:
        _refuse(source)
    _, history, column = min(others, key=lambda other: other[0])
    tried = f" Version {history.tried} was tried." if history.tried else ""
    raise SourceError(
        source, f"It looks like a database of {history.title}, but has no column {column}.{tried}", Exit.USAGE
    )


def _read_file(source: Source, head: bytes, now_s: float) -> Content:
    for history in HISTORIES:
        reader = history.reader
        if isinstance(reader, File) and _fits(reader, source.path, head):
            rows = getattr(files, reader.rows)(source.path)
            rows = rows if isinstance(rows, HistoryRows) else HistoryRows.of(rows)
            if rows.unread and not rows.paths and not reader.is_folder:
                raise ValueError("no line of it makes sense")
            rows = files.grouped(rows, now_s) if reader.is_log else rows
            return Content(history, rows.with_values(), history.starts)
    _refuse(source)


def _fits(reader: File, path: bytes, head: bytes) -> bool:
    if reader.is_folder or os.path.isdir(path):
        return reader.is_folder and os.path.isdir(path)
    if reader.rows == files.csv_log.__name__:
        return files.has_csv_header(head)
    return bool(re.match(reader.begins, head)) or path.lower().endswith(reader.suffixes or (b"\0",))
