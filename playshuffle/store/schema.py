"""Create and check the tables of the state file."""

import json
import os
import sqlite3
import zlib
from typing import Any, NamedTuple

from playshuffle.system.mounts import Mount

# Raise it with every change of a table, or of what a column holds: a state of another version is set aside.
VERSION = 1

# Two processes may create the file at once, hence IF NOT EXISTS.
# library: paths joined by NUL and compressed. Orders and decks over the same paths share a row.
# playlist: age: as `store.state` has it.
# gone: JSON, index -> Unix seconds; shuffled: Unix seconds when its order was drawn.
# deck: places: index arrays one after the other; facts: JSON, their lengths, and all that is no array.
# marks: how to recognise each path of the library, as files were when this row was written; compressed.
# They are not shared: rows over the same paths may be written before and after files swap their names.
# root: a folder as any playlist found it last; playlist_root: as this playlist did.
# skip_list: paths: the entries of a list when it was last read, joined by NUL and compressed.
_TABLES = """
    CREATE TABLE IF NOT EXISTS library (digest BLOB PRIMARY KEY, paths BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS playlist (
        path BLOB NOT NULL,
        age INTEGER NOT NULL,
        library BLOB NOT NULL REFERENCES library,
        places BLOB NOT NULL,
        content TEXT NOT NULL,
        played INTEGER NOT NULL,
        gone TEXT NOT NULL,
        shuffled INTEGER NOT NULL,
        marks BLOB NOT NULL,
        PRIMARY KEY (path, age)
    );
    CREATE TABLE IF NOT EXISTS deck (
        path BLOB NOT NULL,
        age INTEGER NOT NULL,
        library BLOB NOT NULL REFERENCES library,
        places BLOB NOT NULL,
        facts TEXT NOT NULL,
        marks BLOB NOT NULL,
        PRIMARY KEY (path, age)
    );
    CREATE TABLE IF NOT EXISTS root (path BLOB PRIMARY KEY, tracks INTEGER NOT NULL, mounts TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS playlist_root (
        playlist BLOB NOT NULL,
        path BLOB NOT NULL,
        tracks INTEGER NOT NULL,
        mounts TEXT NOT NULL,
        PRIMARY KEY (playlist, path)
    );
    CREATE TABLE IF NOT EXISTS skip_list (
        playlist BLOB NOT NULL,
        list BLOB NOT NULL,
        paths BLOB NOT NULL,
        PRIMARY KEY (playlist, list)
    );
"""


_COLUMNS: dict[str, dict[str, type]] = {
    "playlist": {
        "path": bytes,
        "age": int,
        "library": bytes,
        "places": bytes,
        "content": str,
        "played": int,
        "gone": str,
        "shuffled": int,
        "marks": bytes,
    },
    "deck": {"path": bytes, "age": int, "library": bytes, "places": bytes, "facts": str, "marks": bytes},
    "root": {"path": bytes, "tracks": int, "mounts": str},
    "playlist_root": {"playlist": bytes, "path": bytes, "tracks": int, "mounts": str},
    "skip_list": {"playlist": bytes, "list": bytes, "paths": bytes},
}


# The tables that have rows of single playlists, and the column that names the playlist.
PLAYLIST_COLUMNS = {"playlist": "path", "deck": "path", "playlist_root": "playlist", "skip_list": "playlist"}


class BadRow(NamedTuple):
    """A row that playshuffle did not write like this; path is empty if that is damaged."""

    table: str
    row: int
    path: bytes


class OtherVersionError(sqlite3.DatabaseError):
    """Another version of playshuffle wrote the state, and other tables than these."""


def prepare(database: sqlite3.Connection, *, writes: bool) -> None:
    """Check a database, and create the tables in a new one.

    Raises:
        OtherVersionError: it has other tables.
        sqlite3.DatabaseError: it is damaged.
    """
    # Not WAL: that cannot even be read on a full disk, and syncs too little by default.
    database.execute("PRAGMA journal_mode = TRUNCATE")
    database.execute("PRAGMA synchronous = FULL")
    # Where SQLite is built to overwrite freed pages, each change would write twice as much.
    database.execute("PRAGMA secure_delete = OFF")
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version == 0 and writes:
        database.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
    elif version not in (0, VERSION):
        raise OtherVersionError
    _check(database)
    database.text_factory = _text


def _text(data: bytes) -> str:
    # Damaged text costs its row, so reading it must not raise.
    return data.decode(errors="surrogateescape")


def empty() -> sqlite3.Connection:
    """Return an empty database in memory."""
    database = sqlite3.connect(":memory:")
    database.executescript(_TABLES)
    return database


def in_memory(database: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy of a database in memory, and close the database."""
    copy = sqlite3.connect(":memory:")
    database.backup(copy)
    database.close()
    copy.text_factory = _text
    return copy


def _check(database: sqlite3.Connection) -> None:
    """Raise a DatabaseError if the file is damaged, or lacks a table or column.

    Cost: that of reading the file.
    """
    # Not quick_check: that does not compare the indexes.
    if database.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("integrity_check failed")
    database.execute("SELECT digest, paths FROM library LIMIT 0")
    for table, columns in _COLUMNS.items():
        database.execute(f"SELECT {', '.join(columns)} FROM {table} LIMIT 0")  # noqa: S608 - our own words


def bad_rows(database: sqlite3.Connection) -> list[BadRow]:
    """Return the rows with values of a wrong type; index arrays are checked when they are loaded."""
    bad = []
    for table, columns in _COLUMNS.items():
        (first, _), *others = columns.items()  # the path of the playlist or folder
        types = ["blob" if kind is bytes else kind for _, kind in others]
        # The content of blobs is not read: they may be long.
        asked = ["rowid", first, *(f"typeof({name})" if kind is bytes else name for name, kind in others)]
        for number, path, *row in database.execute(f"SELECT {', '.join(asked)} FROM {table}"):  # noqa: S608
            found = [value if kind == "blob" else type(value) for value, kind in zip(row, types, strict=True)]
            if not isinstance(path, bytes) or found != types or not _is_sound(table, row):
                bad.append(BadRow(table, number, path if isinstance(path, bytes) else b""))
    return bad


def _is_sound(table: str, row: list[Any]) -> bool:
    if not all(value.isascii() for value in row if isinstance(value, str)):
        return False  # all text in the file is JSON in ASCII, or a fingerprint
    if table in ("root", "playlist_root"):
        try:
            mounts_from(row[-1])
        except sqlite3.DatabaseError:
            return False
    return True


def delete_row(database: sqlite3.Connection, bad: BadRow) -> None:
    """Delete a bad row, and the paths that it refers to if these are damaged, too."""
    if bad.table in ("playlist", "deck"):
        query = (
            f"SELECT digest, paths FROM {bad.table} JOIN library ON library = digest"  # noqa: S608
            f" WHERE {bad.table}.rowid = ?"
        )
        for digest, paths in database.execute(query, (bad.row,)).fetchall():
            try:
                zlib.decompress(paths)
            except (zlib.error, TypeError):
                database.execute("DELETE FROM library WHERE digest = ?", (digest,))
    database.execute(f"DELETE FROM {bad.table} WHERE rowid = ?", (bad.row,))  # noqa: S608


def mounts_from(text: str) -> list[Mount]:
    """Mounts as they were kept; a DatabaseError if we did not write that."""
    try:
        return [
            Mount(os.fsencode(point), kind, os.fsencode(source), fsid)
            for point, kind, source, fsid in json.loads(text)
        ]
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError("not a root") from error


def mounts_as(mounts: list[Mount]) -> str:
    """Mounts as they are kept."""
    return json.dumps(
        [(os.fsdecode(mount.point), mount.kind, os.fsdecode(mount.source), mount.fsid) for mount in mounts]
    )
