"""Test how the databases of players are read."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from playshuffle.history.history_reader import SourceError, read_source
from playshuffle.history.rows import Played
from playshuffle.history.sources import Source
from tests.history import databases as db
from tests.history.databases import database, stickers
from tests.support.forked import forked
from tests.support.tree import public_folder

JUNE = 1_750_000_000
NOW = 1_795_000_000


def source(path: Path, user: str = "") -> Source:
    return Source(path.name, bytes(path), user)


def rows(path: Path, user: str = "") -> dict[bytes, Played]:
    found = db.history_rows(read_source(source(path, user), NOW).rows)
    assert len({row.path for row in found}) == len(found)
    return {row.path: row.played for row in found}


def test_times_counts_and_ratings_from_0_to_10_are_read_from_stickers_of_mpd(tmp_path: Path) -> None:
    path = stickers(
        tmp_path / "sticker.sql",
        {
            "a/1.flac": {"lastPlayed": f"{JUNE:012}", "playCount": "000000000007", "rating": "8"},
            "a/2.flac": {"skipCount": "2", "lastSkipped": str(JUNE + 1), "lastPlayed": "0"},
            "a/3.flac": {"like": "2", "mood": "calm"},
            "a/4.flac": {"like": "2", "rating": "6"},
            "a/5.flac": {"like": "1", "rating": "0"},
        },
    )

    others = [("Artist", "Ann", "playCount", "3"), ("playlist", "a.m3u", "playCount", "3")]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO sticker VALUES (?, ?, ?, ?)", others)

    assert rows(path) == {
        b"a/1.flac": Played(JUNE, None, 7, None, 0.8),
        b"a/2.flac": Played(None, JUNE + 1, None, 2),
        b"a/3.flac": Played(rating=1.0),
        b"a/4.flac": Played(rating=0.6),
    }


def test_no_rating_is_read_from_beets_and_no_last_play_of_a_track_that_was_only_skipped(
    tmp_path: Path,
) -> None:
    path = database(
        tmp_path / "library.db",
        db.BEETS
        + "INSERT INTO items (id, path) VALUES (1, X'2F6D2FFF2E666C6163'), (2, X'612E6D7033'), (3, '/m/c');",
        "INSERT INTO item_attributes (entity_id, key, value) VALUES (?, ?, ?)",
        [
            *[(1, "play_count", "3"), (1, "last_played", f"{JUNE}.5"), (1, "rating", "0.6875")],
            *[
                (2, "skip_count", "1"),
                (2, "mood", "calm"),
                (2, "last_played", str(JUNE)),
                (3, "rating", "0.5"),
            ],
        ],
    )

    assert rows(path) == {b"/m/\xff.flac": Played(JUNE, None, 3), b"a.mp3": Played(None, JUNE, None, 1)}


NAVIDROME = [
    ("u1", "1", "media_file", 3, "2025-06-15 15:06:40.123456789+00:00", 4),
    ("u2", "1", "media_file", 1, "2025-06-15T15:06:41Z", 0),
    ("u1", "2", "media_file", 0, None, 0),
    ("u1", "9", "album", 3, "2025-06-15 15:06:40+00:00", 4),
]


@pytest.mark.parametrize(("schema", "top"), [(db.NAVIDROME_0_49, "/music/"), (db.NAVIDROME_0_55, "")])
def test_navidrome_counts_plays_of_all_users_or_of_one(tmp_path: Path, schema: str, top: str) -> None:
    path = database(tmp_path / "navidrome.db", schema)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO media_file (id, path) VALUES (?, ?)", [("1", f"{top}ä.mp3"), ("2", f"{top}b.mp3")]
        )
        names = "user_id, item_id, item_type, play_count, play_date, rating"
        if "ann_id" in schema:
            names += ", ann_id"
        marks = ", ".join("?" * len(names.split(",")))
        connection.executemany(
            f"INSERT INTO annotation ({names}) VALUES ({marks})",
            [(*row, str(at)) if "ann_id" in schema else row for at, row in enumerate(NAVIDROME)],
        )

    assert rows(path) == {f"{top}ä.mp3".encode(): Played(JUNE + 1, None, 3, None, 0.8)}
    assert rows(path, "ann") == {f"{top}ä.mp3".encode(): Played(JUNE, None, 3, None, 0.8)}
    assert rows(path, "bob") == {f"{top}ä.mp3".encode(): Played(JUNE + 1, None, 1)}
    with pytest.raises(SourceError, match="no user 'eve'"):
        rows(path, "eve")


def test_favourites_and_single_plays_are_read_from_navidrome(tmp_path: Path) -> None:
    path = database(
        tmp_path / "navidrome.db",
        db.NAVIDROME_0_55
        + db.SCROBBLES
        + "INSERT INTO media_file (id, path) VALUES ('1', 'a.mp3'), ('2', 'b.mp3'), ('3', 'c.mp3');"
        + f"INSERT INTO scrobbles VALUES ('1', 'u1', {JUNE + 9}), ('1', 'u1', {JUNE}), ('1', 'u2', {NOW});",
        "INSERT INTO annotation (user_id, item_id, item_type, play_count, play_date, rating, starred)"
        " VALUES (?, ?, 'media_file', ?, ?, ?, ?)",
        [
            ("u1", "1", 1, "2025-06-15 15:06:40", 0, True),
            ("u1", "2", 0, None, 3, True),
            ("u2", "3", 4, "2025-06-15 15:06:40", 0, False),
        ],
    )

    assert rows(path, "ann") == {
        b"a.mp3": Played(JUNE + 9, None, 2, None, 1.0),
        b"b.mp3": Played(None, None, 0, None, 0.6),
    }
    assert rows(path)[b"c.mp3"] == Played(JUNE, None, 4)


def test_several_rows_of_an_item_in_jellyfin_are_one_track(tmp_path: Path) -> None:
    path = database(
        tmp_path / "jellyfin.db",
        db.JELLYFIN
        + "INSERT INTO BaseItems VALUES ('A', 'Audio', '/music/ä.mp3', 'A'), ('B', 'Audio', NULL, 'B');",
        "INSERT INTO UserData VALUES (?, ?, ?, NULL, ?, ?, ?, 1)",
        [
            ("A", "U1", "A", 0, 1, None),
            ("A", "U1", "Ann-Light-0001A", 3, 0, "2025-06-15 15:06:40.1234567"),
            ("A", "U2", "A", 5, 0, "2025-06-15 15:06:41"),
            ("B", "U1", "B", 1, 0, None),
        ],
    )

    assert rows(path, "ann") == {"/music/ä.mp3".encode(): Played(JUNE, None, 3, None, 1.0)}
    assert rows(path) == {"/music/ä.mp3".encode(): Played(JUNE + 1, None, 5, None, 1.0)}
    with pytest.raises(SourceError, match="no user 'eve'"):
        rows(path, "eve")


def test_ratings_from_0_to_100_are_read_from_lyrion(tmp_path: Path) -> None:
    path = database(
        tmp_path / "persist.db",
        db.LYRION,
        "INSERT INTO tracks_persistent (url, rating, playCount, lastPlayed) VALUES (?, ?, ?, ?)",
        [("file:///music/%C3%A4.mp3", 80, 2, JUNE), ("https://radio.example/1", 0, 9, JUNE)],
    )

    assert rows(path) == {"/music/ä.mp3".encode(): Played(JUNE, None, 2, None, 0.8)}


@pytest.mark.parametrize(
    ("schema", "column"),
    [(db.STRAWBERRY, "url"), (db.CLEMENTINE, "filename")],
    ids=["strawberry", "clementine"],
)
def test_strawberry_and_clementine_name_files_by_uri(tmp_path: Path, schema: str, column: str) -> None:
    path = database(
        tmp_path / "songs.db",
        schema,
        f"INSERT INTO songs ({column}, playcount, skipcount, lastplayed, rating) VALUES (?, ?, ?, ?, ?)",
        [
            ("file:///m/a%20%C3%A4%23.mp3", 2, 1, JUNE, 0.9),
            ("file:///m/new.mp3", 0, 0, -1, -1),
            ("https://radio.example/1", 5, 0, JUNE, -1),
        ],
    )

    assert rows(path) == {"/m/a ä#.mp3".encode(): Played(JUNE, None, 2, 1, 0.9)}


@pytest.mark.parametrize("value", ["-5", "1e99", "9" * 400, "yesterday", "", "\0", "nan", "-0", "inf"])
def test_impossible_values_count_as_missing(tmp_path: Path, value: str) -> None:
    names = ("lastPlayed", "lastSkipped", "playCount", "skipCount")
    path = stickers(tmp_path / "sticker.sql", {"a.mp3": dict.fromkeys(names, value) | {"rating": "99"}})

    count = None if value in BAD else 0
    assert rows(path) == {b"a.mp3": Played(None, None, count, count, 1.0)}


BAD = ("-5", "1e99", "9" * 400)  # the others begin like no number, which SQLite takes for 0


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Path]:
    path = stickers(tmp_path / "sticker.sql", {"a.mp3": {"playCount": "1"}})
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE sticker SET value = '2'")
        yield path
        connection.execute("ROLLBACK")


def test_a_database_that_another_program_has_locked_is_an_error(
    locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playshuffle.system.foreign_database._WAIT_S", 0.05)
    with pytest.raises(SourceError, match="locked"):
        read_source(source(locked), NOW)


def test_a_database_in_wal_mode_is_read_while_a_player_writes_it(tmp_path: Path) -> None:
    path = stickers(tmp_path / "a.db", {"a.mp3": {"playCount": "1"}})
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE sticker SET value = '2'")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE sticker SET value = '3'")

        assert rows(path) == {b"a.mp3": Played(plays=2)}


@pytest.mark.process
@pytest.mark.parametrize("is_running", [False, True])
def test_a_database_in_wal_mode_in_a_read_only_folder_is_read(is_running: bool) -> None:
    """Without the files of a running player, SQLite would have to make them."""
    with public_folder() as folder:
        path = stickers(Path(os.fsdecode(folder)) / "a.db", {"a.mp3": {"playCount": "1"}})
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("UPDATE sticker SET value = '2'")
            if not is_running:
                connection.close()
            os.chmod(folder, 0o555)

            assert forked(lambda: rows(path), as_nobody=True) == {b"a.mp3": Played(plays=2)}
            os.chmod(folder, 0o755)


def test_reading_changes_neither_a_database_nor_its_folder(tmp_path: Path) -> None:
    path = stickers(tmp_path / "a.db", {"a.mp3": {"playCount": "1"}})
    before = path.read_bytes(), path.stat().st_mtime_ns
    read_source(source(path), NOW)

    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert os.listdir(tmp_path) == ["a.db"]


@pytest.mark.parametrize("damage", ["cut", "zeros", "other"])
def test_a_damaged_or_unknown_database_is_an_error(tmp_path: Path, damage: str) -> None:
    path = stickers(tmp_path / "a.db", {f"{at}.mp3": {"playCount": "1"} for at in range(500)})
    content = path.read_bytes()
    if damage == "cut":
        path.write_bytes(content[:8192])
    elif damage == "zeros":
        path.write_bytes(content[:4096] + bytes(len(content) - 4096))
    else:
        path.unlink()
        database(path, "CREATE TABLE songs (url TEXT, title TEXT);")

    other = (
        r"looks like a database of Strawberry, but has no column songs.lastplayed. Version 1.2.31 was tried"
    )
    with pytest.raises(SourceError, match=other if damage == "other" else str(path)):
        read_source(source(path), NOW)


def test_a_database_of_an_unknown_program_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no known play history. Known are MPD, .* CSV and M3U"):
        rows(database(tmp_path / "a.db", "CREATE TABLE x (y);"))
