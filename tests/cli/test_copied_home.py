"""A home that is copied to another place, as to another computer."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.program import Done, entries, listed, numbered, run
from tests.support.service import own_home

pytestmark = pytest.mark.process


def in_home(home: Path, *words: str | Path) -> Done:
    done = run(*words, env=own_home(home))
    assert done.code in (0, 1), done.err
    return done


def deal(home: Path) -> Done:
    return in_home(home, "deal", home / "Music", "-n", "3", "--every", "run")


def copied(home: Path, name: str) -> Path:
    """Copy a home, all but its cache, and remove it."""
    copy = home.with_name(name)
    shutil.copytree(home, copy, symlinks=True, ignore=shutil.ignore_patterns(".cache"))
    shutil.rmtree(home)
    return copy


@pytest.fixture
def ann(tmp_path: Path) -> Path:
    """A home with music."""
    numbered(tmp_path / "ann/Music", 9)
    return tmp_path / "ann"


def test_the_round_of_a_deck_goes_on_in_a_copied_home(ann: Path) -> None:
    deal(ann)
    heard = listed(ann / "Music/today.m3u")

    bob = copied(ann, "bob")
    for number in (2, 3):
        assert f"deal {number} of 3 in round 1" in deal(bob).err
        heard += listed(bob / "Music/today.m3u")

    assert len(set(heard)) == 9


def test_status_and_undo_work_for_a_deck_in_a_copied_home(ann: Path) -> None:
    for _ in range(2):
        deal(ann)

    bob = copied(ann, "bob")
    status = in_home(bob, "status").out.decode()
    undone = in_home(bob, "undo", bob / "Music/today.m3u")

    assert "~/Music/today.m3u" in status
    assert "ann" not in status.replace("cannot", "")
    assert "~/Music/today.m3u is as before: 3 tracks" in undone.err


def test_the_options_and_the_skip_list_of_a_playlist_are_known_in_a_copied_home(ann: Path) -> None:
    """The entries of the skip list are known, too, after it was removed."""
    (ann / "hated.m3u").write_text("#EXTM3U\nMusic/003.mp3\n")
    in_home(ann, "make", ann / "Music", "-o", ann / "all.m3u", "--without", ann / "hated.m3u")

    bob = copied(ann, "bob")
    why = in_home(bob, "why", bob / "Music/003.mp3", "--in", bob / "all.m3u").out.decode()
    (bob / "hated.m3u").unlink()
    again = in_home(bob, "make", bob / "Music", "-o", bob / "all.m3u", "--without", bob / "hated.m3u")

    assert "in ~/hated.m3u, line 2" in why
    assert "Its last content counts." in again.err
    assert len(entries((bob / "all.m3u").read_bytes())) == 8


def test_a_play_history_is_known_in_a_copied_home_though_its_file_is_gone(ann: Path) -> None:
    (ann / "heard.csv").write_text("path,plays\n003.mp3,4\n")
    in_home(ann, "make", ann / "Music", "-o", ann / "all.m3u", "--history", ann / "heard.csv")

    bob = copied(ann, "bob")
    (bob / "heard.csv").unlink()
    words = ("--history", bob / "heard.csv", "--where", "plays:4")
    again = in_home(bob, "make", bob / "Music", "-o", bob / "all.m3u", *words)

    assert " counts." in again.err
    assert len(entries((bob / "all.m3u").read_bytes())) == 1


@pytest.mark.parametrize("is_link", [False, True])
def test_paths_below_the_home_are_stored_without_the_name_of_the_home(tmp_path: Path, is_link: bool) -> None:
    """The home may be a link: then music is named by it, and a playlist by the real path."""
    home = tmp_path / "unusual-name"
    if is_link:
        (tmp_path / "unusual-disk").mkdir()
        home.symlink_to("unusual-disk")
    numbered(home / "Music", 9)
    (home / "hated.m3u").write_text("#EXTM3U\nMusic/003.mp3\n")
    words = (home / "Music", "--without", home / "hated.m3u")
    in_home(home, "make", *words, "--map", f"{home}/Music=/music", "-o", home / "all.m3u")
    in_home(home, "deal", *words, "-n", "3", "--every", "run")
    (home / "Music/000.mp3").unlink()
    in_home(home, "deal", *words, "-n", "3", "--every", "run")

    assert b"unusual" not in (home / ".local/state/playshuffle/state.db").read_bytes()


def test_a_deck_of_music_outside_of_the_home_goes_on_in_a_copied_home(tmp_path: Path) -> None:
    ann, music = tmp_path / "ann", numbered(tmp_path / "music", 6)
    (ann / "Lists").mkdir(parents=True)
    words = ("deal", music, "-n", "3", "--every", "run", "-o")
    in_home(ann, *words, ann / "Lists/today.m3u")
    first = [os.path.basename(path) for path in listed(ann / "Lists/today.m3u")]

    bob = copied(ann, "bob")
    in_home(bob, *words, bob / "Lists/today.m3u")

    second = [os.path.basename(path) for path in listed(bob / "Lists/today.m3u")]
    assert not set(first) & set(second)
