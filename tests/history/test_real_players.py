"""Play histories are read that real players write during the test."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from playshuffle.history.history_reader import read_source
from playshuffle.history.rows import HistoryRow, Played
from playshuffle.history.sources import Source
from tests.history.databases import history_rows
from tests.players.drivers.mpd import running
from tests.support.beets_commands import run_beets
from tests.support.needs import need, need_beets
from tests.support.processes import finished
from tests.support.program import run

pytestmark = pytest.mark.process

JUNE = 1_750_000_000


MUSIC = {f"{name}.mp3": {"title": name} for name in ("a", "ä b", "c")}


def rows(path: Path) -> list[HistoryRow]:
    return sorted(history_rows(read_source(Source(path.name, bytes(path)), time.time()).rows))


def test_the_sticker_database_of_mpd_is_read_while_mpd_writes_it(music: Path) -> None:
    need("mpc")
    with running(music) as mpd:

        def sticker(*words: str) -> None:
            environment = {**os.environ, "MPD_HOST": str(mpd.path)}
            subprocess.run(["mpc", "sticker", *words], env=environment, check=True, timeout=500)

        sticker("a.mp3", "set", "playCount", "3")
        sticker("a.mp3", "set", "lastPlayed", str(JUNE))
        sticker("ä b.mp3", "set", "rating", "8")
        expected = [
            HistoryRow(b"a.mp3", Played(JUNE, None, 3)),
            HistoryRow("ä b.mp3".encode(), Played(rating=0.8)),
        ]
        assert rows(mpd.path.parent / "sticker.sql") == expected
        for count in range(4, 40):
            mpd.say(f'sticker set song "a.mp3" playCount "{count}"')
            found = rows(mpd.path.parent / "sticker.sql")
            assert found[0] == HistoryRow(b"a.mp3", Played(JUNE, None, count))


QUERIES = ("play_count:3", "last_played:2025", "-last_played:2025", "skip_count:1..", "play_count:..2")


def test_queries_for_plays_in_the_database_of_beets_choose_the_same_tracks_as_beets_does(
    music: Path, tmp_path: Path
) -> None:
    """The values have the types of those that mpdstats, a plugin of beets, writes."""
    need_beets()
    home = tmp_path / "beets"
    modify = ["modify", "-y", "-W", "-M"]
    values = [
        [*modify, "title:=a", "play_count=3", f"last_played={JUNE}", "skip_count=0"],
        [*modify, "title:=c", "play_count=1", "last_played=1500000000", "skip_count=2"],
    ]
    lists = [["ls", "-p", "--", query, "play_count:1.."] for query in QUERIES]
    listed = run_beets(home, music, [*values, *lists], ["mpdstats"])[len(values) :]
    assert any(listed)

    for query, paths in zip(QUERIES, listed, strict=True):
        wheres = ["--where", "plays:1..", "--where", query]
        done = run("make", music, "--history", home / "library.db", *wheres, "--print0", "-q")
        assert done.code in (0, 3), done.err
        assert {path for path in done.out.split(b"\0") if path} == {*map(os.fsencode, paths)}, query


DUMP = """
import json, sys
import quodlibet
quodlibet.init_cli()
from quodlibet import config
from quodlibet.formats import MusicFile, dump_audio_files
config.init()
songs, path = json.load(sys.stdin)
library = []
for name, values in songs.items():
    library.append(MusicFile(name))
    library[-1].update(values)
with open(path, "wb") as file:
    file.write(dump_audio_files(library))
"""


def test_plays_and_ratings_are_read_from_the_songs_that_quod_libet_saved(music: Path, tmp_path: Path) -> None:
    need("quodlibet")
    values = {"~#lastplayed": JUNE, "~#playcount": 3, "~#skipcount": 1, "~#rating": 0.75}
    songs = {
        str(music / "a.mp3"): values,
        str(music / "ä b.mp3"): {"~#playcount": 1},
        str(music / "c.mp3"): {},
    }
    path = tmp_path / "songs"
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = finished(["/usr/bin/python3", "-c", DUMP], input=json.dumps([songs, str(path)]), env=env)

    assert done.returncode == 0, done.stderr
    found = rows(path)
    assert [row.path for row in found if row.played.plays] == [
        os.fsencode(music / "a.mp3"),
        os.fsencode(music / "ä b.mp3"),
    ]
    assert found[0].played == Played(JUNE, None, 3, 1, 0.75)
