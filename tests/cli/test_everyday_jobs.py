"""Test everyday jobs: each takes one command, as a reader of the README and the help types it."""

import shlex
import shutil
from pathlib import Path

import pytest

from tests.support.in_process import Program
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

# Commands that run before each job, since some jobs need their playlists.
BEFORE = (
    "make ~/Music -q",
    "deal ~/Music -n 2 -q --history plays.csv --count played",
    # Six tracks in random order would have the same order again once in a few hundred runs.
    "make ~/Music -o ~/party.m3u -q --order sattolo",
    "make ~/Music -o ~/party.m3u -q --order sattolo",
)

# Each job: the command, and a part of what it prints.
JOBS = {
    "shuffle everything": ("make ~/Music", "playshuffle.m3u"),
    "shuffle without naming the folder": ("make", "playshuffle.m3u"),
    "shuffle a list again": ("make party", "Wrote ~/party.m3u again: 6 tracks"),
    "no artist twice in a row": ("make ~/Music --order spread", "spread order"),
    "whole albums": ("make ~/Music --order albums", "albums order"),
    "only one genre": ("make ~/Music --where genre:jazz -o ~/jazz.m3u", "3 tracks of 6"),
    "only the nineties": ("make ~/Music --where year:1990..1999 -o ~/90s.m3u", "4 tracks of 6"),
    "all but one folder": ("make ~/Music --where -path:Christmas -o ~/x.m3u", "5 tracks of 6"),
    "forty tracks": ("make ~/Music -n 4", "4 tracks"),
    "music for some time": ("make ~/Music --time 2s", "playshuffle.m3u"),
    "two folders in one list": ("make ~/Music ~/More -o ~/all.m3u", "7 tracks"),
    "other tracks each day": ("deal ~/Music -o ~/daily.m3u", "daily.m3u"),
    "what comes tomorrow": ("deal today --peek", "/"),
    "the next tracks now": ("deal today --now", "today.m3u"),
    "a deal for a week": ("deal ~/Music -n 2 --every week -o ~/week.m3u", "week.m3u"),
    "an album a day": ("deal ~/Music --albums 1 -o ~/album.m3u", "album.m3u"),
    "what I did not hear again": ("deal ~/Music --history plays.csv --count played -o ~/n.m3u", "n.m3u"),
    "heard in the car": ("deal today --heard", "today.m3u"),
    "take that back": ("undo party", "is as before"),
    "never again this track": ("never 'So What'", "is in no playlist any more"),
    "why is it not there": ("why 'So What' --in party", "yes: position"),
    "how many are in a list": ("why ~/Music --in party", "6 of 6 files"),
    "what genres are there": ("tags genre ~/Music", "Jazz"),
    "does an old list still work": ("check ~/Music/playshuffle.m3u", "6 entries"),
    "what can my player not open": ("check ~/Music/playshuffle.m3u --for vlc", "6 entries"),
    "a list for a player": ("make ~/Music --for vlc", "playshuffle-vlc.m3u"),
    "what a player needs": ("help kodi", "Kodi"),
    "the order of a list measured": ("audit party", "6 tracks"),
    "what is the state": ("status", "today"),
    "copies on a stick": ("export party ~/stick", "Copied 6"),
    "copies that a phone keeps": ("export today ~/phone --keep-names", "Copied 2"),
    "paths of the phone": ("make ~/Music --map ~/Music=/storage/Music -o ~/phone.m3u", "phone.m3u"),
    "the best copy only": ("make ~/Music --no-duplicates", "playshuffle.m3u"),
    "few tracks of an artist": ("make ~/Music --most 1:artist", "3 tracks"),
    "not what I heard lately": ("make ~/Music --history plays.csv --rest 30d", "playshuffle.m3u"),
    "only what I never heard": ("make ~/Music --history plays.csv --where plays:0 -o x.m3u", "5 tracks of"),
    "what came lately": ("make ~/Music --where mtime:-1m.. -o ~/x.m3u", "6 tracks"),
    "one track first": ("make ~/Music --pin 'So What'", "playshuffle.m3u"),
    "without the tracks of a list": ("make ~/Music --without today -o ~/rest.m3u", "4 tracks"),
    "the same order each time": ("make ~/Music --seed 2026", "playshuffle.m3u"),
    "up to date by itself": ("make ~/Music --save party", "party"),
    "forget a list": ("forget party", "party"),
    "the music is elsewhere now": ("move ~/Music ~/Moved", "~/Music is now ~/Moved: 6 tracks, 3 lists"),
    "go on where I stopped": ("tell mpv today --at 2", "mpv cannot be reached"),
}  # fmt: skip


@pytest.fixture
def music(home: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    albums = (
        ("Miles", "Jazz", "Blue", 1959),
        ("Ann", "Rock", "Live", 1994),
        ("Christmas", "Jazz", "Bells", 1995),
    )
    files: dict[str, dict[str, str]] = {}
    for (artist, genre, album, year), count in zip(albums, (2, 3, 1), strict=True):
        tags = {"artist": artist, "genre": genre, "album": album, "date": str(year)}
        files |= {f"{artist}/{number}.mp3": {**tags, "title": f"{artist}{number}"} for number in range(count)}
    files["Miles/0.mp3"]["title"] = "So What"
    music = tagged_library(home / "Music", files)
    tagged_library(home / "More", {"7.mp3": {"title": "More"}})
    shutil.copytree(music, home / "Moved")
    for name in ("stick", "phone"):
        (home / name).mkdir()
    (home / "plays.csv").write_text("path,plays\nMiles/0.mp3,4\n")
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_MUSIC_DIR", str(music))
    for words in BEFORE:
        assert program(*typed(words, home)).code == 0, words
    return music


def typed(line: str, home: Path) -> list[str]:
    return [str(home) + word[1:] if word.startswith("~/") else word for word in shlex.split(line)]


@pytest.mark.usefixtures("music")
@pytest.mark.parametrize("job", JOBS)
def test_each_everyday_job_takes_one_command(job: str, program: Program, home: Path) -> None:
    line, text = JOBS[job]
    done = program(*typed(line, home))

    assert text in done.out + done.err
    assert done.code == (75 if line.startswith("tell") else 0), done.err  # no player runs here
