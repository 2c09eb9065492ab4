"""Saved orders, decks and options work in a home that was copied to another path, as to another computer."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.program import Done, listed, numbered, run
from tests.support.service import own_home

pytestmark = pytest.mark.process


def in_home(home: Path, *words: str | Path) -> Done:
    done = run(*words, cwd=home, env=own_home(home))
    assert done.code in (0, 1), done.err
    return done


def deal(home: Path) -> Done:
    return in_home(home, "deal", home / "Music", "-n", "3", "--every", "run")


def copied(home: Path, name: str) -> Path:
    """Copy a home without its cache, and remove the original."""
    copy = home.with_name(name)
    shutil.copytree(home, copy, symlinks=True, ignore=shutil.ignore_patterns(".cache"))
    shutil.rmtree(home)
    return copy


@pytest.fixture
def ann(tmp_path: Path) -> Path:
    """A home with music."""
    numbered(tmp_path / "ann/Music", 9)
    return tmp_path / "ann"


def test_in_a_copied_home_the_round_of_a_deck_goes_on_and_status_and_undo_work(ann: Path) -> None:
    deal(ann)
    dealt = listed(ann / "Music/today.m3u")
    deal(ann)

    bob = copied(ann, "bob")
    status = in_home(bob, "status").out.decode()
    assert "dealt list today: " in status
    assert "ann" not in status.replace("cannot", "")
    assert "~/Music/today.m3u is as before: 3 tracks" in in_home(bob, "undo", bob / "Music/today.m3u").err
    assert listed(bob / "Music/today.m3u") == dealt
    for number in (2, 3):
        assert f"deal {number} of 3 in round 1" in deal(bob).err
        dealt += listed(bob / "Music/today.m3u")

    assert len(set(dealt)) == 9


def test_the_options_and_the_skip_list_of_a_playlist_still_apply_in_a_copied_home(ann: Path) -> None:
    """The entries of the skip list are known also after its file was removed."""
    words = ("make", "Music", "-o", "all.m3u", "--without", "hated.m3u")
    (ann / "hated.m3u").write_text("#EXTM3U\nMusic/003.mp3\n")
    in_home(ann, *words)

    bob = copied(ann, "bob")
    why = in_home(bob, "why", "Music/003.mp3", "--in", "all.m3u").out.decode()
    (bob / "hated.m3u").unlink()

    assert "in ~/hated.m3u, line 2" in why
    assert "Its last content counts." in in_home(bob, *words).err
    assert len(listed(bob / "all.m3u")) == 8


def test_plays_still_count_in_a_copied_home_after_the_file_of_the_play_history_was_removed(ann: Path) -> None:
    words = ("make", "Music", "-o", "all.m3u", "--history", "heard.csv", "--where", "plays:4")
    (ann / "heard.csv").write_text("path,plays\n003.mp3,4\n")
    in_home(ann, *words)

    bob = copied(ann, "bob")
    (bob / "heard.csv").unlink()

    assert " counts." in in_home(bob, *words).err
    assert listed(bob / "all.m3u") == ["Music/003.mp3"]


@pytest.mark.parametrize("is_link", [False, True])
def test_paths_below_the_home_are_stored_without_the_name_of_the_home(tmp_path: Path, is_link: bool) -> None:
    """If the home is a link, music is named below the link, and the playlist by its real path."""
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
    words = ("deal", music, "-n", "3", "--every", "run", "-o", "Lists/today.m3u")
    in_home(ann, *words)
    first = [os.path.basename(path) for path in listed(ann / "Lists/today.m3u")]

    bob = copied(ann, "bob")
    in_home(bob, *words)

    second = [os.path.basename(path) for path in listed(bob / "Lists/today.m3u")]
    assert not set(first) & set(second)
