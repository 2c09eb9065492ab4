"""The tables of the state file: made, brought up to date, and looked over.

A new version comes with a step from the one before it, in one transaction, after the file was
kept as it was beside the new one.
"""

import contextlib
import json
import os
import sqlite3

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system.mounts import Mount

VERSION = 2

# Two runs may begin it at once, hence IF NOT EXISTS.
# library: paths joined by NUL and compressed; marks: of these, compressed, empty if none were kept.
# playlist: gone: JSON, index -> seconds; shuffled: when its order was drawn, in seconds.
# deck: places: index arrays one after the other; facts: JSON, how long each is, and all that is no array.
_DECK = """
    CREATE TABLE IF NOT EXISTS deck (
        path BLOB NOT NULL,
        age INTEGER NOT NULL,
        library BLOB NOT NULL REFERENCES library,
        places BLOB NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (path, age)
    );
"""
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS library (
        digest BLOB PRIMARY KEY,
        paths BLOB NOT NULL,
        marks BLOB NOT NULL DEFAULT x''
    );
    CREATE TABLE IF NOT EXISTS playlist (
        path BLOB NOT NULL,
        age INTEGER NOT NULL,
        library BLOB NOT NULL REFERENCES library,
        places BLOB NOT NULL,
        content TEXT NOT NULL,
        played INTEGER NOT NULL,
        gone TEXT NOT NULL DEFAULT '{}',
        shuffled INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (path, age)
    );
    CREATE TABLE IF NOT EXISTS root (path BLOB PRIMARY KEY, tracks INTEGER NOT NULL, mounts TEXT NOT NULL);
"""
    + _DECK
)

# From each version to the next.
_STEPS = {
    1: """
    ALTER TABLE library ADD marks BLOB NOT NULL DEFAULT x'';
    ALTER TABLE playlist ADD gone TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE playlist ADD shuffled INTEGER NOT NULL DEFAULT 0;
    """
    + _DECK,
}

_PLAYLIST = ("path", "age", "library", "content", "played", "gone", "shuffled")
_DECKS = ("path", "age", "library", "places", "facts")
_PLAYLIST_TYPES = [bytes, int, bytes, str, int, str, int]
_DECK_TYPES = [bytes, int, bytes, bytes, str]


def prepared(database: sqlite3.Connection, path: bytes, *, writes: bool) -> sqlite3.Connection:
    """The database with the tables of today, seen to be whole; without `writes` perhaps a copy of it.

    Raises:
        PlayshuffleError: a newer playshuffle wrote it.
        sqlite3.DatabaseError: it is damaged.
    """
    # Not WAL: that cannot even be read on a full disk, and syncs too little by default.
    database.execute("PRAGMA journal_mode = TRUNCATE")
    database.execute("PRAGMA synchronous = FULL")
    version = _version(database)
    if version > VERSION:
        database.close()
        raise PlayshuffleError(
            f"The state in {shown(path)} was written by a newer playshuffle; upgrade this one.", Exit.CONFIG
        )
    if version == 0 and writes:
        database.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
    elif 0 < version < VERSION:
        _check_whole(database)
        database = _brought_up(database, path) if writes else _copied(database)
    check(database)
    return database


def empty() -> sqlite3.Connection:
    """A database in memory."""
    database = sqlite3.connect(":memory:")
    database.executescript(_TABLES)
    return database


def _version(database: sqlite3.Connection) -> int:
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    return version


def _brought_up(database: sqlite3.Connection, path: bytes) -> sqlite3.Connection:
    version = _version(database)
    kept = path + b".v%d" % version
    if not os.path.exists(kept):
        # Beside it first: what is found under the name must be whole.
        half = kept + b".%d" % os.getpid()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(half)
        database.execute("VACUUM INTO ?", (os.fsdecode(half),))
        os.chmod(half, 0o600)
        os.replace(half, kept)
    database.execute("BEGIN IMMEDIATE")
    try:
        _step(database)
        database.commit()
    except BaseException:
        database.rollback()
        raise
    return database


def _copied(database: sqlite3.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:")
    database.backup(copy)
    database.close()
    _step(copy)
    copy.commit()
    return copy


def _step(database: sqlite3.Connection) -> None:
    for version in range(_version(database), VERSION):  # asked again: another run may have been faster
        for statement in filter(str.strip, _STEPS[version].split(";")):
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {version + 1}")


def check(database: sqlite3.Connection) -> None:
    """Raise a DatabaseError if it is not whole, or has what we never wrote.

    An order is checked when it is asked for. Cost: that of reading the file.
    """
    _check_whole(database)
    database.execute("SELECT digest, paths, marks, places FROM library, playlist LIMIT 0")
    for table, columns, types in (("playlist", _PLAYLIST, _PLAYLIST_TYPES), ("deck", _DECKS, _DECK_TYPES)):
        for row in database.execute(f"SELECT {', '.join(columns)} FROM {table}"):  # noqa: S608 - our own words
            if [*map(type, row)] != types:
                raise sqlite3.DatabaseError("a value of another type")
    for row in database.execute("SELECT path, tracks, mounts FROM root"):
        if [*map(type, row)] != [bytes, int, str]:
            raise sqlite3.DatabaseError("a value of another type")
        mounts_from(row[2])


def _check_whole(database: sqlite3.Connection) -> None:
    # Not quick_check: that does not compare the indexes.
    if database.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("integrity_check failed")


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
