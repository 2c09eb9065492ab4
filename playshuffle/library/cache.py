"""Keep folders and their tags from one run to the next, in a database that may be lost.

A run over an unchanged library loads all folders. They are packed, up to 32 to a row called a
shelf, which loads five times faster than one row each. Tags stay on disk until a folder's are
asked for. A first run only appends shelves, so the bytes written grow linearly with the library,
and an interrupted run keeps what it has read. A change rewrites one shelf, whatever the size of
the library. A damaged row is dropped; a damaged database is deleted.
"""

import contextlib
import marshal
import os
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from types import TracebackType
from typing import Any, Self
from zlib import crc32

from playshuffle.library.folder import NOTHING_ODD, Folder, Odd
from playshuffle.library.tag_columns import Row, unpack
from playshuffle.system.sqlite import connect
from playshuffle.system.xdg import cache_folder
from playshuffle.tags import spoken
from playshuffle.tags.tag_frames import SIGNATURE

# Raise this number with every change of a field of `Folder`, of which files count as audio or odd,
# of the way a tag is read, or of the form of an EXTINF line: another version drops what is cached.
_LAYOUT = 10

# The tables of tags and of spoken word have their part in the version. So has Python, which may
# change marshal.
_VERSION = crc32(f"{_LAYOUT} {sys.hexversion >> 16} {SIGNATURE} {spoken.SIGNATURE}".encode()) >> 1

# SQLite does not notice a flipped bit, and marshal may crash on one: hence the checksums.
# prefix: the longest path that all folders of a shelf have in common, to the last slash.
_SCHEMA = {
    "shelf": "number INTEGER PRIMARY KEY, prefix BLOB, folders BLOB, crc INTEGER",
    "tags": "path BLOB PRIMARY KEY, shelf INTEGER, fields BLOB, crc INTEGER",
}
_SHELF_SIZE = 32  # folders; a change writes about 70 KB twice. Loading takes a tenth longer than with 128


class Cache:
    """The open cache; a context manager. Where the database cannot be opened, it is empty and in memory.

    is_kept: the next run will find everything that was kept.
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def folders(self, roots: Iterable[bytes]) -> dict[bytes, Folder]:
        """Return all known folders below the roots, by path."""
        tops = tuple(root.rstrip(b"/") + b"/" for root in roots)
        cached: dict[bytes, Folder] = {}
        try:
            rows = self._database.execute("SELECT number, prefix FROM shelf ORDER BY number").fetchall()
            for number, prefix in rows:
                if isinstance(prefix, bytes) and any(
                    prefix.startswith(top) or top.startswith(prefix) for top in tops
                ):
                    cached |= {
                        folder.path: folder for folder in self._load(number) if folder.path.startswith(tops)
                    }
        except sqlite3.DatabaseError as error:
            self._recover(error)
        return cached

    def keep(self, folders: Collection[tuple[Folder, str]], gone: Collection[bytes]) -> None:
        """Store folders, each with the tags of its files as JSON, and forget the folders in `gone`.

        On a full disk the run goes on without the cache.
        """
        if not folders and not gone:
            return
        try:
            with self._database as database:
                # Another process must not change a shelf between reading and writing it.
                database.execute("BEGIN IMMEDIATE")
                changes: dict[int, dict[bytes, Folder | None]] = defaultdict(dict)
                new = []
                for path in gone:
                    if (number := self._shelf_of(path)) is not None:
                        changes[number][path] = None
                for folder, _ in folders:
                    if (number := self._shelf_of(folder.path)) is not None:
                        changes[number][folder.path] = folder
                    else:
                        new.append(folder)
                shelves = {path: number for number, changed in changes.items() for path in changed}
                for number, changed in changes.items():
                    self._write(number, {folder.path: folder for folder in self._load(number)} | changed)
                shelves |= self._append(new)
                database.executemany("DELETE FROM tags WHERE path = ?", ((path,) for path in gone))
                rows = (
                    (folder.path, shelves[folder.path], packed := fields.encode(), _tags_crc(folder, packed))
                    for folder, fields in folders
                )
                database.executemany("REPLACE INTO tags VALUES (?, ?, ?, ?)", rows)
        except sqlite3.DatabaseError as error:
            self.is_kept = False
            self._recover(error)

    def _append(self, folders: Sequence[Folder]) -> dict[bytes, int]:
        """Put new folders on the last shelf while it has room, then on new ones; return the shelf of each."""
        # Never on an earlier shelf: where a folder's row in `tags` was lost, its new shelf comes after
        # the former one, and `folders` returns the later of two.
        last = self._database.execute("SELECT max(number) FROM shelf").fetchone()[0]
        number, content = (1, []) if last is None else (last, self._load(last))
        shelves: dict[bytes, int] = {}
        unwritten = iter(folders)
        while batch := list(islice(unwritten, max(0, _SHELF_SIZE - len(content)))) or list(
            islice(unwritten, _SHELF_SIZE)
        ):
            if len(content) >= _SHELF_SIZE:
                number, content = number + 1, []
            content += batch
            self._write(number, {folder.path: folder for folder in content})
            shelves |= dict.fromkeys((folder.path for folder in batch), number)
        return shelves

    def _write(self, number: int, content: Mapping[bytes, Folder | None]) -> None:
        """Write a shelf, or delete it where nothing is left on it."""
        folders = [folder for folder in content.values() if folder is not None]
        if not folders:
            self._database.execute("DELETE FROM shelf WHERE number = ?", (number,))
            return
        common = os.path.commonprefix([folder.path for folder in folders]) or b""  # noqa: RUF071 - cut below
        packed = marshal.dumps([_packed(folder) for folder in folders])
        row = (number, common[: common.rfind(b"/") + 1], packed, crc32(packed))
        self._database.execute("REPLACE INTO shelf VALUES (?, ?, ?, ?)", row)

    def _load(self, number: int) -> list[Folder]:
        """Return the folders of a shelf; none where it is damaged."""
        row = self._database.execute("SELECT folders, crc FROM shelf WHERE number = ?", (number,)).fetchone()
        if row is None or not isinstance(row[0], bytes) or row[1] != crc32(row[0]):
            return []
        return [_unpacked(packed) for packed in marshal.loads(row[0])]  # noqa: S302 - the checksum is right

    def _shelf_of(self, path: bytes) -> int | None:
        """Return the number of the shelf that a folder is on."""
        row = self._database.execute("SELECT shelf FROM tags WHERE path = ?", (path,)).fetchone()
        return row[0] if row is not None and isinstance(row[0], int) else None

    def fields(self, folder: Folder) -> Sequence[Row]:
        """Return the fields of the tags of all files of one folder, in the order of its names.

        Empty if they are not known, or if another process has stored those of other files since.
        """
        try:
            row = self._database.execute(
                "SELECT fields, crc FROM tags WHERE path = ?", (folder.path,)
            ).fetchone()
        except sqlite3.DatabaseError as error:
            self._recover(error)
            return []
        is_sound = row and isinstance(row[0], bytes) and row[1] == _tags_crc(folder, row[0])
        return unpack(row[0]) if is_sound else []

    def _recover(self, error: Exception) -> None:
        """Delete the database if it is damaged. Where it is locked or the disk is full, do nothing.

        Raises:
            sqlite3.ProgrammingError: the database was used wrongly, such as after it was closed.
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
        # Where SQLite is built to overwrite freed pages, each change would write twice as much.
        database.execute("PRAGMA secure_delete = OFF")
        if _version(database) != _VERSION:
            with database:
                database.execute("BEGIN IMMEDIATE")
                if _version(database) != _VERSION:  # another process may have been faster
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


def _packed(folder: Folder) -> tuple[object, ...]:
    odd = folder.odd
    return (*folder[:-1], None if odd == NOTHING_ODD else tuple(odd))


def _unpacked(packed: tuple[Any, ...]) -> Folder:
    odd = packed[-1]
    return Folder._make((*packed[:-1], NOTHING_ODD if odd is None else Odd._make(odd)))


def _tags_crc(folder: Folder, fields: bytes) -> int:
    """Return a checksum of the tags of a folder, and of the files that they belong to."""
    return crc32(fields, crc32(folder.stamps, crc32(folder.names)))
