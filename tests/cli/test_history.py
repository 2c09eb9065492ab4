"""Use the play history of a player as a user does."""

import json
import time
from pathlib import Path

import pytest

from tests.history.databases import stickers
from tests.support.program import configured, listed, make, mpd_conf, ran, refused, run
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process


@pytest.fixture
def music(tmp_path: Path) -> Path:
    """Three tracks; MPD has played one today and one in 2001."""
    folder = tagged_library(tmp_path / "Music", {f"{name}.mp3": {"title": name} for name in "abc"})
    played = {"a.mp3": str(int(time.time())), "b.mp3": "1000000000"}
    path = stickers(
        tmp_path / "sticker.sql",
        {name: {"lastPlayed": when, "playCount": "2"} for name, when in played.items()},
    )
    mpd_conf(Path.home() / ".config", folder, tmp_path, sticker_file=path)
    return folder


def names(playlist: Path) -> list[str]:
    return sorted(Path(entry).name for entry in listed(playlist))


def test_the_commands_deal_why_and_tags_use_the_play_history(music: Path) -> None:
    ran("deal", music, "-n", "9", "--history", "mpd", "--where", "plays:0")
    assert names(music / "today.m3u") == ["c.mp3"]

    why = run("why", music / "b.mp3", "--in", music / "today.m3u")
    assert (why.code, b"plays:0 fails (plays is 2)" in why.out) == (1, True)

    fields = json.loads(ran("tags", music, "--history", "mpd", "--json").out)["fields"]
    assert (fields["last_played"]["tracks"], fields["plays"]["values"]) == (2, {"2": 2, "0": 1})


def test_a_playlist_of_favourites_can_be_a_play_history(music: Path) -> None:
    said = refused(2, "make", music, "--order", "favourites")
    assert "name a playlist of your favourites: --history FILE.m3u." in said
    (music / "likes.m3u").write_text("a.mp3\n")
    words = (music, "--history", music / "likes.m3u")

    assert "Tracks with a rating: 1 of 3 tracks." in make(*words, "--order", "favourites")
    make(*words, "--where", "rating:5")
    assert names(music / "playshuffle.m3u") == ["a.mp3"]


def test_the_order_rare_puts_rarely_played_tracks_first(music: Path) -> None:
    assert "--order rare needs a play history" in refused(2, "make", music, "--order", "rare")

    assert "rare order" in make(music, "--history", "mpd", "--order", "rare")
    assert Path(listed(music / "playshuffle.m3u")[0]).name == "c.mp3"


def test_if_the_configured_play_history_is_gone_the_command_tags_shows_all_fields_but_plays(
    music: Path,
) -> None:
    configured(f'folders = ["{music}"]\nhistory = ["mpd"]\n[playlist.all]\n')
    assert ran("tags", "plays").out.decode().split() == ["2", "2", "1", "0"]

    (music.parent / "sticker.sql").unlink()

    done = ran("tags", "--json")
    fields = json.loads(done.out)["fields"]
    assert (fields["title"]["tracks"], "last_played" in fields) == (3, False)
    assert "sticker.sql: No such file or directory" in done.err
    assert run("tags", "plays").code == 66


def test_a_deck_that_counts_plays_deals_nothing_until_a_track_of_its_last_deal_was_heard(music: Path) -> None:
    path = music.parent / "sticker.sql"
    path.unlink()
    stickers(path, {"b.mp3": {"lastPlayed": "1000000000"}})
    ran("deal", music, "--history", "mpd", "--count", "played", "-n", "2", "--every", "run")
    first = names(music / "today.m3u")
    assert "Unchanged: the last deal (2 tracks, 0 heard)" in run("deal", "today").err
    assert b"heard 0," in run("status", "today").out
    assert b"Next: when some of it was heard, nothing since" in run("status", "today").out
    assert b"2/3, 0 heard; next deal when some of it was heard, nothing since" in run("status").out

    now = str(int(time.time()) + 1)
    path.unlink()
    stickers(path, {first[0]: {"lastPlayed": now}})
    assert b"heard 1," in run("status", "today").out
    assert b"2/3, 0 heard" in run("status").out
    assert "Comes again, unless you hear it by then: 1 track of" in run("deal", "--peek").err
    assert "Dealt 2 tracks" in run("deal", "today").err
    assert first[1] in names(music / "today.m3u")

    assert "The last deal counts as heard (2 tracks, 2 heard)" in run("deal", "--heard").err


def test_status_warns_of_a_history_without_plays_and_shows_the_last_count_if_the_file_is_gone(
    music: Path, tmp_path: Path
) -> None:
    plays = tmp_path / "plays.csv"
    plays.write_text("path,last_played,plays,skips\n")
    ran("deal", music, "-n", "2", "--history", plays, "--count", "played")
    assert b"CSV counted no play yet" in ran("status", "today").out
    with plays.open("a") as file:
        file.write(f"{listed(music / 'today.m3u')[0]},{int(time.time()) + 1},1,0\n")
    assert b"counted no play" not in ran("status", "today").out

    plays.unlink()
    assert b"heard 0," in ran("status", "today").out


def test_an_order_without_a_history_names_the_sources_of_this_computer_or_how_to_begin_one(
    home: Path, tmp_path: Path
) -> None:
    folder = tagged_library(tmp_path / "Music", {"a.mp3": {"title": "a"}})
    begin = "To begin one: playshuffle service install --listen. Until it has heard something,"
    for words in (("--order", "rare"), ("--history", "vlc"), ("--where", "skips:0")):
        assert begin in refused(2, "make", folder, *words)

    (home / ".config/beets").mkdir(parents=True)
    (home / ".config/beets/library.db").touch()
    for words in (("--order", "rare"), ("--history", "vlc"), ("--where", "skips:0")):
        assert "This computer has beets" in refused(2, "make", folder, *words)
