"""Every order from the words of a user to the playlist: with real files and real tags, or refused."""

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import pytest

from playshuffle.errors import flag
from playshuffle.ordering.orders import ORDERS
from tests.support.program import DATA, listed, make, numbered, run
from tests.support.tagging import tagged_library
from tests.support.terminal import on_terminal

pytestmark = pytest.mark.process

# Three artists and four albums, one of them on two discs; rated from 0.2 to 1.
SONGS: Mapping[str, Mapping[str, str]] = {
    "Abba/One/a.flac": {"artist": "Abba", "album": "One", "tracknumber": "3"},
    "Abba/One/b.flac": {"artist": "Abba feat. Cher", "album": "One", "tracknumber": "1"},
    "Abba/One/c.ogg": {"artist": "Abba", "album": "One", "tracknumber": "2"},
    "Abba/Two/CD1/1.ogg": {"artist": "Abba", "album": "Two", "tracknumber": "1"},
    "Abba/Two/CD2/1.flac": {"artist": "Abba", "album": "Two", "tracknumber": "1"},
    "Blur/x.mp3": {"artist": "Blur; Abba", "album": "Hits", "tracknumber": "2"},
    "Blur/y.mp3": {"artist": "Blur", "album": "Hits", "tracknumber": "1"},
    "Cher/x.mp3": {"artist": "Cher", "album": "Hits", "tracknumber": "2"},
    "Cher/y.opus": {"artist": "Cher", "album": "Hits", "tracknumber": "1"},
}
ALBUMS = [
    ["Abba/One/b.flac", "Abba/One/c.ogg", "Abba/One/a.flac"],
    ["Abba/Two/CD1/1.ogg", "Abba/Two/CD2/1.flac"],
    ["Blur/y.mp3", "Blur/x.mp3"],
    ["Cher/y.opus", "Cher/x.mp3"],
]


def test_albums_are_played_whole_by_disc_and_number(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, SONGS)
    album_of = {name: number for number, album in enumerate(ALBUMS) for name in album}

    for _ in range(2):  # the second time from the cache
        make(music, "--order", "albums")
        played = groupby(listed(music / "playshuffle.m3u"), album_of.__getitem__)
        assert sorted(list(names) for _, names in played) == ALBUMS


@pytest.mark.parametrize("words", ["--gap 1", "--order sattolo --gap 0", "--order albums --gap 1"])
def test_a_gap_without_effect_works_with_every_order(tmp_path: Path, words: str) -> None:
    make(numbered(tmp_path, 3), *words.split())


def test_the_orders_are_listed_with_their_guarantees() -> None:
    lines = run("help", "orders").out.decode().splitlines()
    rows = [line.split(maxsplit=1) for line in lines[2 : lines.index("", 2)]]

    assert rows == [[name, order.guarantee] for name, order in ORDERS.items()]


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_explained_with_its_drawback_and_options(name: str) -> None:
    text = run("help", name.upper()).out.decode()

    assert text.startswith(f"{name}: {ORDERS[name].guarantee}\n")
    assert f"But: {ORDERS[name].drawback}\n" in text
    assert all(flag(option) in text for option in (*ORDERS[name].takes, "limit", "time", "seed"))


def test_other_names_of_random_are_explained_and_near_names_suggested() -> None:
    assert run("help", "durstenfeld").out == run("help", "random").out
    assert "Did you mean 'spread'?" in run("help", "spred").err


def test_on_a_terminal_no_line_about_an_order_is_wider_than_80_columns() -> None:
    code, screen = on_terminal("help", "albums")

    assert code == 0
    assert max(map(len, screen.splitlines())) <= 80


def test_favourites_without_ratings_names_the_tags_that_it_reads(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, {"1.mp3": {"title": "a"}, "2.ogg": {"title": "b"}})
    done = run("make", music, "--order", "favourites")
    assert (done.code, "would be a plain random order" in done.err, "POPM" in done.err) == (2, True, True)

    (music / "3.ogg").write_bytes((DATA / "tone.ogg").read_bytes())  # has a rating
    assert "Note: 1 of 3 tracks has a rating. The others count as half of the best." in make(
        music, "--order", "favourites"
    )
