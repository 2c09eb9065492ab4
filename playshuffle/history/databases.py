"""Read play histories that are SQLite databases.

Each is identified by its tables and columns, and read by one statement.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from playshuffle.history.rows import Columns, HistoryRows, path_of_uri

if TYPE_CHECKING:
    from playshuffle.system.sqlite import Connection


class Database(NamedTuple):
    """How to read a database.

    Attributes:
        needs: maps each table to columns that identify the database.
        rows: a statement that selects path, last_played, last_skipped, plays, skips and rating. `:user` is
            the user whose plays count, or empty. With `names`, it selects path, name and value.
        names: the names of the five values, and of likes, in a table of names and values.
        users: a statement that selects all users' names, if there are several.
        starts: a statement that selects whether the program counts plays when they start.
    """

    needs: Mapping[str, str]
    rows: str
    names: str = ""
    full: float = 1
    path_of: Callable[[bytes], bytes] = bytes
    users: str = ""
    starts: str = "SELECT 0"

    def missing_columns(self, database: "Connection") -> list[str] | None:
        """Return the columns that a database lacks; None if it lacks a whole table."""
        missing = []
        for table, needed in self.needs.items():
            query = "SELECT name FROM pragma_table_info(?)"
            columns = {name.decode() for (name,) in database.execute(query, (table,))}
            if not columns:
                return None
            missing += [f"{table}.{name}" for name in needed.split() if name not in columns]
        return missing

    def read(self, database: "Connection", user: str) -> HistoryRows:
        """Return a row for each track; only plays of `user` count, or all plays if empty.

        Raises:
            UnknownUserError: no such user exists.
        """
        if user and user.encode() not in [name for (name,) in database.execute(self.users or "SELECT 0")]:
            raise UnknownUserError(user)
        if self.names:
            columns = _by_name(database.execute(self.rows), self.names, self.full)
        else:
            # A column may have text, which SQLite sorts behind every number.
            numbers = ", ".join(f"CAST({name} AS REAL)" for name in _NAMES[1:])
            raw = f"WITH raw({', '.join(_NAMES)}) AS ({self.rows})"
            query = f"{raw} SELECT CAST(path AS BLOB), {numbers} FROM raw WHERE path IS NOT NULL"  # noqa: S608 - our own words
            columns = [*zip(*database.execute(query, {"user": user}), strict=True)] or [()] * len(_NAMES)
        paths, ratings = list(map(self.path_of, columns[0])), columns[-1]
        times_and_counts = map(_possible, columns[1:-1], (_TIMES, _TIMES, _COUNTS, _COUNTS))
        shares = [min(1.0, rating / self.full) if rating and rating > 0 else None for rating in ratings]
        played = Columns._make([*times_and_counts, shares])
        return HistoryRows(paths, played, [None] * len(paths)).where(paths)  # empty: it is not a file

    def counts_starts(self, database: "Connection") -> bool:
        return bool(database.execute(self.starts).fetchone()[0])


def _possible(column: Sequence[float | None], limits: tuple[float, float]) -> list[int | None]:
    low, high = limits
    return [int(number) if number is not None and low <= number <= high else None for number in column]


def _by_name(rows: Iterable[tuple[bytes, bytes, float]], names: str, full: float) -> list[Sequence[Any]]:
    """Return a column of paths, and one for each name; a path that is only liked has the full rating."""
    values: defaultdict[bytes, dict[bytes, float]] = defaultdict(dict)
    for path, name, value in rows:
        values[name][path] = value
    *others, ratings, likes = (values[name] for name in names.encode().split())
    liked = {path: full for path, value in likes.items() if value == 2}
    columns = [*others, liked | {path: value for path, value in ratings.items() if value}]
    paths = list(dict.fromkeys(chain(*columns)))
    return [paths, *(list(map(column.get, paths)) for column in columns)]


def _songs(column: str) -> Database:
    rows = f"SELECT {column}, lastplayed, NULL, playcount, skipcount, rating FROM songs"  # noqa: S608 - our own words
    return Database({"songs": f"{column} lastplayed playcount skipcount rating"}, rows, path_of=path_of_uri)


# Written by clients such as myMPD, which may pad numbers with zeros. `like` is 0, 1 or 2. By the index of the
# table, it would take twice the time.
MPD = Database(
    {"sticker": "type uri name value"},
    "SELECT CAST(uri AS BLOB), name, CAST(value AS REAL) FROM sticker NOT INDEXED WHERE type = 'song'",
    names="lastPlayed lastSkipped playCount skipCount rating like",
    full=10,
)
# mpdstats writes last_played at the start, for skips too. It computes ratings from plays and skips.
_GREATEST = "max(CAST(value AS REAL)) FILTER (WHERE key = '{}')"
_PLAYS, _SKIPS, _LAST = map(_GREATEST.format, ("play_count", "skip_count", "last_played"))
BEETS = Database(
    {"items": "id path", "item_attributes": "entity_id key value"},
    f"SELECT path, iif({_PLAYS} > 0, {_LAST}, NULL), iif({_PLAYS} > 0, NULL, {_LAST}), {_PLAYS}, {_SKIPS},"  # noqa: S608
    " NULL FROM items JOIN item_attributes ON entity_id = items.id GROUP BY items.id",
)


def _navidrome(scrobbled: str, **needs: str) -> Database:
    """Return how to read Navidrome; `scrobbled`, a FROM clause, selects a user's plays of a track.

    Paths are relative to a library since version 0.55. Favourites without a rating have all stars.
    """
    number = "CAST(strftime('%s', play_date) AS INTEGER)"
    played = f"CASE typeof(play_date) WHEN 'text' THEN {number} ELSE play_date END"
    return Database(
        {
            "annotation": "user_id item_id play_count play_date rating starred",
            "media_file": "id path",
            "user": "id user_name",
            **needs,
        },
        f"SELECT path, max(max(coalesce({played}, 0),"  # noqa: S608
        f" (SELECT coalesce(max(submission_time), 0) {scrobbled}))), NULL,"
        f" max(max(coalesce(play_count, 0), (SELECT count(*) {scrobbled}))), NULL,"
        " max(CASE WHEN rating > 0 THEN rating WHEN starred THEN 5 END) FROM annotation"
        " JOIN media_file ON media_file.id = item_id JOIN user ON user.id = annotation.user_id"
        " WHERE item_type = 'media_file' AND :user IN ('', user_name) GROUP BY media_file.id",
        full=5,
        users="SELECT CAST(user_name AS TEXT) FROM user",
    )


NAVIDROME = _navidrome("FROM (SELECT 0 AS submission_time) WHERE 0")
NAVIDROME_WITH_SCROBBLES = _navidrome(  # since December 2025
    "FROM scrobbles WHERE media_file_id = media_file.id AND scrobbles.user_id = annotation.user_id",
    scrobbles="media_file_id user_id submission_time",
)
# Milliseconds, written at the start, for skips too; ratings from 0 to 10.
ELISA = Database(
    {
        "TracksData": "FileName LastPlayDate PlayCounter",
        "Tracks": "FileName Rating",
        "DatabaseVersion": "Version",
    },
    "SELECT FileName, iif(PlayCounter > 0, LastPlayDate, NULL) / 1000,"
    " iif(PlayCounter > 0, NULL, LastPlayDate) / 1000, PlayCounter, NULL, Rating"
    " FROM TracksData LEFT JOIN Tracks USING (FileName)",
    full=10,
    path_of=path_of_uri,
    starts="SELECT min(Version) < 17 FROM DatabaseVersion",
)
# Local times.
KODI = Database(
    {"song": "idPath strFileName iTimesPlayed lastplayed userrating", "path": "idPath strPath"},
    "SELECT strPath || strFileName, strftime('%s', lastplayed, 'utc'), NULL, iTimesPlayed, NULL, userrating"
    " FROM song JOIN path USING (idPath)",
    full=10,
)
LOLLYPOP = Database(
    {"tracks": "uri popularity rate loved ltime"},
    "SELECT uri, ltime, NULL, popularity, NULL, CASE WHEN rate > 0 THEN rate WHEN loved = 1 THEN 5 END"
    " FROM tracks",
    full=5,
    path_of=path_of_uri,
)
# An item may have several rows of one user. Favourites have all stars.
JELLYFIN = Database(
    {
        "UserData": "ItemId UserId PlayCount LastPlayedDate IsFavorite",
        "BaseItems": "Id Path",
        "Users": "Id Username",
    },
    "SELECT Path, max(strftime('%s', substr(LastPlayedDate, 1, 19))), NULL, max(PlayCount), NULL,"
    " max(IsFavorite) FROM UserData JOIN BaseItems ON BaseItems.Id = ItemId JOIN Users ON Users.Id = UserId"
    " WHERE :user IN ('', Username) GROUP BY BaseItems.Id",
    users="SELECT CAST(Username AS TEXT) FROM Users",
)
LYRION = Database(
    {"tracks_persistent": "url lastPlayed playCount rating"},
    "SELECT url, lastPlayed, NULL, playCount, NULL, rating FROM tracks_persistent",
    full=100,
    path_of=path_of_uri,
)
STRAWBERRY = _songs("url")
CLEMENTINE = _songs("filename")

_TIMES, _COUNTS = (1, 2**32 - 1), (0, 1e9)  # times until 2106; others are impossible, and count as missing
_NAMES = ("path", "last", "skipped", "plays", "skips", "rating")


class UnknownUserError(Exception):
    """A database has no user of this name."""
