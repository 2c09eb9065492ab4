"""Create and check the tables of the state file."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

VERSION = 6

# Two processes may create the file at once, hence IF NOT EXISTS.
# folder: the tracks of a folder, as `library.track_table.FolderRow` has them.
# vanished: tracks without a file. root: what the last scan of a root found; ignore_files is 0 or 1.
# output: the mounts that the folder of a playlist is on.
# counter: one row. next_number: of the next new track; version: counts changes of the table of tracks.
# record: the order or the deck of a playlist, by kind. age: 0 for the last one, 1 for the one before the
# last make or deal, 2 for the order that the file has until it is replaced.
# numbers: of tracks, as 32-bit numbers: an order, or the parts of a deck one after the other.
# facts: JSON, all that is no array. content: fingerprint of the file that was written, or was to be.
# digest: of the tracks that it was written from.
# plays: what a play history knew of each track; rows: numbers, compressed, as `store.plays` has them.
# skip_list: paths: the entries of a list when it was last read, joined by NUL and compressed.
# Each row has a checksum of its other columns, so that only what we wrote is ever loaded.
_COLUMNS: dict[str, dict[str, type]] = {
    "folder": {"path": bytes, "names": bytes, "numbers": bytes, "marks": bytes},
    "vanished": {"number": int, "path": bytes, "mark": bytes, "since": int},
    "root": {"path": bytes, "ignore_files": int, "numbers": bytes, "mounts": str},
    "counter": {"next_number": int, "version": int},
    "record": {
        "path": bytes,
        "age": int,
        "kind": str,
        "numbers": bytes,
        "facts": str,
        "content": str,
        "digest": bytes,
    },
    "output": {"path": bytes, "mounts": str},
    "plays": {"source": bytes, "stamp": str, "note": str, "read_s": int, "rows": bytes},
    "skip_list": {"playlist": bytes, "list": bytes, "paths": bytes},
}
_KEYS = {
    "folder": "path",
    "vanished": "number",
    "root": "path, ignore_files",
    "record": "path, age",
    "output": "path",
    "plays": "source",
    "skip_list": "playlist, list",
}
_TYPES = {bytes: "BLOB", int: "INTEGER", str: "TEXT"}

# The tables that have rows of single playlists, and the column that names the playlist.
PLAYLIST_COLUMNS = {"record": "path", "output": "path", "skip_list": "playlist"}


def _tables() -> str:
    """Return the statements that make the tables."""
    statements = []
    for table, columns in _COLUMNS.items():
        parts = [f"{name} {_TYPES[kind]} NOT NULL" for name, kind in columns.items()]
        parts += ["checksum INTEGER NOT NULL"]
        parts += [f"PRIMARY KEY ({_KEYS[table]})"] if table in _KEYS else []
        statements.append(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(parts)});")
    return " ".join(statements)


def replace(table: str) -> str:
    """Return the statement that writes a row of a table; its values are all columns but the checksum."""
    values = [f"?{number}" for number in range(1, len(_COLUMNS[table]) + 1)]
    return f"REPLACE INTO {table} VALUES ({', '.join(values)}, {_checksum_of(values)})"  # noqa: S608 - our own words


def _checksum_of(values: Iterable[str]) -> str:
    # As bytes: damaged text cannot be handed to a function.
    return f"checksum_of({', '.join(f'CAST({value} AS BLOB)' for value in values)})"


def _checksum(*values: bytes) -> int:
    return crc32(b"\0".join(values))


class OtherVersionError(sqlite3.DatabaseError):
    """The state was written by another version, whose tables are not known."""


class BadRow(NamedTuple):
    """A row that playshuffle did not write like this; path is empty if that is damaged or unknown."""

    table: str
    row: int
    path: bytes


def prepared(database: sqlite3.Connection, *, writes: bool) -> sqlite3.Connection:
    """Return a checked database with the present tables; without `writes` it may be a copy.

    Raises:
        OtherVersionError: another version of playshuffle wrote it.
        sqlite3.DatabaseError: it is damaged.
    """
    # Not WAL: that cannot even be read on a full disk, and syncs too little by default.
    database.execute("PRAGMA journal_mode = TRUNCATE")
    database.execute("PRAGMA synchronous = FULL")
    # Where SQLite is built to overwrite freed pages, each change would write twice as much.
    database.execute("PRAGMA secure_delete = OFF")
    # In KB: the checks, then each playlist of an update read the same pages.
    database.execute("PRAGMA cache_size = -32768")
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    if version == 0 and writes:
        database.executescript(f"BEGIN IMMEDIATE; {_tables()} PRAGMA user_version = {VERSION}; COMMIT;")
    elif version not in (0, VERSION):
        raise OtherVersionError("another version of playshuffle wrote it")
    # Not quick_check: that does not compare the indexes.
    if database.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("integrity_check failed")
    return _set_up(database)


def _set_up(database: sqlite3.Connection) -> sqlite3.Connection:
    database.create_function("checksum_of", -1, _checksum, deterministic=True)
    return database


def empty() -> sqlite3.Connection:
    """Return an empty database in memory."""
    database = sqlite3.connect(":memory:")
    database.executescript(_tables())
    return _set_up(database)


def in_memory(database: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy of a database in memory, and close the database."""
    copy = sqlite3.connect(":memory:")
    database.backup(copy)
    database.close()
    return _set_up(copy)


def bad_rows(database: sqlite3.Connection) -> list[BadRow]:
    """Return the rows with values of a wrong type or a wrong checksum.

    Raises:
        sqlite3.DatabaseError: a table or column is missing.
    """
    bad = []
    for table, columns in _COLUMNS.items():
        types = {name: {bytes: "blob", int: "integer", str: "text"}[kind] for name, kind in columns.items()}
        is_bad = [f"typeof({name}) != '{kind}'" for name, kind in types.items()]
        is_bad.append(f"checksum != {_checksum_of(columns)}")
        path = next((name for name in ("path", "playlist") if name in columns), "''")
        query = f"SELECT rowid, CAST({path} AS BLOB) FROM {table} WHERE {' OR '.join(is_bad)}"  # noqa: S608
        bad += [BadRow(table, row, path) for row, path in database.execute(query)]
    return bad


def delete_rows(database: sqlite3.Connection, bad: Iterable[BadRow]) -> None:
    """Delete bad rows."""
    for table, row, _ in bad:
        database.execute(f"DELETE FROM {table} WHERE rowid = ?", (row,))  # noqa: S608
