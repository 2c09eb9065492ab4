"""The command that `make --for mpd` prints loads the playlist in MPD."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from playshuffle.system import mpd_conf
from playshuffle.system.mpd_conf import load_name
from tests.players.drivers.mpd import Mpd, running
from tests.support.program import library, run
from tests.support.program import mpd_conf as write_conf


def test_mpd_names_a_playlist_by_its_path_below_the_music_folder_even_if_that_folder_is_a_link(
    home: Path, tmp_path: Path
) -> None:
    (tmp_path / "Music").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "Music")
    write_conf(home / ".config", tmp_path / "link", tmp_path / "lists")

    assert load_name(bytes(tmp_path / "Music" / "calm.m3u"), mpd_conf.read_if_possible()) == b"calm.m3u"


def test_without_a_readable_mpd_conf_the_name_of_a_playlist_in_mpd_is_its_file_name(
    home: Path, tmp_path: Path
) -> None:
    (home / ".mpdconf").mkdir()

    assert load_name(bytes(tmp_path / "calm.m3u"), mpd_conf.read_if_possible()) == b"calm.m3u"


@pytest.fixture
def mpd(home: Path, tmp_path: Path) -> Iterator[Mpd]:
    """A running MPD that has scanned a library, and whose configuration playshuffle finds."""
    music = library(tmp_path / "Music", ["a.mp3", "b b.mp3", "c.mp3"])
    (tmp_path / "lists").mkdir()
    write_conf(home / ".config", music, tmp_path / "lists")
    with running(music, tmp_path / "lists") as mpd:
        yield mpd


@pytest.mark.process
@pytest.mark.players
@pytest.mark.parametrize("output", ["", "Music/all.m3u", "Music/My lists/it's.m3u"])
def test_mpd_loads_a_playlist_by_the_name_in_the_command_that_make_prints(
    mpd: Mpd, tmp_path: Path, output: str
) -> None:
    (tmp_path / "Music" / "My lists").mkdir()
    named = [] if not output else ["-o", str(tmp_path / output)]
    done = run("make", mpd.music, "--for", "mpd", *named)

    command = next(line for line in done.err.splitlines() if line.startswith("Play: "))
    words = shlex.split(command.removeprefix("Play: "))
    assert words[:6] == ["mpc", "update", "--wait", "&&", "mpc", "clear"]
    name = words[words.index("load") + 1]
    assert sorted(map(os.path.basename, mpd.loaded(name))) == [b"a.mp3", b"b b.mp3", b"c.mp3"]


@pytest.mark.process
def test_make_reports_a_playlist_and_a_music_folder_that_mpd_cannot_reach(home: Path, tmp_path: Path) -> None:
    write_conf(home / ".config", tmp_path / "Music", tmp_path / "lists")
    music, other = library(tmp_path / "Music", ["a.mp3"]), library(tmp_path / "other", ["b.mp3"])

    done = run("make", music, other, "--for", "mpd", "-o", tmp_path / "all.m3u")

    assert ": MPD loads playlists only from its music folder and its playlist folder." in done.err
    notes = [line for line in done.err.splitlines() if "outside of MPD's music folder" in line]
    assert len(notes) == 1
    assert notes[0].startswith(f"Note: {other} is outside")
