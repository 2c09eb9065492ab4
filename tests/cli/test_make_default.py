"""Test which folders `make` takes when it is given none."""

from pathlib import Path

import pytest

from tests.support.program import configured, library, ran, run

pytestmark = pytest.mark.process


def test_the_configured_lists_come_first(home: Path) -> None:
    library(home / "Music", ["a.mp3"])
    library(home / "one", ["a.mp3"])
    configured('folders = ["~/one"]\n[playlist.x]\n')

    done = ran("make")
    assert done.err.startswith("ok: Wrote ~/one/x.m3u: 1 track")
    assert not (home / "Music/playshuffle.m3u").exists()


def test_else_it_is_the_music_folder_of_the_desktop(home: Path) -> None:
    library(home / "Musik", ["a.mp3"])
    (home / ".config").mkdir(exist_ok=True)
    (home / ".config/user-dirs.dirs").write_text('XDG_MUSIC_DIR="$HOME/Musik"\n')

    done = ran("make", "--dry-run")
    assert done.err.startswith("Folder: ~/Musik (the music folder of the desktop)\n")
    assert not (home / "Musik/playshuffle.m3u").exists()


def test_else_it_is_music_in_the_home(home: Path) -> None:
    missing = run("make")
    library(home / "Music", ["a.mp3"])
    quiet = run("make", "-q")

    assert (missing.code, missing.err.startswith("error: No music folder was named")) == (2, True)
    assert (quiet.code, quiet.err) == (0, "")
    assert (home / "Music/playshuffle.m3u").exists()
