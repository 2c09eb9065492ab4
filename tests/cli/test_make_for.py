"""Test that `playshuffle make --for PLAYER` fits that player, and names tracks that it cannot play."""

import os
import re
from pathlib import Path

import pytest

from playshuffle.playlist.m3u import parse
from tests.support.program import (
    configured,
    entries,
    library,
    listed,
    make,
    moved,
    mpd_conf,
    numbered,
    refused,
    report,
)

pytestmark = pytest.mark.process

MUSIC = ["a.mp3", "b#c.mp3", "d%41.mp3", " e.mp3", "f\\g.mp3", "h\ni.mp3", "j\rk.mp3", "l\udce9.mp3"]


@pytest.fixture
def mpd(home: Path, tmp_path: Path) -> Path:
    """The playlist folder of an MPD that reaches the music by another name."""
    (tmp_path / "mpd").mkdir()
    (tmp_path / "mpd" / "music").symlink_to(tmp_path / "Music")
    (tmp_path / "mpd" / "lists").mkdir()
    mpd_conf(home / ".config", tmp_path / "mpd/music", tmp_path / "mpd/lists")
    return tmp_path / "mpd" / "lists"


def forget() -> None:
    """Delete the saved state."""
    for path in Path(os.environ["XDG_STATE_HOME"]).rglob("state.db*"):
        path.unlink()


def test_make_writes_a_list_for_mpd_into_the_playlist_folder_of_mpd(music: Path, mpd: Path) -> None:
    said = report(music, "--for", "mpd")

    written = mpd / "playshuffle.m3u"
    assert said["output"] == str(written)
    content = written.read_bytes()
    assert b"#EXTINF" not in content
    assert sorted(entries(content)) == sorted(
        name if name[0].isalpha() else f"./{name}" for name in MUSIC if "\n" not in name
    )
    assert [Path(pair["path"]).name for pair in said["skipped"]] == ["h\ni.mp3"]


def test_a_list_in_the_playlist_folder_of_kodi_is_an_m3u_file_with_absolute_paths(tmp_path: Path) -> None:
    """Kodi opens that folder by an address of its own, above which no relative path leads."""
    music = library(tmp_path / "Music", ["a.mp3"])
    (tmp_path / "lists").mkdir()

    make(music, "--for", "kodi", "-o", tmp_path / "lists/all.m3u")

    assert entries((tmp_path / "lists/all.m3u").read_bytes()) == [f"{music}/a.mp3"]
    assert report(music, "--for", "kodi")["output"] == str(music / "playshuffle-kodi.m3u")


def test_make_warns_of_absolute_paths_for_a_device_unless_they_are_mapped(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", ["a.mp3"])

    said = report(music, "--for", "rockbox", "--paths", "absolute")
    mapped = report(music, "--for", "rockbox", "--map", f"{music}=/Music")

    assert [(loss["players"], loss["tracks"]) for loss in said["losses"]] == [
        (["Rockbox"], [f"{music}/a.mp3"])
    ]
    assert mapped["losses"] == []


@pytest.mark.parametrize("root", ["Music/sub", "mpd/music/sub", "."])
def test_a_list_for_mpd_has_only_tracks_in_mpds_music_folder(tmp_path: Path, mpd: Path, root: str) -> None:
    library(tmp_path, ["Music/sub/x.mp3", "Music/sub/y.mp3"])
    if root == ".":
        library(tmp_path, ["outside.mp3"])

    said = report(tmp_path / root, "--for", "mpd")

    assert sorted(listed(mpd / "playshuffle.m3u")) == ["sub/x.mp3", "sub/y.mp3"]
    assert ["outside.mp3" in pair["path"] for pair in said["skipped"]] == [True] * (root == ".")


def test_music_outside_of_the_music_folder_of_mpd_is_refused_with_advice(tmp_path: Path, mpd: Path) -> None:
    library(tmp_path / "Music", ["x.mp3"])
    assert "--map FROM=TO" in refused(66, "make", library(tmp_path / "elsewhere", ["y.mp3"]), "--for", "mpd")
    assert list(mpd.iterdir()) == []


def test_if_mpd_conf_cannot_be_read_the_option_output_is_needed(music: Path, home: Path) -> None:
    """Debian lets only MPD itself read /etc/mpd.conf."""
    (home / ".mpdconf").mkdir()  # root could read any file
    assert "cannot be read: Is a directory" in refused(66, "make", music, "--for", "mpd")
    [note] = report(music, "--for", "mpd", "-o", music / "x.m3u")["notes"]
    assert "cannot be read: Is a directory" in note
    assert listed(music / "x.m3u")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("--map ~/Music=/music --map {music}=/m=u", "/m=u/sub/a b.mp3"),
        ("--map {music}=/music --for vlc", "file:///music/sub/a%20b.mp3"),
        ("--map {music}=\\\\nas\\music", "\\\\nas\\music\\sub\\a b.mp3"),
        ("--map {music}/sub=smb://nas/m --for kodi", "smb://nas/m/a b.mp3"),
    ],
)
def test_the_option_map_writes_paths_as_the_player_sees_them(tmp_path: Path, words: str, line: str) -> None:
    music = library(tmp_path / "Music", ["sub/a b.mp3"])

    report(music, "-o", tmp_path / "x.m3u", *words.format(music=music).split())

    content = (tmp_path / "x.m3u").read_bytes()
    assert entries(content) == [line.format(music=music)]
    assert parse(content, bytes(tmp_path)).paths == [bytes(music / "sub" / "a b.mp3")]


@pytest.mark.parametrize(("folder", "line"), [("{music}/sub", "a b.mp3"), ("/", "{bare}/sub/a b.mp3")])
def test_the_key_relative_to_sets_where_relative_paths_start(tmp_path: Path, folder: str, line: str) -> None:
    music = library(tmp_path / "Music", ["sub/a b.mp3"])
    names = {"music": str(music), "bare": str(music).lstrip("/")}
    configured(f'[playlist.x]\nfolders = ["{music}"]\nrelative_to = "{folder.format(**names)}"\n')

    make("x")

    assert entries((music / "x.m3u").read_bytes()) == [line.format(**names)]


def test_tracks_that_have_no_path_for_the_player_are_left_out(tmp_path: Path) -> None:
    """They are outside of the folder that `--map` names, or have a backslash in the name."""
    music = library(tmp_path / "Music", ["sub/a.mp3", "sub/a\\b.mp3", "c.mp3"])

    said = report(music, "--map", f"{music}/sub=Z:\\M")

    assert listed(music / "playshuffle.m3u") == ["Z:\\M\\a.mp3"]
    reasons = {pair["path"]: pair["reason"] for pair in said["skipped"]}
    assert reasons.keys() == {f"{music}/c.mp3", f"{music}/sub/a\\b.mp3"}
    assert reasons[f"{music}/sub/a\\b.mp3"] == "a backslash in the name"


@pytest.mark.parametrize(
    ("words", "file"), [("--for mpd", "mpd/lists/playshuffle.m3u"), ("-o {}/x.xspf", "x.xspf")]
)
@pytest.mark.usefixtures("mpd")
def test_after_a_loss_of_the_state_the_last_order_is_read_from_the_playlist(
    tmp_path: Path, words: str, file: str
) -> None:
    """The entries of the playlist of MPD are relative to another folder."""
    music = numbered(tmp_path / "Music", 9)
    options = words.format(tmp_path).split()
    make(music, *options, "--seed", "1")
    first = re.findall(rb"\d{3}\.mp3", (tmp_path / file).read_bytes())
    forget()

    assert report(music, *options, "--order", "sattolo")["notes"] == []
    assert moved(first, re.findall(rb"\d{3}\.mp3", (tmp_path / file).read_bytes()))


def test_a_damaged_playlist_that_the_program_wrote_is_replaced(tmp_path: Path) -> None:
    music = library(tmp_path / "Music", ["a.mp3", "b.mp3"])
    path = tmp_path / "x.xspf"
    report(music, "-o", path)
    path.write_bytes(path.read_bytes()[:-30])
    forget()

    assert report(music, "-o", path, "--order", "sattolo")["changed"]
