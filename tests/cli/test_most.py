"""Test the limit for each artist in commands, the configuration and the service."""

from collections import Counter
from pathlib import Path

import pytest

from tests.support.program import listed, make, refused, run

pytestmark = pytest.mark.process

ARTISTS = ("Ann", "Ann feat. Cid", "Ann", "ann", "Bob", "Bob", "")


MUSIC = {
    f"{number}.mp3": {"title": f"Title {number}", **({"artist": artist} if artist else {})}
    for number, artist in enumerate(ARTISTS)
}


def artists(playlist: Path) -> Counter[str]:
    return Counter(ARTISTS[int(Path(entry).stem)].lower()[:3] for entry in listed(playlist))


def test_a_playlist_has_at_most_two_tracks_of_each_artist_and_says_how_many_are_over(music: Path) -> None:
    said = make(music, "--most", "2:artist", "-v")

    assert artists(music / "playshuffle.m3u") == {"ann": 2, "bob": 2, "": 1}
    assert "Left out: 2 tracks over the limit of 2 per artist" in said
    assert said.count(".mp3: over the limit of 2 per artist") == 2
    assert "over the limit" not in make(music, "--most", "4:artist")


@pytest.mark.parametrize("command", ["make", "deal", "watch"])
def test_a_wrong_limit_is_a_usage_error(music: Path, command: str) -> None:
    assert "Unknown field 'artst'. Did you mean 'artist'?" in refused(2, command, music, "--most", "3:artst")
    assert not list(music.glob("*.m3u"))


def test_folders_need_no_tags(music: Path) -> None:
    make(music, "--most", "2:folder", "--no-tags")
    assert len(listed(music / "playshuffle.m3u")) == 2


def test_a_deal_that_the_limit_makes_smaller_says_so(music: Path) -> None:
    for number in range(4):
        done = run("deal", music, "-n", "3", "--every", "run", "--most", "1:artist")
        is_short = "instead of 3, since a deal has at most 1 per artist" in done.err
        assert is_short == (len(listed(music / "today.m3u")) < 3), (number, done.err)
        assert max(artists(music / "today.m3u").values()) == 1
