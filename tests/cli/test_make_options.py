"""Test the effect of orders, limits and other options on playlists, with real files and tags."""

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
from tests.support.program import library, listed, make, refused, run
from tests.support.tagging import tagged_library, tone

# Three albums, one of them on two discs.
SONGS: Mapping[str, Mapping[str, str]] = {
    "One/a.flac": {"artist": "Abba", "album": "One", "tracknumber": "2"},
    "One/b.ogg": {"artist": "Abba feat. Cher", "album": "One", "tracknumber": "1"},
    "Two/CD1/1.ogg": {"artist": "Abba", "album": "Two", "tracknumber": "1"},
    "Two/CD2/1.flac": {"artist": "Abba", "album": "Two", "tracknumber": "1"},
    "Cher/x.mp3": {"artist": "Cher; Abba", "album": "Hits", "tracknumber": "2"},
    "Cher/y.opus": {"artist": "Cher", "album": "Hits", "tracknumber": "1"},
}
ALBUMS = [["Cher/y.opus", "Cher/x.mp3"], ["One/b.ogg", "One/a.flac"], ["Two/CD1/1.ogg", "Two/CD2/1.flac"]]


@pytest.mark.process
def test_the_order_albums_plays_whole_albums_sorted_by_disc_and_track_number(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, SONGS)
    album_of = {name: number for number, album in enumerate(ALBUMS) for name in album}

    for _ in range(2):  # the second time from the cache
        make(music, "--order", "albums")
        played = groupby(listed(music / "playshuffle.m3u"), album_of.__getitem__)
        assert sorted(list(names) for _, names in played) == ALBUMS


@pytest.mark.parametrize("name", ORDERS)
def test_the_command_help_shows_the_drawback_and_the_options_of_an_order(name: str, program: Program) -> None:
    text = program("help", name.upper()).out

    assert text.startswith(f"{name}: {ORDERS[name].guarantee}\n")
    assert f"But: {ORDERS[name].drawback}\n" in text
    assert all(flag(option) in text for option in (*ORDERS[name].takes, "limit", "time", "seed"))


@pytest.mark.process
def test_the_error_for_the_order_favourites_without_ratings_names_the_rating_tags(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, {"1.mp3": {"title": "a"}, "2.ogg": {"title": "b"}})
    said = refused(2, "make", music, "--order", "favourites")
    assert ("would be a plain random order" in said, "POPM" in said) == (True, True)


@pytest.mark.process
def test_a_kept_list_has_the_order_of_its_source_with_other_paths(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", [f"{number}.ogg" for number in range(1, 5)])
    party = tmp_path / "party.m3u"
    party.write_text("".join(f"{music}/{name}.ogg\n" for name in "3142"))
    new = tmp_path / "new.m3u"

    make("--from", party, "--order", "kept", "--paths", "relative", "-o", new)
    assert listed(new) == [f"Music/{name}.ogg" for name in "3142"]

    make(new)  # the record has the options
    assert listed(new) == [f"Music/{name}.ogg" for name in "3142"]


@pytest.mark.process
def test_without_a_source_kept_is_the_last_order_of_the_list(tmp_path: Path) -> None:
    music = library(tmp_path, [f"{number}.ogg" for number in range(9)])
    make(music)
    before = listed(music / "playshuffle.m3u")

    make(music, "--order", "kept", "-n", "5")

    assert listed(music / "playshuffle.m3u") == before[:5]


@pytest.mark.process
def test_a_list_of_albums_has_whole_albums_and_a_limit_that_cuts_one_says_so(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, SONGS)

    said = make(music, "--order", "albums", "--albums", "2")
    played = listed(music / "playshuffle.m3u")
    assert sorted([played[:2], played[2:]]) in [
        [one, other] for number, one in enumerate(ALBUMS) for other in ALBUMS[number + 1 :]
    ]
    assert "is cut" not in said

    said = make(music, "--order", "albums", "-n", "3")
    assert "The last album is cut: 1 of its 2 tracks. For whole albums: --albums 1" in said


@pytest.mark.process
def test_a_report_says_that_tracks_have_no_tag_for_the_order_or_the_limit(tmp_path: Path) -> None:
    songs = {f"{number}.ogg": {"artist": "A", "title": str(number)} for number in range(4)}
    music = tagged_library(tmp_path, {**songs, "5.ogg": {"genre": "Rock", "date": "1999"}})
    no_work = "Tracks with the tag work: 0 of 5 tracks. Each other track is a group of its own."

    for words in ((), ("-v",)):
        verdict, problem = make(music, "--order", "groups", "--group-by", "work", *words).splitlines()[:2]
        assert (verdict.partition(":")[0], problem) == ("warning", f"Problem: {no_work}")
    assert no_work in make(music, "--order", "spread", "--group-by", "work")
    said = make(music, "--order", "groups", "--group-by", "genre")
    assert "Tracks with the tag genre: 1 of 5 tracks. Each other track is a group of its own." in said
    assert "so the limit of 2 per work omits none." in make(music, "--most", "2:work")
    assert "4 of 5 tracks without year, at the end in random order." in make(music, "--order", "by:year")
    assert listed(music / "playshuffle.m3u")[0] == "5.ogg"
    assert "5 of 5 tracks without bpm, at the end in random order." in make(music, "--order", "by:-bpm")
    dealt = run("deal", music, "--order", "groups", "--group-by", "work", "-o", tmp_path / "today.m3u")
    assert no_work in dealt.err


@pytest.mark.process
@pytest.mark.parametrize("order", ["by:plays", "by:-plays"])
def test_an_order_by_plays_is_refused_if_no_track_has_any(order: str, tmp_path: Path) -> None:
    music = library(tmp_path)
    error = refused(2, "make", music, "--order", order)
    assert f"--order {order} needs plays, and no track has any" in error
    assert "playshuffle service install --listen" in error
    assert not (music / "playshuffle.m3u").exists()


@pytest.mark.process
def test_the_error_about_an_order_without_groups_ends_with_options_that_work(tmp_path: Path) -> None:
    music = tagged_library(tmp_path, SONGS)
    error = refused(2, "make", music, "--albums", "1")
    options = error.strip().rpartition("as in: ")[2]

    assert options == "--order albums --albums 1"
    make(music, *options.split())
    assert listed(music / "playshuffle.m3u") in ALBUMS


@pytest.mark.process
def test_the_option_no_duplicates_keeps_the_better_copy_and_reports_the_other(tmp_path: Path) -> None:
    tone(tmp_path / "a.ogg", 40, artist="Miles Davis", title="So What")
    tone(tmp_path / "b.flac", 41, artist="miles davis", title="So  what")

    said = make(tmp_path, "--no-duplicates", "-v")
    assert listed(tmp_path / "playshuffle.m3u") == ["b.flac"]
    assert "Left out: 1 duplicate: a better or equal copy is kept" in said
    assert f"{tmp_path}/a.ogg: duplicate of {tmp_path}/b.flac" in said
    assert f"no: duplicate of {tmp_path}/b.flac" in run("why", tmp_path / "a.ogg").out.decode()


@pytest.mark.process
@pytest.mark.parametrize(
    ("file", "text", "folder", "report"),
    [
        ("playshuffle/config.toml", 'folders = ["~/one"]\n[playlist.x]\n', "one", "ok: Would write ~/one/x"),
        ("user-dirs.dirs", 'XDG_MUSIC_DIR="$HOME/Musik"\n', "Musik", "Folder: ~/Musik (the music folder"),
        ("other", "", "Music", "Folder: ~/Music ("),
    ],
)
def test_make_without_a_folder_uses_the_configured_lists_or_else_the_music_folder_of_the_desktop(
    home: Path, program: Program, file: str, text: str, folder: str, report: str
) -> None:
    for name in {"Music", folder}:
        library(home / name, ["a.mp3"])
    (home / ".config/playshuffle").mkdir(parents=True)
    (home / ".config" / file).write_text(text)

    assert program("make", "--dry-run").err.startswith(report)
    assert program("make", "-q").err == ""


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
def test_each_switch_changes_only_its_own_option_and_begins_with_no_if_its_default_is_true(row: Row) -> None:
    assert row.is_negated is row.default
    changed: dict[str, Any] = {row.name: not row.default}
    assert parsed(row.flags[0]) == Given(Options(**changed), frozenset(changed))
