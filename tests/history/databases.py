"""Make databases with the public schemas of players, without the columns that playshuffle does not read."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playshuffle.history.rows import HistoryRow, HistoryRows, Played

MPD = """
CREATE TABLE sticker(
    type VARCHAR NOT NULL, uri VARCHAR NOT NULL, name VARCHAR NOT NULL, value VARCHAR NOT NULL);
CREATE UNIQUE INDEX sticker_value ON sticker(type, uri, name);
"""
_NAVIDROME = """
CREATE TABLE user (id varchar(255) PRIMARY KEY, user_name varchar(255) DEFAULT '' NOT NULL UNIQUE);
INSERT INTO user VALUES ('u1', 'ann'), ('u2', 'bob');
CREATE TABLE annotation (
    {id} user_id varchar(255) DEFAULT '' NOT NULL, item_id varchar(255) DEFAULT '' NOT NULL,
    item_type varchar(255) DEFAULT '' NOT NULL, play_count integer DEFAULT 0, play_date datetime,
    rating integer DEFAULT 0, starred bool DEFAULT FALSE NOT NULL, starred_at datetime,
    UNIQUE (user_id, item_id, item_type));
"""
# Before version 0.53: annotations have numbers, paths are absolute, and there is no table of libraries.
NAVIDROME_0_49 = (
    _NAVIDROME.format(id="ann_id varchar(255) PRIMARY KEY,")
    + """
CREATE TABLE media_file (id varchar(255) PRIMARY KEY, path varchar(255) DEFAULT '' NOT NULL);
"""
)
# From version 0.55 on: paths are relative to a library.
NAVIDROME_0_55 = (
    _NAVIDROME.format(id="")
    + """
CREATE TABLE library (
    id integer PRIMARY KEY AUTOINCREMENT, name text NOT NULL UNIQUE, path text NOT NULL UNIQUE);
INSERT INTO library VALUES (1, 'Music Library', '/music');
CREATE TABLE media_file (
    id varchar(255) PRIMARY KEY, path varchar(255) DEFAULT '' NOT NULL,
    library_id integer NOT NULL DEFAULT 1 REFERENCES library(id) ON DELETE CASCADE,
    missing boolean DEFAULT false NOT NULL);
"""
)
STRAWBERRY = """
CREATE TABLE songs (
    title TEXT, url TEXT NOT NULL, mtime INTEGER NOT NULL DEFAULT -1, playcount INTEGER NOT NULL DEFAULT 0,
    skipcount INTEGER NOT NULL DEFAULT 0, lastplayed INTEGER NOT NULL DEFAULT -1, rating INTEGER DEFAULT -1);
"""
SCROBBLES = """
CREATE TABLE scrobbles (
    media_file_id VARCHAR(255) NOT NULL, user_id VARCHAR(255) NOT NULL, submission_time INTEGER NOT NULL);
"""
JELLYFIN = """
CREATE TABLE Users (Id TEXT PRIMARY KEY, Username TEXT NOT NULL);
CREATE TABLE BaseItems (Id TEXT PRIMARY KEY, Type TEXT NOT NULL, Path TEXT, Name TEXT);
CREATE TABLE UserData (
    ItemId TEXT NOT NULL, UserId TEXT NOT NULL, CustomDataKey TEXT NOT NULL, Rating REAL,
    PlayCount INTEGER NOT NULL, IsFavorite INTEGER NOT NULL, LastPlayedDate TEXT, Played INTEGER NOT NULL,
    PRIMARY KEY (ItemId, UserId, CustomDataKey));
INSERT INTO Users VALUES ('U1', 'ann'), ('U2', 'bob');
"""
LYRION = """
CREATE TABLE tracks_persistent (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, urlmd5 CHAR(32), musicbrainz_id VARCHAR(40), added INT,
    rating INT, playCount INT, lastPlayed INT);
"""


def database(path: Path, schema: str, statement: str = "", rows: Sequence[Sequence[Any]] = ()) -> Path:
    """Write a database with this schema, and rows inserted by the statement."""
    connection = sqlite3.connect(path)
    with connection:
        connection.executescript(schema)
        if rows:
            connection.executemany(statement, rows)
    connection.close()
    return path


def stickers(path: Path, values: dict[str, dict[str, str]]) -> Path:
    """Write a sticker database of MPD with these values, by the song's URI and the sticker's name."""
    rows = [("song", uri, name, value) for uri, named in values.items() for name, value in named.items()]
    return database(path, MPD, "INSERT INTO sticker VALUES (?, ?, ?, ?)", rows)


def history_rows(rows: HistoryRows) -> list[HistoryRow]:
    """Return the columns of a play history as rows."""
    played = map(Played._make, zip(*rows.played, strict=True))
    return [HistoryRow(*row) for row in zip(rows.paths, played, rows.names, strict=True)]
