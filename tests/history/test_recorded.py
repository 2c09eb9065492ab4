"""Play histories are read that real programs wrote while they played the same eight files.

`data` has these files, with the version in the name. One, Two, Fünf and 日本 were heard to the end.
Straße and Ärger were skipped. Programs differ about Drei, whose middle was left out, and about Vier,
which was heard for more than half. Some programs played more before or after the plan.
"""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from playshuffle.history.history_reader import Content, read_source
from playshuffle.history.sources import Source
from playshuffle.options.table import Options
from playshuffle.pipeline.choice import NothingMatchesError
from playshuffle.pipeline.request import Request
from playshuffle.tags.reading import Reading, Tags
from tests.history.databases import history_rows
from tests.support.library import make_playlist, put, reader, tools

DATA = Path(__file__).parent / "data"
NOW = 1_900_000_000  # March 2030: later than each recording
PATHS = {
    "One": "Anna Bell/First Album #1/01 One.mp3",
    "Two": "Anna Bell/First Album #1/02 Two & a half.mp3",
    "Straße": "Jörg Müller/Grüße (50%)/01 Straße.flac",
    "Ärger": "Jörg Müller/Grüße (50%)/02 Ärger?.flac",
    "Drei": "Cléo [live]/It's + more/03 Drei.ogg",
    "Vier": "Cléo [live]/It's + more/04 Vier;4.ogg",
    "Fünf": "Dora/5 Fünf, lang.mp3",
    "日本": "Dora/6 日本.ogg",
}

# Plays and skips of each track in the order of `PATHS`; a dash if the program does not know.
COUNTS = {
    "beets-mpdstats-2.14.1.sql": "2/- 2/- -/2 -/2 1/1 -/3 1/1 2/-",
    "clementine-1.4.1.sql": "2/0 2/0 1/0 0/1 1/0 0/1 1/0 8/0",
    "elisa-22.12.3.sql": "1/- 1/- 1/- 2/- 1/- 1/- 1/- 1/-",
    "elisa-26.08.1.sql": "1/- 1/- 0/- 0/- 1/- 0/- 1/- 2/-",
    "kodi-21.3.sql": "-/- -/- 1/- -/- 1/- -/- 1/- 1/-",
    "listen-mpd-0.24.16.csv": "1/0 1/0 0/1 0/1 0/1 1/0 1/0 1/0",
    "listen-play-play-skip.csv": "-/- -/- -/- -/- -/- -/- -/- 2/1",
    "lollypop-1.4.48.sql": "1/- 1/- -/- 1/- -/- 1/- 2/- 2/-",
    "mpd-sticker-0.24.16.sql": "-/- -/- -/- -/- -/- -/- 3/1 3/-",
    "mpv-0.41.0.jsonl": "3/1 0/1 0/1 0/1 0/1 1/0 1/1 2/6",
    "quodlibet-4.7.1.songs": "1/- 1/- -/1 -/1 -/1 1/- 1/1 13/-",
    "rhythmbox-3.5.1.xml": "3/- 3/- -/- -/- 2/- -/- 1/- 2/-",
    "strawberry-1.2.31.sql": "1/0 1/0 0/1 0/1 1/0 0/2 1/0 13/0",
}
RATINGS: dict[str, dict[str, float]] = {
    "kodi-21.3.sql": {"日本": 3.5},
    "lollypop-1.4.48.sql": {"Fünf": 4},
    "mpd-sticker-0.24.16.sql": {"One": 5, "日本": 4},
    "quodlibet-4.7.1.songs": {"Fünf": 3.75},
    "rhythmbox-3.5.1.xml": {"Vier": 4},
    "strawberry-1.2.31.sql": {"Drei": 4},
}
STARTED = {"elisa-22.12.3.sql", "mpv-0.41.0.jsonl"}


@reader
def read_all(path: str) -> Tags | Reading:
    return Tags(60_000, Path(path).stem, "Jörg Müller")


def recorded(name: str, tmp_path: Path) -> Source:
    path = DATA / name
    if path.suffix == ".sql":
        path = tmp_path / "player.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript((DATA / name).read_text())
    return Source(name, bytes(path))


def read(name: str, tmp_path: Path) -> Content:
    return read_source(recorded(name, tmp_path), NOW)


@pytest.mark.parametrize("name", COUNTS)
def test_plays_and_skips_and_ratings_are_read_as_the_program_recorded_them(name: str, tmp_path: Path) -> None:
    content = read(name, tmp_path)
    found = {os.fsdecode(row.path).removeprefix("/music/"): row.played for row in history_rows(content.rows)}
    counts = {
        path: "/".join("-" if count is None else str(count) for count in played[2:4])
        for path, played in found.items()
    }

    assert {path: counts.get(path, "-/-") for path in PATHS.values()} == dict(
        zip(PATHS.values(), COUNTS[name].split(), strict=True)
    )
    assert found.keys() <= {*PATHS.values()}
    ratings = {path: round(each.rating * 5, 2) for path, each in found.items() if each.rating}
    assert ratings == {PATHS[track]: stars for track, stars in RATINGS.get(name, {}).items()}
    assert content.starts == (name in STARTED)


@pytest.mark.parametrize("name", COUNTS)
def test_only_tracks_that_the_program_counts_as_played_have_a_time_of_the_last_play(
    name: str, tmp_path: Path
) -> None:
    for row in history_rows(read(name, tmp_path).rows):
        assert not row.played.last_played or row.played.plays
        assert 1_795_600_000 < (row.played.last_played or row.played.last_skipped or NOW - 1) < NOW
        assert name.startswith("mpd-") or not row.played.plays or row.played.last_played


def test_times_in_the_database_of_kodi_are_read_as_local_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = recorded("kodi-21.3.sql", tmp_path)
    latest = []
    for zone in ("UTC", "Asia/Kolkata"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        latest.append(max(time_s or 0 for time_s in read_source(source, NOW).rows.played.last_played))
    monkeypatch.undo()
    time.tzset()

    assert latest[0] - latest[1] == 5.5 * 3600


@pytest.mark.parametrize("name", COUNTS)
def test_a_query_for_plays_chooses_the_tracks_that_the_program_counts_as_played(
    name: str, tmp_path: Path
) -> None:
    music = put(tmp_path / "Music", *PATHS.values())
    expected = [
        PATHS[track]
        for track, counts in zip(PATHS, COUNTS[name].split(), strict=True)
        if counts[0] not in "-0"
    ]
    request = Request(
        (bytes(music),),
        bytes(music / "all.m3u"),
        options=Options(where=("plays:1..",)),
        history=(recorded(name, tmp_path),),
    )
    report = make_playlist(request, tools(read_all, now_s=NOW))

    assert {*report.paths()} == {os.fsencode(music / path) for path in expected}
    [note] = [note for note in map(str, report.notes) if note.startswith(name)]
    kind = "started" if name in STARTED else "played"
    assert f": {len(expected)} of {len(expected)} {kind} track" in note


def test_the_plays_of_a_track_that_a_log_lists_under_two_albums_are_added_up(tmp_path: Path) -> None:
    music = put(tmp_path / "Music", "Straße.flac", "Ärger.flac")
    request = Request(
        (bytes(music),), bytes(music / "a.m3u"), history=(recorded("lastfm-two-albums.csv", tmp_path),)
    )
    tools_now = tools(read_all, now_s=NOW)

    assert make_playlist(request._replace(options=Options(where=("plays:5",))), tools_now).paths() == [
        bytes(music / "Straße.flac")
    ]
    with pytest.raises(NothingMatchesError):  # Last.fm knows no skips, so nothing has none
        make_playlist(request._replace(options=Options(where=("skips:0",))), tools_now)
