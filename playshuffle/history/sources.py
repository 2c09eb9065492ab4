"""Find the sources of a play history, and read their rows."""

import os
from typing import NamedTuple, NoReturn

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.history.databases import Database, UnknownUserError
from playshuffle.history.files import grouped
from playshuffle.history.histories import HISTORIES, NAMES, TITLES, File, History, usual_file
from playshuffle.history.rows import Row
from playshuffle.system import regular_file, sqlite
from playshuffle.system.foreign_database import read_foreign
from playshuffle.text import any_of, nearest

_HEAD = 4096  # bytes by which a file is recognised


class Source(NamedTuple):
    """A file with a play history. text: as the user named it. user: whose plays count; empty for all."""

    text: str
    path: bytes
    user: str = ""

    @property
    def saved_text(self) -> str:
        """Return a text that names the same source in another folder."""
        if self.text in NAMES:
            return self.text
        return os.fsdecode(self.path) + (f"#{self.user}" if self.user else "")


class Content(NamedTuple):
    """What a source contains.

    history: its kind.
    rows: one for each track.
    starts: it counts plays when they start.
    """

    history: History
    rows: list[Row]
    starts: bool


def is_name(text: str) -> bool:
    """Return whether a text can only be the name of a program, or of a file in the current folder."""
    return "/" not in text and "." not in text


def find_source(text: str, path: bytes) -> Source:
    """Return a source that the user names.

    Args:
        text: one of `NAMES`, or a file, to which `#USER` may be added.
        path: the same as an absolute path.

    Raises:
        OptionError: it is neither.
    """
    if text in NAMES:
        return Source(text, usual_file(NAMES[text]))
    if os.path.exists(path):
        return Source(text, path)
    if is_name(text):
        near = nearest(text.lower(), [*NAMES])
        hint = f"Did you mean '{near}'?" if near else f"Use {any_of([*NAMES])}, or name a file."
        raise OptionError("{}: '{text}' is unknown. {hint}", "history", text=text, hint=hint)
    file, _, user = path.rpartition(b"#")
    return Source(text, file or path, os.fsdecode(user) if file else "")


class SourceError(PlayshuffleError):
    """A source cannot be read."""

    def __init__(self, source: Source, problem: str, code: Exit = Exit.NO_INPUT) -> None:
        super().__init__(f"Play history {shown(source.path)}: {problem}", code)


def stamp_of(source: Source) -> str:
    """Return what changes with the source: size, time and inode of its file and of its write-ahead log.

    Raises:
        SourceError: the file does not exist.
    """
    parts = []
    real = os.path.realpath(source.path)
    for path in (real, real + b"-wal"):
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
    """Return what is in a source.

    Args:
        source: the file.
        now_s: the present time (Unix seconds). Nothing was played after it.

    Raises:
        SourceError: it cannot be read, or is no play history.
    """
    try:
        with open(regular_file.open_regular(source.path)[0], "rb") as file:
            head = file.read(_HEAD)
        if head.startswith(b"SQLite format 3\0"):
            return read_foreign(source.path, lambda database: _read_database(database, source))
        found = _read_file(source.path, head, now_s)
    except OSError as error:
        raise SourceError(source, f"{error.strerror}. Make it readable for you, or name a copy.") from error
    except sqlite.ERRORS as error:
        raise SourceError(source, f"{error}. Is another program writing it?") from error
    except UnknownUserError as error:
        raise SourceError(source, f"It has no user '{shown(source.user)}'.", Exit.USAGE) from error
    except SourceError:
        raise
    except Exception as error:  # the code that reads a damaged file may raise anything
        raise SourceError(source, f"It is damaged, or of an unknown version: {shown(str(error))}.") from error
    return found if found is not None else _refuse(source)


def _refuse(source: Source) -> NoReturn:
    known = f"{', '.join(TITLES[:-1])} and {TITLES[-1]}"
    raise SourceError(source, f"It is no known play history. Known are {known}.", Exit.USAGE)


def _read_database(database: sqlite.Connection, source: Source) -> Content:
    others: list[tuple[int, History, str]] = []
    for history in HISTORIES:
        if isinstance(history.reader, Database):
            missing = history.reader.missing_columns(database)
            if missing == []:
                rows = list(history.reader.read(database, source.user))
                return Content(history, rows, history.reader.counts_starts(database))
            if missing is not None:
                others.append((len(missing), history, missing[0]))
    if not others:
        _refuse(source)
    _, history, column = min(others, key=lambda each: each[0])
    tried = f" Version {history.tried} was tried." if history.tried else ""
    raise SourceError(
        source, f"It looks like a database of {history.title}, but has no column {column}.{tried}", Exit.USAGE
    )


def _read_file(path: bytes, head: bytes, now_s: float) -> Content | None:
    for history in HISTORIES:
        reader = history.reader
        if isinstance(reader, File) and (
            reader.begins(head) or path.lower().endswith(reader.suffixes or (b"\0",))
        ):
            rows = grouped(reader.rows(path), now_s) if reader.is_log else reader.rows(path)
            return Content(history, [row for row in rows if any(row.played)], history.starts)
    return None
