"""Play histories are read from databases that the tests make, of programs that `data` lacks."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from playshuffle.history.history_reader import SourceError, read_source
from playshuffle.history.rows import Played
from playshuffle.history.sources import Source
from tests.history import databases as db
from tests.history.databases import database, stickers

JUNE = 1_750_000_000
NOW = 1_795_000_000


def rows(path: Path, user: str = "") -> dict[bytes, Played]:
    """Return the plays in a database by the path of the track; `user` as in `Source`."""
    found = db.history_rows(read_source(Source(path.name, bytes(path), user), NOW).rows)
    assert len({row.path for row in found}) == len(found)
    return {row.path: row.played for row in found}


def test_times_and_counts_and_ratings_or_else_likes_are_read_from_the_stickers_of_mpd(tmp_path: Path) -> None:
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

    assert rows(path) == {
        b"a/1.flac": Played(JUNE, None, 7, None, 0.8),
        b"a/2.flac": Played(None, JUNE + 1, None, 2),
        b"a/3.flac": Played(rating=1.0),
        b"a/4.flac": Played(rating=0.6),
    }


@pytest.mark.parametrize(("schema", "top"), [(db.NAVIDROME_0_49, "/music/"), (db.NAVIDROME_0_55, "")])
def test_plays_of_one_user_or_of_all_users_are_read_from_the_database_of_navidrome(
    tmp_path: Path, schema: str, top: str
) -> None:
    path = database(
        tmp_path / "navidrome.db",
        schema + f"INSERT INTO media_file (id, path) VALUES ('1', '{top}ä.mp3'), ('2', '{top}b.mp3');",
        "INSERT INTO annotation (user_id, item_id, item_type, play_count, play_date, rating)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        [
            ("u1", "1", "media_file", 3, "2025-06-15 15:06:40.123456789+00:00", 4),
            ("u2", "1", "media_file", 1, "2025-06-15T15:06:41Z", 0),
            ("u1", "2", "media_file", 0, None, 0),
            ("u1", "9", "album", 3, "2025-06-15 15:06:40+00:00", 4),
        ],
    )

    assert rows(path) == {f"{top}ä.mp3".encode(): Played(JUNE + 1, None, 3, None, 0.8)}
    assert rows(path, "ann") == {f"{top}ä.mp3".encode(): Played(JUNE, None, 3, None, 0.8)}
    assert rows(path, "bob") == {f"{top}ä.mp3".encode(): Played(JUNE + 1, None, 1)}
    with pytest.raises(SourceError, match="no user 'eve'"):
        rows(path, "eve")


def test_favourites_and_the_log_of_single_plays_are_read_from_the_database_of_navidrome(
    tmp_path: Path,
) -> None:
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


def test_several_rows_of_one_track_in_the_database_of_jellyfin_are_combined(tmp_path: Path) -> None:
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


def test_plays_and_ratings_from_0_to_100_are_read_from_the_database_of_lyrion(tmp_path: Path) -> None:
    path = database(
        tmp_path / "persist.db",
        db.LYRION,
        "INSERT INTO tracks_persistent (url, rating, playCount, lastPlayed) VALUES (?, ?, ?, ?)",
        [("file:///music/%C3%A4.mp3", 80, 2, JUNE), ("https://radio.example/1", 0, 9, JUNE)],
    )

    assert rows(path) == {"/music/ä.mp3".encode(): Played(JUNE, None, 2, None, 0.8)}


@pytest.mark.parametrize("value", ["-5", "1e99", "9" * 400, "yesterday", "", "\0", "nan", "-0", "inf"])
def test_impossible_times_and_counts_in_a_database_count_as_missing(tmp_path: Path, value: str) -> None:
    names = ("lastPlayed", "lastSkipped", "playCount", "skipCount")
    path = stickers(tmp_path / "sticker.sql", {"a.mp3": dict.fromkeys(names, value) | {"rating": "99"}})

    count = None if value in BAD else 0
    assert rows(path) == {b"a.mp3": Played(None, None, count, count, 1.0)}


BAD = ("-5", "1e99", "9" * 400)  # the others begin like no number, which SQLite takes for 0


def test_a_database_that_another_program_has_locked_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playshuffle.system.foreign_database._WAIT_S", 0.05)
    path = stickers(tmp_path / "sticker.sql", {"a.mp3": {"playCount": "1"}})
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("UPDATE sticker SET value = '2'")

        with pytest.raises(SourceError, match="locked"):
            rows(path)


@pytest.mark.parametrize("damage", ["cut", "zeros"])
def test_a_damaged_database_of_a_player_is_an_error(tmp_path: Path, damage: str) -> None:
    path = stickers(tmp_path / "a.db", {f"{at}.mp3": {"playCount": "1"} for at in range(500)})
    content = path.read_bytes()
    path.write_bytes(content[:8192] if damage == "cut" else content[:4096].ljust(len(content), b"\0"))

    with pytest.raises(SourceError, match=str(path)):
        rows(path)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            "songs (url, title)",
            "database of Strawberry, but has no column songs.lastplayed. Version 1.2.31",
        ),
        ("x (y)", r"not a known play history. playshuffle reads those of MPD, .* CSV and M3U"),
    ],
)
def test_the_error_for_a_database_with_unknown_tables_or_columns_says_which_programs_are_known(
    tmp_path: Path, table: str, message: str
) -> None:
    with pytest.raises(SourceError, match=message):
        rows(database(tmp_path / "a.db", f"CREATE TABLE {table};"))
