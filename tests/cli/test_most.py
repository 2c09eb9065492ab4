"""Test the limit for each artist in commands, the configuration and the service."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.program import listed, make, report, run
from tests.support.service import Service, config, left, wait_for
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

ARTISTS = ("Ann", "Ann feat. Cid", "Ann", "ann", "Bob", "Bob", "")


@pytest.fixture
def music(tmp_path: Path) -> Path:
    files = {
        f"{number}.mp3": {"title": f"Title {number}", **({"artist": artist} if artist else {})}
        for number, artist in enumerate(ARTISTS)
    }
    return tagged_library(tmp_path / "Music", files)


def artists(playlist: Path) -> Counter[str]:
    return Counter(ARTISTS[int(Path(entry).stem)].lower()[:3] for entry in listed(playlist))


def test_a_playlist_has_at_most_two_tracks_of_each_artist_and_says_how_many_are_over(music: Path) -> None:
    said = make(music, "--most", "2:artist", "-v")

    assert artists(music / "playshuffle.m3u") == {"ann": 2, "bob": 2, "": 1}
    assert "Left out: 2 tracks over the limit of 2 per artist" in said
    assert said.count(".mp3: over the limit of 2 per artist") == 2
    assert "over the limit" not in make(music, "--most", "4:artist")


def test_the_report_names_the_tracks_over_the_limit(music: Path) -> None:
    left_out = report(music, "--most", "1:artist")["choice"]["left_out"]["most"]

    assert len(left_out) == 4
    assert {entry["reason"] for entry in left_out} == {"over the limit of 1 per artist"}


def test_why_names_the_limit_and_its_line_in_the_configuration(music: Path) -> None:
    file = music.parent / "config.toml"
    file.write_text(config(music, most="1:artist"))
    playlist = music / "all.m3u"
    make(music, "--most", "1:artist", "-o", playlist)
    skipped = next(name for name in ("0.mp3", "1.mp3") if name not in listed(playlist))
    command = run("why", music / skipped, "--folder", music, "--most", "1:artist", "--in", playlist)
    by_file = run("why", music / skipped, "--json", env={"PLAYSHUFFLE_CONFIG": str(file)})

    assert command.code == 1
    assert "no: over the limit of 1 per artist" in command.out.decode()
    answer = json.loads(by_file.out)["files"][0]["playlists"][0]
    assert (answer["reason"], answer["line"]) == ("most", 3)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", "--most must be a number from 1 and a tag, such as 3:artist, not 'x'."),
        ("0:artist", "not '0:artist'."),
        ("3:artst", "Unknown field 'artst'. Did you mean 'artist'?"),
        ("3:\x1b[31m\u202e", r"Unknown field '\x1b[31m"),
    ],
)
@pytest.mark.parametrize("command", ["make", "deal", "watch"])
def test_a_wrong_limit_is_a_usage_error(music: Path, command: str, value: str, message: str) -> None:
    done = run(command, music, "--most", value)

    assert done.code == 2
    assert message in done.err
    assert "\x1b" not in done.err
    assert not list(music.glob("*.m3u"))


def test_a_wrong_limit_in_the_configuration_is_named_with_its_line(music: Path) -> None:
    file = music.parent / "config.toml"
    file.write_text(config(music, most="3:artst"))
    done = run("config", "check", env={"PLAYSHUFFLE_CONFIG": str(file)})

    assert done.code == 78
    assert "line 3: most: Unknown field 'artst'. Did you mean 'artist'?" in done.err


def test_tags_are_needed_but_not_for_folders(music: Path) -> None:
    assert "--most needs tags. Remove --no-tags." in run("make", music, "--most", "1:genre", "--no-tags").err
    make(music, "--most", "2:folder", "--no-tags")
    assert len(listed(music / "playshuffle.m3u")) == 2


def test_each_deal_is_limited(music: Path) -> None:
    dealt: list[str] = []
    short = "2 of the 3 deals left in this round will have fewer than 3 tracks, since"
    for number in range(4):
        done = run("deal", music, "-n", "3", "--every", "run", "--most", "1:artist")
        assert (short in done.err) == (number == 0), done.err
        entries = listed(music / "today.m3u")
        assert max(artists(music / "today.m3u").values()) == 1
        dealt += entries

    assert sorted(dealt[:7]) == [f"{number}.mp3" for number in range(7)]


def test_a_list_that_is_its_own_source_loses_no_track_to_a_limit(music: Path) -> None:
    make(music, "-o", music / "all.m3u")
    before = (music / "all.m3u").read_bytes()
    done = run("make", "--from", music / "all.m3u", "-o", music / "all.m3u", "--most", "1:artist")

    assert done.code == 75
    assert (music / "all.m3u").read_bytes() == before


def test_the_service_keeps_the_tracks_and_fills_a_free_place(music: Path) -> None:
    playlist = music / "all.m3u"
    with Service(music.parent, config(music, most="2:artist")):
        wait_for(playlist.exists)
        before = listed(playlist)
        assert artists(playlist) == {"ann": 2, "bob": 2, "": 1}

        lost = next(name for name in before if ARTISTS[int(Path(name).stem)].lower()[:3] == "ann")
        (music / lost).unlink()
        wait_for(lambda: lost not in listed(playlist))
        after = listed(playlist)

    assert artists(playlist) == {"ann": 2, "bob": 2, "": 1}
    assert left(before, after) == [name for name in before if name != lost]
