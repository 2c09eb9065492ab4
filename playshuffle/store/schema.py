"""Create and check the tables of the state file."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

VERSION = 17

# Two processes may create the file at once, hence IF NOT EXISTS.
# folder: the tracks of a folder, as `library.track_table.FolderRow` has them.
# former: the last file of a track without a file, or a file that another file of the track has replaced.
# former_folder: former names of renamed tracks in a folder, joined by '/', and their numbers.
# root: the result of the last scan of a root; ignore_files is 0 or 1.
# output: the mounts that contain a playlist's folder.
# counter: one row. next_number: of the next new track; version: counts changes of the table of tracks.
# clock: one row, as `system.clock.Clock`.
# record: the order or the deck of a playlist, by kind. age: 0 for the last one, 1 for the one before the
# last make or deal, 2 for the order of the file until it is replaced.
# record_tracks: numbers: of its tracks, as 32-bit numbers: an order, or the concatenated parts of a deck.
# A separate table, since most commands read all records, but the tracks of one.
# facts: JSON, everything but arrays. content: fingerprint of the written file, or of the file to write.
# digest: of the tracks that it was written from.
# plays: the content of a play history; rows: numbers in the format of `store.plays`.
# skip_list: paths: the entries of a list when it was last read, joined by NUL and compressed.
# unwritten: files that `store.path_moves` has not replaced yet.
# Each row has a checksum of its other columns, so that only rows that playshuffle wrote are loaded.
COLUMNS: dict[str, dict[str, type]] = {
    "folder": {"path": bytes, "names": bytes, "numbers": bytes, "marks": bytes},
    "former": {"number": int, "path": bytes, "mark": bytes, "since": int, "is_replaced": int},
    "former_folder": {"path": bytes, "names": bytes, "numbers": bytes},
    "root": {"path": bytes, "ignore_files": int, "numbers": bytes, "mounts": str},
    "counter": {"next_number": int, "version": int},
    "clock": {"time_s": int, "waited_s": int, "uptime_s": int},
    "record": {"path": bytes, "age": int, "kind": str, "facts": str, "content": str, "digest": bytes},
    "record_tracks": {"path": bytes, "age": int, "numbers": bytes},
    "output": {"path": bytes, "mounts": str},
    "plays": {"source": bytes, "stamp": str, "title": str, "note": str, "read_s": int, "rows": bytes},
    "skip_list": {"playlist": bytes, "list": bytes, "paths": bytes},
    "unwritten": {"path": bytes, "content": bytes},
}
# The number of leading columns that are the primary key of a table; 1 for all other tables.
_KEY_COLUMNS = {"root": 2, "counter": 0, "clock": 0, "record": 2, "record_tracks": 2, "skip_list": 2}
# The columns with paths, and how these are stored: as a user named them, or without symbolic links. Each
# other form is converted by `store.path_moves`, which needs all of them.
PATH_COLUMNS = {
    "folder": {"path": "named"},
    "former": {"path": "named"},
    "former_folder": {"path": "named"},
    "root": {"path": "named", "mounts": "mounts"},
    "record": {"path": "real", "facts": "facts"},
    "record_tracks": {"path": "real"},
    "output": {"path": "real", "mounts": "mounts"},
    "plays": {"source": "joined"},
    "skip_list": {"playlist": "real", "list": "named", "paths": "compressed"},
}

# Tables with rows of single playlists, and the column that names the playlist.
PLAYLIST_COLUMNS = {
    table: column
    for table, columns in PATH_COLUMNS.items()
    for column, form in columns.items()
    if form == "real"
}
_TYPES = {bytes: "BLOB", int: "INTEGER", str: "TEXT"}


def _tables() -> str:
    statements = []
    for table, columns in COLUMNS.items():
        parts = [f"{name} {_TYPES[kind]} NOT NULL" for name, kind in columns.items()]
        parts += ["checksum INTEGER NOT NULL"]
        key = ", ".join([*columns][: _KEY_COLUMNS.get(table, 1)])
        parts += [f"PRIMARY KEY ({key})"] if key else []
        statements.append(f"CREATE TABLE IF NOT EXISTS {table} ({', '.join(parts)});")
    return " ".join(statements)


def replace(table: str, *, has_number: bool = False) -> str:
    """Return the statement that writes a row of a table from values for all columns but the checksum.

    With `has_number`, the last value is the rowid.
    """
    parameters = [f"?{number}" for number in range(1, len(COLUMNS[table]) + 1)]
    values = dict(zip(COLUMNS[table], parameters, strict=True))
    values["checksum"] = f"checksum_of({_as_bytes(parameters)})"
    if has_number:
        values["rowid"] = f"?{len(parameters) + 1}"
    return f"REPLACE INTO main.{table} ({', '.join(values)}) VALUES ({', '.join(values.values())})"  # noqa: S608


def _as_bytes(values: Iterable[str]) -> str:
    # SQLite cannot pass damaged text to a function.
    return ", ".join(f"CAST({value} AS BLOB)" for value in values)


def _checksum(*values: bytes) -> int:
    return crc32(b"\0".join(values))


class OtherVersionError(sqlite3.DatabaseError):
    """Another version wrote the state, and its tables are unknown."""


class BadRow(NamedTuple):
    """A row with a wrong checksum or type. `path` is its playlist or folder; empty if unknown."""

    table: str
    row: int
    path: bytes


def prepared(database: sqlite3.Connection, bad: list[BadRow], *, writes: bool) -> sqlite3.Connection:
    """Return the database with the tables of this version. Queries see each table as a view without bad rows.

    Args:
        bad: a list to which queries add the bad rows that they meet.

    Raises:
        OtherVersionError: another version wrote its tables.
        sqlite3.DatabaseError: the database is damaged.
    """
    # Not WAL: it cannot even be read on a full disk, and syncs too little by default.
    database.execute("PRAGMA journal_mode = TRUNCATE")
    database.execute("PRAGMA synchronous = FULL")
    # If SQLite is built to overwrite freed pages, each change would write twice as much.
    database.execute("PRAGMA secure_delete = OFF")
    # In KB: each playlist of an update reads the same pages.
    database.execute("PRAGMA cache_size = -32768")
    version = _version(database)
    if version == 0 and writes:
        database.executescript(f"BEGIN IMMEDIATE; {_tables()} PRAGMA user_version = {VERSION}; COMMIT;")
    elif version not in (0, VERSION):
        raise OtherVersionError("another version of playshuffle wrote it")
    return _set_up(database, bad)


def _version(database: sqlite3.Connection) -> int:
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    return version


def check(database: sqlite3.Connection) -> None:
    """Check a whole database; put its bad rows into the list that was an argument of `prepared`.

    Raises:
        sqlite3.DatabaseError: it is damaged.
    """
    # Not quick_check: it does not compare the indexes.
    if database.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("integrity_check failed")
    for table in COLUMNS:
        database.execute(f"SELECT count(*) FROM {table}")  # noqa: S608


def _set_up(database: sqlite3.Connection, bad: list[BadRow]) -> sqlite3.Connection:
    def is_sound(is_as_written: int, table: str, row: int, path: bytes) -> bool:
        if not is_as_written:
            bad.append(BadRow(table, row, path or b""))
        return bool(is_as_written)

    database.create_function("checksum_of", -1, _checksum, deterministic=True)
    database.create_function("is_sound", 4, is_sound)
    for table, columns in COLUMNS.items():
        first, *others = columns
        # The plus keeps SQLite from passing a query's search value to is_sound in place of the row's own
        # value. The first column has none, so that the index is used: only its rows are read then.
        selected = ", ".join([first, *(f"+{name} AS {name}" for name in others)])
        types = [f"typeof({name}) = '{_TYPES[kind].lower()}'" for name, kind in columns.items()]
        path = first if columns[first] is bytes else "path" if "path" in columns else "''"
        is_as_written = f"{' AND '.join(types)} AND checksum = checksum_of({_as_bytes(columns)})"
        database.execute(
            f"CREATE TEMP VIEW {table} AS SELECT rowid AS rowid, {selected} FROM main.{table}"  # noqa: S608
            f" WHERE is_sound({is_as_written}, '{table}', rowid, CAST({path} AS BLOB))"
        )
    return database


def empty() -> sqlite3.Connection:
    """Return an empty database in memory."""
    database = sqlite3.connect(":memory:")
    database.executescript(_tables())
    return _set_up(database, [])


def in_memory(database: sqlite3.Connection, bad: list[BadRow]) -> sqlite3.Connection:
    """Return a copy of a database in memory, and close the original."""
    return _set_up(_copy(database), bad)


def _copy(database: sqlite3.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    database.backup(copy)
    database.close()
    return copy


def delete_rows(database: sqlite3.Connection, bad: Iterable[BadRow]) -> None:
    """Delete bad rows."""
    for table, row, _ in bad:
        database.execute(f"DELETE FROM main.{table} WHERE rowid = ?", (row,))  # noqa: S608
