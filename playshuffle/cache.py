"""Folders with their tags, kept from one run to the next, in a file that may be lost.

A row a folder: its stamps, and what reading its files gave, as columns. The tags themselves
stay on disk until they are asked for. Whatever is odd about the file, it is thrown away.
"""

import contextlib
import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from types import TracebackType
from typing import Any, Self
from zlib import crc32

from playshuffle.database import connect, place
from playshuffle.track import NOTHING_ODD, Folder, Odd

# A new number drops what is cached: raise it with every change of a column, of what is taken
# for audio or for odd, or of the form of an EXTINF line.
_VERSION = 1

# Columns in the order of the fields of `Folder`. Tags stand apart: most runs do not need them.
# SQLite does not see a flipped bit, hence the check sums.
_SCHEMA = {
    "folder": """
        path BLOB UNIQUE, device INTEGER, inode INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, digest BLOB,
        is_plain INTEGER, has_hard_links INTEGER, folders BLOB, names BLOB, stamps BLOB,
        durations_ms BLOB, lines BLOB, artists BLOB, has_odd_names INTEGER, odd BLOB, crc INTEGER
    """,
    "tags": "path BLOB PRIMARY KEY, fields BLOB, crc INTEGER",
}


class Cache:
    """The cache file, opened; a context manager. Without a place to write it is empty and in memory."""

    def __init__(self) -> None:
        try:
            self._path = os.path.join(place("XDG_CACHE_HOME", b".cache"), b"cache.db")
            self._database = _prepared(connect(self._path))
        except (OSError, sqlite3.DatabaseError) as error:
            self._database = _prepared(sqlite3.connect(":memory:"))
            self._mend(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def folders(self, roots: Iterable[bytes]) -> dict[bytes, Folder]:
        """What is known of all folders below the roots, by path."""
        known = {}
        for root in roots:
            top = root.rstrip(b"/") + b"/"
            after = top[:-1] + b"0"  # '0' follows '/'
            try:
                for row in self._database.execute(
                    "SELECT * FROM folder WHERE path >= ? AND path < ?", (top, after)
                ):
                    odd, crc = row[-2:]
                    if crc == _crc(row):
                        known[row[0]] = Folder._make((*row[:-2], NOTHING_ODD if odd is None else _odd(odd)))
            except sqlite3.DatabaseError as error:
                self._mend(error)
        return known

    def keep(self, folders: Collection[tuple[Folder, str]], gone: Collection[bytes]) -> None:
        """Remember folders, each with the tags of its files as JSON, and forget those that are gone.

        A full disk costs the memory, not the run.
        """
        if not (folders or gone):
            return
        rows = ((*folder[:-1], _text(folder.odd)) for folder, _ in folders)
        tags = ((folder.path, fields.encode()) for folder, fields in folders)
        try:
            with self._database as database:
                for table in _SCHEMA:
                    database.executemany(f"DELETE FROM {table} WHERE path = ?", ((path,) for path in gone))  # noqa: S608
                database.executemany(
                    f"REPLACE INTO folder VALUES ({'?, ' * len(Folder._fields)}?)",  # noqa: S608
                    ((*row, _crc(row)) for row in rows),
                )
                database.executemany(
                    "REPLACE INTO tags VALUES (?, ?, ?)", ((*row, crc32(row[1])) for row in tags)
                )
        except sqlite3.DatabaseError as error:
            self._mend(error)

    def fields(self, folder: bytes) -> list[list[Any] | None]:
        """The fields of the tags of all files of one folder, in step with its names; empty if unknown."""
        try:
            row = self._database.execute("SELECT fields, crc FROM tags WHERE path = ?", (folder,)).fetchone()
        except sqlite3.DatabaseError as error:
            self._mend(error)
            return []
        return json.loads(row[0]) if row and isinstance(row[0], bytes) and row[1] == crc32(row[0]) else []

    def _mend(self, error: Exception) -> None:
        """Begin anew if the file is damaged; where it is locked or the disk is full, do without."""
        if isinstance(error, OSError) or (
            isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode != sqlite3.SQLITE_ERROR
        ):
            return
        self._database.close()
        try:
            for suffix in (b"", b"-wal", b"-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._path + suffix)
            self._database = _prepared(connect(self._path))
        except (OSError, sqlite3.DatabaseError):
            self._database = _prepared(sqlite3.connect(":memory:"))


def _prepared(database: sqlite3.Connection) -> sqlite3.Connection:
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        if _version(database) != _VERSION:
            with database:
                database.execute("BEGIN IMMEDIATE")
                if _version(database) != _VERSION:  # no other process was faster
                    for table, columns in _SCHEMA.items():
                        database.execute(f"DROP TABLE IF EXISTS {table}")
                        database.execute(f"CREATE TABLE {table} ({columns})")
                    database.execute(f"PRAGMA user_version = {_VERSION}")
        database.execute("SELECT 1 FROM folder, tags LIMIT 1")
    except BaseException:
        database.close()
        raise
    return database


def _version(database: sqlite3.Connection) -> object:
    return database.execute("PRAGMA user_version").fetchone()[0]


def _crc(row: Sequence[Any]) -> int | None:
    """The check sum of a row of `folder`; None if it is no such row."""
    try:
        return crc32(
            b"/".join([row[0], *[column or b"" for column in (*row[8:14], row[15])]]),
            4 * row[14] + 2 * row[6] + row[7],
        )
    except TypeError:
        return None


def _text(odd: Odd) -> bytes | None:
    if odd == NOTHING_ODD:
        return None
    return json.dumps(
        [
            [os.fsdecode(name) for name in odd.links],
            [(os.fsdecode(name), device) for name, device in odd.linked.items()],
            [(os.fsdecode(name), reason) for name, reason in odd.left_out],
            list(odd.reasons.items()),
        ]
    ).encode()


def _odd(text: bytes) -> Odd:
    links, linked, left_out, reasons = json.loads(text)
    return Odd(
        [os.fsencode(name) for name in links],
        {os.fsencode(name): device for name, device in linked},
        [(os.fsencode(name), reason) for name, reason in left_out],
        {row: (reason, is_track) for row, (reason, is_track) in reasons},
    )
