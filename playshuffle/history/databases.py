"""Read play histories that are SQLite databases.

Each is told by its tables and columns, and read by one statement. Text and numbers in them may be anything.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from playshuffle.history.rows import Played, Row, path_of_uri
from playshuffle.system.foreign_database import read_foreign
from playshuffle.system.sqlite import Connection


class _Schema(NamedTuple):
    """How a database is read.

    needs: the columns that tell it, by table. rows: a statement that selects path, last_played,
    last_skipped, plays, skips and rating. full: the greatest rating. path_of: returns the path in a column.
    """

    needs: Mapping[str, str]
    rows: str
    full: float = 1
    path_of: Callable[[bytes], bytes] = bytes


def _pivot(names: str, name: str = "name", value: str = "value") -> str:
    """Return columns for rows that each have one value; `-` is a value that there is not."""
    return ", ".join(
        "NULL" if each == "-" else f"max(CASE {name} WHEN '{each}' THEN CAST({value} AS REAL) END)"
        for each in names.split()
    )


def _songs(column: str) -> _Schema:
    """Return how the collection of Strawberry and Clementine is read, which have one table."""
    rows = f"SELECT {column}, lastplayed, NULL, playcount, skipcount, rating FROM songs"  # noqa: S608 - our own words
    return _Schema({"songs": f"{column} lastplayed playcount skipcount rating"}, rows, path_of=path_of_uri)


_READERS = (
    # MPD: written by clients such as myMPD, which may pad numbers with zeros.
    _Schema(
        {"sticker": "type uri name value"},
        f"SELECT uri, {_pivot('lastPlayed lastSkipped playCount skipCount rating')}"  # noqa: S608
        " FROM sticker WHERE type = 'song' GROUP BY uri",
        full=10,
    ),
    # beets, without its ratings: mpdstats makes them up from plays and skips.
    _Schema(
        {"items": "id path", "item_attributes": "entity_id key value"},
        f"SELECT path, {_pivot('last_played - play_count skip_count -', 'key')}"  # noqa: S608
        " FROM items JOIN item_attributes ON entity_id = items.id GROUP BY items.id",
    ),
    # Navidrome: paths are relative to a library since version 0.55. The user is one of several.
    _Schema(
        {
            "annotation": "user_id item_id play_count play_date rating",
            "media_file": "id path",
            "user": "user_name",
        },
        "SELECT path, max(CASE typeof(play_date) WHEN 'text' THEN CAST(strftime('%s', play_date) AS INTEGER)"
        " ELSE play_date END), NULL, max(play_count), NULL, max(rating) FROM annotation"
        " JOIN media_file ON media_file.id = item_id JOIN user ON user.id = user_id"
        " WHERE item_type = 'media_file' AND :user IN ('', user_name) GROUP BY media_file.id",
        full=5,
    ),
    _songs("url"),  # Strawberry
    _songs("filename"),  # Clementine
)

# Values that cannot be right are missing: times after 2106, counts and ratings below zero.
_VALUES = (
    *(
        f"CASE WHEN {name} BETWEEN 1 AND 4294967295 THEN CAST({name} AS INTEGER) END"
        for name in ("last", "skipped")
    ),
    *(f"CASE WHEN {name} BETWEEN 0 AND 1e9 THEN CAST({name} AS INTEGER) END" for name in ("plays", "skips")),
    "CASE WHEN rating > 0 THEN min(1.0, rating / :full) END",
)
_NAMES = ("path", "last", "skipped", "plays", "skips", "rating")


class UnknownUserError(Exception):
    """A database has no user of this name."""


def read_database(path: bytes, user: str) -> list[Row] | None:
    """Return the rows of a database; None if it is of no known program.

    Args:
        path: of the database.
        user: whose plays count, of several; empty for all.

    Raises:
        sqlite3.DatabaseError: it cannot be read.
        UnknownUserError: there is no such user.
    """
    return read_foreign(path, lambda database: _read(database, user))


def _read(database: Connection, user: str) -> list[Row] | None:
    for reader in _READERS:
        if all(
            _columns(database, table).issuperset(needed.split()) for table, needed in reader.needs.items()
        ):
            if user:
                _check_user(database, reader, user)
            return list(_rows(database, reader, user))
    return None


def _columns(database: Connection, table: str) -> set[str]:
    return {row[0].decode() for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def _check_user(database: Connection, reader: _Schema, user: str) -> None:
    names = []
    if "user" in reader.needs:
        names = [name for (name,) in database.execute("SELECT CAST(user_name AS TEXT) FROM user")]
    if user.encode() not in names:
        raise UnknownUserError(user)


def _rows(database: Connection, reader: _Schema, user: str) -> Iterator[Row]:
    # A column may hold text, which SQLite takes for greater than any number.
    numbers = ", ".join(f"CAST({name} AS REAL) AS {name}" for name in _NAMES[1:])
    statement = (
        f"WITH raw({', '.join(_NAMES)}) AS ({reader.rows})"  # noqa: S608 - our own words
        f" SELECT CAST(path AS BLOB), {', '.join(_VALUES)}"
        f" FROM (SELECT path, {numbers} FROM raw) WHERE path IS NOT NULL"
    )
    for column, *values in database.execute(statement, {"full": reader.full, "user": user}):
        path = reader.path_of(column)
        if path and any(values):
            yield Row(path, Played._make(values))
