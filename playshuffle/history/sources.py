"""Find the sources of a play history, and read their rows."""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.history.databases import UnknownUserError, read_database
from playshuffle.history.files import read_file
from playshuffle.history.rows import Row
from playshuffle.system import mpd_conf, regular_file, sqlite
from playshuffle.system.xdg import config_home, data_home
from playshuffle.text import any_of, nearest


class Source(NamedTuple):
    """A file with a play history. text: as the user named it. user: whose plays count; empty for all."""

    text: str
    path: bytes
    user: str = ""

    @property
    def saved_text(self) -> str:
        """Return a text that names the same source in another folder."""
        if self.text in PLACES:
            return self.text
        return os.fsdecode(self.path) + (f"#{self.user}" if self.user else "")


def _mpd() -> bytes:
    conf = mpd_conf.read()
    if conf is None or conf.stickers is None:
        where = "" if conf is None else f" in {shown(conf.path)}"
        raise OptionError(
            "{}: MPD has no sticker_file{where}. Add it there, or name the file.", "history", where=where
        )
    return conf.stickers


# Where programs have their history. The user may also name the file.
PLACES: Mapping[str, Callable[[], bytes]] = {
    "mpd": _mpd,
    "beets": lambda: os.path.join(os.environb.get(b"BEETSDIR") or config_home() + b"/beets", b"library.db"),
    "strawberry": lambda: data_home() + b"/strawberry/strawberry/strawberry.db",
    "clementine": lambda: config_home() + b"/Clementine/clementine.db",
    "quodlibet": lambda: config_home() + b"/quodlibet/songs",
    "rhythmbox": lambda: data_home() + b"/rhythmbox/rhythmdb.xml",
}
_KNOWN = "MPD, beets, Navidrome, Strawberry, Clementine, Quod Libet, Rhythmbox, Rockbox logs, CSV and M3U"


def is_name(text: str) -> bool:
    """Return whether a text can only be the name of a program, or of a file in the current folder."""
    return "/" not in text and "." not in text


def find_source(text: str, path: bytes) -> Source:
    """Return a source that the user names.

    Args:
        text: one of `PLACES`, or a file, to which `#USER` may be added.
        path: the same as an absolute path.

    Raises:
        OptionError: it is neither.
    """
    if text in PLACES:
        return Source(text, PLACES[text]())
    if os.path.exists(path):
        return Source(text, path)
    if is_name(text):
        near = nearest(text.lower(), [*PLACES])
        hint = f"Did you mean '{near}'?" if near else f"Use {any_of([*PLACES])}, or name a file."
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
                raise SourceError(source, f"{error.strerror}. Check the name or the permissions.") from error
    return " ".join(parts)


def read_rows(source: Source) -> list[Row]:
    """Return a row for each track that a source knows.

    Raises:
        SourceError: it cannot be read, or is no play history.
    """
    try:
        with open(regular_file.open_regular(source.path)[0], "rb") as file:
            is_database = file.read(16) == b"SQLite format 3\0"
        found = read_database(source.path, source.user) if is_database else read_file(source.path)
    except OSError as error:
        raise SourceError(source, f"{error.strerror}. Make it readable for you, or name a copy.") from error
    except sqlite.ERRORS as error:
        raise SourceError(source, f"{error}. Is another program writing it?") from error
    except UnknownUserError as error:
        raise SourceError(source, f"It has no user '{shown(source.user)}'.", Exit.USAGE) from error
    except Exception as error:  # the code that reads a damaged file may raise anything
        raise SourceError(source, f"It is damaged, or of an unknown version: {shown(str(error))}.") from error
    if found is None:
        raise SourceError(source, f"It is no known play history. Known are {_KNOWN}.", Exit.USAGE)
    return found
