"""Folders with their tags, kept from one run to the next, in a file that may be lost.

A run over a library in which nothing has changed reads all folders; so they are packed, some
hundred to a row, which is five times faster to read than a row each. Tags stay on disk until
they are asked for. Whatever is odd about the file, it is thrown away.
"""

import contextlib
import json
import marshal
import os
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable
from types import TracebackType
from typing import Any, Self
from zlib import crc32

from playshuffle.library.folder import NOTHING_ODD, Folder, Odd
from playshuffle.system.sqlite import connect
from playshuffle.system.xdg import place

# A new number drops what is cached: raise it with every change of a field of `Folder`, of what is
# taken for audio or for odd, or of the form of an EXTINF line. Packed with marshal, which each
# Python may change, it is for this one alone.
_VERSION = 2 << 16 | sys.hexversion >> 16

# SQLite does not see a flipped bit, and marshal does not bear one: hence the check sums.
_SCHEMA = {
    "shelf": "top BLOB, number INTEGER, folders BLOB, crc INTEGER, PRIMARY KEY (top, number)",
    "tags": "path BLOB PRIMARY KEY, fields BLOB, crc INTEGER",
}
_SHELVES = 64


class Cache:
    """The cache file, opened; a context manager. Without a place to write it is empty and in memory.

    is_kept: all that was to be remembered will be known to the next run.
    """

    def __init__(self) -> None:
        self.is_kept = True
        try:
            self._path = os.path.join(place("XDG_CACHE_HOME", b".cache"), b"cache.db")
            self._database = _prepared(connect(self._path))
        except (OSError, sqlite3.DatabaseError) as error:
            self._database = _prepared(sqlite3.connect(":memory:"))
            self.is_kept = False
            self._mend(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def folders(self, roots: Iterable[bytes]) -> dict[bytes, Folder]:
        """What is known of all folders below the roots, by path."""
        tops = tuple(root.rstrip(b"/") + b"/" for root in roots)
        return {
            folder.path: folder
            for shelf in self._shelves()
            if any(shelf[0].startswith(top) or top.startswith(shelf[0]) for top in tops)
            for folder in self._shelf(*shelf)
            if folder.path.startswith(tops)
        }

    def keep(self, folders: Collection[tuple[Folder, str]], gone: Collection[bytes]) -> None:
        """Remember folders, each with the tags of its files as JSON, and forget those that are gone.

        A full disk costs the memory, not the run.
        """
        changes: dict[tuple[bytes, int], dict[bytes, Folder | None]] = defaultdict(dict)
        for path in gone:
            changes[_shelf_of(path)][path] = None
        for folder, _ in folders:
            changes[_shelf_of(folder.path)][folder.path] = folder
        tags = ((folder.path, fields.encode()) for folder, fields in folders)
        try:
            with self._database as database:
                database.execute("BEGIN IMMEDIATE")  # what is read must not change before it is written
                for shelf, changed in changes.items():
                    content = {folder.path: folder for folder in self._shelf(*shelf)} | changed
                    packed = marshal.dumps([_packed(folder) for folder in content.values() if folder])
                    row = (*shelf, packed, crc32(packed))
                    database.execute("REPLACE INTO shelf VALUES (?, ?, ?, ?)", row)
                database.executemany("DELETE FROM tags WHERE path = ?", ((path,) for path in gone))
                database.executemany(
                    "REPLACE INTO tags VALUES (?, ?, ?)", ((*row, crc32(row[1])) for row in tags)
                )
        except sqlite3.DatabaseError as error:
            self.is_kept = False
            self._mend(error)

    def _shelves(self) -> list[tuple[bytes, int]]:
        try:
            rows = self._database.execute("SELECT top, number FROM shelf").fetchall()
            return [(top, number) for top, number in rows if isinstance(top, bytes)]
        except sqlite3.DatabaseError as error:
            self._mend(error)
            return []

    def _shelf(self, top: bytes, number: int) -> list[Folder]:
        try:
            row = self._database.execute(
                "SELECT folders, crc FROM shelf WHERE top = ? AND number = ?", (top, number)
            ).fetchone()
        except sqlite3.DatabaseError as error:
            self._mend(error)
            return []
        if row is None or not isinstance(row[0], bytes) or row[1] != crc32(row[0]):
            return []
        return [_unpacked(packed) for packed in marshal.loads(row[0])]  # noqa: S302 - our own, as the sum shows

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
        database.execute("SELECT 1 FROM shelf, tags LIMIT 1")
    except BaseException:
        database.close()
        raise
    return database


def _version(database: sqlite3.Connection) -> object:
    return database.execute("PRAGMA user_version").fetchone()[0]


def _shelf_of(path: bytes) -> tuple[bytes, int]:
    """Where a folder is kept: with others of the same library, by its first three names."""
    return b"/".join(path.split(b"/")[:4]) + b"/", crc32(path) % _SHELVES


def _packed(folder: Folder) -> tuple[object, ...]:
    odd = folder.odd
    return (*folder[:-1], None if odd == NOTHING_ODD else tuple(odd))


def _unpacked(packed: tuple[Any, ...]) -> Folder:
    odd = packed[-1]
    return Folder._make((*packed[:-1], NOTHING_ODD if odd is None else Odd._make(odd)))
