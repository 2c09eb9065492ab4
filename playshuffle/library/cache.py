"""Store folders and their tags from one run to the next, in a database whose loss costs only time.

Each folder is a row. The tags of a folder stay on disk until they are requested.
"""

import contextlib
import marshal
import os
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Self
from zlib import crc32

from playshuffle.library.folder import NOTHING_ODD, Folder, Odd
from playshuffle.library.tag_columns import TagRow, unpack
from playshuffle.system.sqlite import connect
from playshuffle.system.xdg import cache_folder

# Raise this number with every change of a field of `Folder`, of which files count as audio or odd,
# of the way to read a tag, of the tables of tags and of spoken word (a test notices these), or of the form of
# an EXTINF line: another version drops the cache.
LAYOUT = 19

_VERSION = LAYOUT << 16 | sys.hexversion >> 16  # Python may change marshal

# SQLite does not notice a flipped bit, and marshal may crash on one: hence the checksums.
_TABLE = "CREATE TABLE folder (path BLOB PRIMARY KEY, packed BLOB, crc INTEGER, tags BLOB, tags_crc INTEGER)"


class Cache:
    """The open cache; empty and in memory if the database cannot be opened.

    `is_kept`: the next run will find the stored folders.
    """

    def __init__(self) -> None:
        self.is_kept = True
        try:
            self._path = os.path.join(cache_folder(), b"cache.db")
            self._database = _prepared(connect(self._path))
        except (OSError, sqlite3.DatabaseError) as error:
            self._database = _prepared(sqlite3.connect(":memory:"))
            self.is_kept = False
            self._recover(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def folders(self, roots: Iterable[bytes]) -> dict[bytes, Folder]:
        cached: dict[bytes, Folder] = {}
        last = b"none"  # no path begins with it
        try:
            for top in sorted({root.rstrip(b"/") + b"/" for root in roots}):
                if top.startswith(last):
                    continue
                last = top
                # The first path that does not begin with the root has the next character after the slash.
                rows = self._database.execute(
                    "SELECT path, packed, crc FROM folder WHERE path >= ? AND path < ?",
                    (top, top[:-1] + b"0"),
                )
                cached |= {path: _unpacked(packed) for path, packed, crc in rows if _crc(path, packed) == crc}
        except sqlite3.DatabaseError as error:
            self._recover(error)
        return cached

    def keep(self, folders: Collection[tuple[Folder, str]], gone: Collection[bytes]) -> None:
        """Store folders, each with its tags as JSON, and delete the folders in `gone`.

        On a full disk the run continues without the cache.
        """
        if not folders and not gone:
            return
        try:
            with self._database as database:
                database.executemany("DELETE FROM folder WHERE path = ?", ((path,) for path in gone))
                rows = (_row(folder, tags.encode()) for folder, tags in folders)
                database.executemany("REPLACE INTO folder VALUES (?, ?, ?, ?, ?)", rows)
        except sqlite3.DatabaseError as error:
            self.is_kept = False
            self._recover(error)

    def move(self, new_place: Callable[[bytes], bytes]) -> None:
        """Replace the path of each cached folder by `new_place(path)`."""
        try:
            rows = self._database.execute("SELECT * FROM folder").fetchall()
        except sqlite3.DatabaseError as error:
            self._recover(error)
            return
        moved: dict[bytes, tuple[Folder, str]] = {}
        for path, packed, crc, tags, tags_crc in rows:
            if new_place(path) != path and _crc(path, packed) == crc:
                folder = _unpacked(packed)
                if _crc(folder.names, folder.stamps, tags) == tags_crc:
                    moved[path] = folder._replace(path=new_place(path)), tags.decode()
        self.keep(moved.values(), moved)

    def fields(self, folder: Folder) -> Sequence[TagRow]:
        """Return the tags of each file in a folder, in the order of `folder.names`.

        Empty if they are unknown, or if another process has since stored other files for the folder.
        """
        try:
            row = self._database.execute(
                "SELECT tags, tags_crc FROM folder WHERE path = ?", (folder.path,)
            ).fetchone()
        except sqlite3.DatabaseError as error:
            self._recover(error)
            return []
        return unpack(row[0]) if row and row[1] == _crc(folder.names, folder.stamps, row[0]) else []

    def _recover(self, error: Exception) -> None:
        """Replace a damaged database by an empty one; do nothing if it is locked or the disk is full.

        Raises:
            sqlite3.ProgrammingError: the database was already closed.
        """
        if isinstance(error, sqlite3.ProgrammingError):
            raise error
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
        # If SQLite is built to overwrite freed pages, each change would write twice as much.
        database.execute("PRAGMA secure_delete = OFF")
        if _version(database) != _VERSION:
            with database:
                database.execute("BEGIN IMMEDIATE")
                if _version(database) != _VERSION:  # another process may have done it first
                    database.execute("DROP TABLE IF EXISTS folder")
                    database.execute(_TABLE)
                    database.execute(f"PRAGMA user_version = {_VERSION}")
        database.execute("SELECT 1 FROM folder LIMIT 1")
    except BaseException:
        database.close()
        raise
    return database


def _version(database: sqlite3.Connection) -> object:
    return database.execute("PRAGMA user_version").fetchone()[0]


def _row(folder: Folder, tags: bytes) -> tuple[bytes, bytes, int, bytes, int]:
    odd = folder.odd
    packed = marshal.dumps((*folder[:-1], None if odd == NOTHING_ODD else tuple(odd)))
    # The tags belong to these files: another process may have stored the folder with others.
    return folder.path, packed, _crc(folder.path, packed), tags, _crc(folder.names, folder.stamps, tags)


def _unpacked(packed: bytes) -> Folder:
    *fields, odd = marshal.loads(packed)  # noqa: S302 - the checksum is right
    return Folder._make((*fields, NOTHING_ODD if odd is None else Odd._make(odd)))


def _crc(*parts: object) -> int:
    """Return a checksum of all parts; -1, which no checksum equals, if a part is not bytes."""
    checksum = 0
    for part in parts:
        if not isinstance(part, bytes):
            return -1
        checksum = crc32(part, checksum)
    return checksum
