"""Orders, limits and other options from the words of a user to the playlist, with real files and tags."""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from playshuffle.cli.playlist_options import takes_playlist_options
from playshuffle.errors import flag
from playshuffle.options.given import NOTHING_GIVEN, Given
from playshuffle.options.table import ROWS, Options, Row
from playshuffle.ordering.orders import ORDERS
from tests.support.in_process import Program
from tests.support.program import DATA, library, listed, make, numbered, refused, run
from tests.support.tagging import tagged_library, tone

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


@pytest.mark.process
def test_the_order_albums_plays_whole_albums_sorted_by_disc_and_track_number(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, SONGS)
    album_of = {name: number for number, album in enumerate(ALBUMS) for name in album}

    for _ in range(2):  # the second time from the cache
        make(music, "--order", "albums")
        played = groupby(listed(music / "playshuffle.m3u"), album_of.__getitem__)
        assert sorted(list(names) for _, names in played) == ALBUMS


@pytest.mark.process
@pytest.mark.parametrize("words", ["--gap 1", "--order sattolo --gap 0", "--order albums --gap 1"])
def test_a_gap_that_has_no_effect_is_accepted_with_every_order(tmp_path: Path, words: str) -> None:
    make(numbered(tmp_path, 3), *words.split())


@pytest.mark.process
def test_the_orders_are_listed_with_their_guarantees() -> None:
    lines = run("help", "orders").out.decode().splitlines()
    rows = [line.split(maxsplit=1) for line in lines[2 : lines.index("", 2)]]

    assert rows == [[name, order.guarantee] for name, order in ORDERS.items()]


@pytest.mark.process
@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_explained_with_its_drawback_and_options(name: str) -> None:
    text = run("help", name.upper()).out.decode()

    assert text.startswith(f"{name}: {ORDERS[name].guarantee}\n")
    assert f"But: {ORDERS[name].drawback}\n" in text
    assert all(flag(option) in text for option in (*ORDERS[name].takes, "limit", "time", "seed"))


@pytest.mark.process
def test_help_explains_other_names_of_the_order_random_and_suggests_similar_names() -> None:
    assert run("help", "durstenfeld").out == run("help", "random").out
    assert "Did you mean 'spread'?" in run("help", "spred").err


@pytest.mark.process
def test_the_error_for_favourites_without_ratings_names_the_rating_tags(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, {"1.mp3": {"title": "a"}, "2.ogg": {"title": "b"}})
    done = run("make", music, "--order", "favourites")
    assert (done.code, "would be a plain random order" in done.err, "POPM" in done.err) == (2, True, True)

    (music / "3.ogg").write_bytes((DATA / "tone.ogg").read_bytes())  # has a rating
    assert "Note: 1 of 3 tracks has a rating. The others count as half of the best." in make(
        music, "--order", "favourites"
    )


# Duplicates


@pytest.mark.process
def test_the_option_no_duplicates_keeps_the_better_copy_and_reports_the_other(tmp_path: Path) -> None:
    tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")
    tone(tmp_path / "b.flac", 41, artist="miles davis", title="So  what")
    peeked = make(tmp_path, "--no-duplicates", "--dry-run", "-v")
    said = make(tmp_path, "--no-duplicates", "-v")

    assert f"{tmp_path}/a.ogg: duplicate of {tmp_path}/b.flac" in peeked
    assert listed(tmp_path / "playshuffle.m3u") == ["b.flac"]
    assert "Left out: 1 duplicate: a better or equal copy is kept" in said
    assert f"{tmp_path}/a.ogg: duplicate of {tmp_path}/b.flac" in said
    done = run("why", tmp_path / "a.ogg")
    assert (done.code, f"no: duplicate of {tmp_path}/b.flac" in done.out.decode()) == (1, True)


# A limit for each artist


ARTISTS = ("Ann", "Ann feat. Cid", "Ann", "ann", "Bob", "Bob", "")


MUSIC = {
    f"{number}.mp3": {"title": f"Title {number}", **({"artist": artist} if artist else {})}
    for number, artist in enumerate(ARTISTS)
}


def artists(playlist: Path) -> Counter[str]:
    return Counter(ARTISTS[int(Path(entry).stem)].lower()[:3] for entry in listed(playlist))


@pytest.mark.process
def test_the_option_most_limits_the_tracks_of_each_artist_and_counts_those_left_out(music: Path) -> None:
    said = make(music, "--most", "2:artist", "-v")

    assert artists(music / "playshuffle.m3u") == {"ann": 2, "bob": 2, "": 1}
    assert "Left out: 2 tracks over the limit of 2 per artist" in said
    assert said.count(".mp3: over the limit of 2 per artist") == 2
    assert "over the limit" not in make(music, "--most", "4:artist")


@pytest.mark.process
@pytest.mark.parametrize("command", ["make", "deal", "watch"])
def test_a_wrong_limit_is_a_usage_error(music: Path, command: str) -> None:
    assert "Unknown field 'artst'. Did you mean 'artist'?" in refused(2, command, music, "--most", "3:artst")
    assert not list(music.glob("*.m3u"))


@pytest.mark.process
def test_a_limit_per_folder_works_without_tags(music: Path) -> None:
    make(music, "--most", "2:folder", "--no-tags")
    assert len(listed(music / "playshuffle.m3u")) == 2


# No folder is named


@pytest.mark.process
@pytest.mark.parametrize(
    ("file", "text", "folder", "report"),
    [
        (
            "playshuffle/config.toml",
            'folders = ["~/one"]\n[playlist.x]\n',
            "one",
            "ok: Would write ~/one/x.m3u",
        ),
        ("user-dirs.dirs", 'XDG_MUSIC_DIR="$HOME/Musik"\n', "Musik", "Folder: ~/Musik (the music folder"),
        ("other", "", "Music", "Folder: ~/Music ("),
    ],
)
def test_make_alone_uses_configured_lists_or_else_the_desktops_music_folder_or_else_home_music(
    home: Path, program: Program, file: str, text: str, folder: str, report: str
) -> None:
    for name in {"Music", folder}:
        library(home / name, ["a.mp3"])
    (home / ".config/playshuffle").mkdir(parents=True)
    (home / ".config" / file).write_text(text)

    assert program("make", "--dry-run").err.startswith(report)
    assert program("make", "-q").err == ""


# Defaults of options, and flags that switch them


_SWITCHES = [row for row in ROWS if row.type is bool and "make" in row.verbs]


def parsed(*flags: str) -> Given:
    """Return the options that a command line with these flags gives."""
    results = []

    @takes_playlist_options("make")
    def command(*, given: Given) -> None:
        results.append(given)

    app = typer.Typer()
    app.command()(command)
    assert CliRunner().invoke(app, flags).exit_code == 0
    return results[0]


def test_without_flags_no_option_counts_as_given() -> None:
    assert parsed() == NOTHING_GIVEN


@pytest.mark.parametrize("row", _SWITCHES, ids=[row.name for row in _SWITCHES])
def test_each_switch_changes_only_its_own_option_and_is_negated_if_the_default_is_true(row: Row) -> None:
    assert row.is_negated is row.default
    changed: dict[str, Any] = {row.name: not row.default}
    assert parsed(row.flags[0]) == Given(Options(**changed), frozenset(changed))
