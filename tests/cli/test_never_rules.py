"""Test that never.m3u leaves out folders and the tracks of queries, now and later."""

from pathlib import Path

import pytest

from tests.support.in_process import Program
from tests.support.program import listed
from tests.support.tagging import tagged_library

pytestmark = pytest.mark.process

FILES = {
    "Kids/a, b/1.mp3": {"artist": "Kids", "title": "One", "genre": "Pop"},
    "Kidsen/2.mp3": {"artist": "Kidsen", "title": "Two", "genre": "Pop"},
    "Metal/3.mp3": {"artist": "Metallica", "title": "Three", "genre": "Metal"},
    "Rock/4.mp3": {"artist": "Band", "title": "Four", "genre": "Rock"},
}


@pytest.fixture
def music(home: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(home)
    music = tagged_library(home / "Music", FILES)
    assert program("make", "Music", "--order", "sorted").code == 0
    return music


def names(music: Path) -> list[str]:
    return [Path(entry).name for entry in listed(music / "playshuffle.m3u")]


def never(home: Path) -> str:
    return (home / ".config/playshuffle/never.m3u").read_text()


def test_a_folder_stays_out_with_all_that_comes_into_it_and_no_folder_that_begins_alike(
    music: Path, program: Program
) -> None:
    assert (
        "~/Music/Kids/ is in no playlist any more. Removed from 1 playlist"
        in program("never", "Music/Kids").err
    )
    assert names(music) == ["2.mp3", "3.mp3", "4.mp3"]

    tagged_library(music, {"Kids/new.mp3": {"title": "New"}})
    program("make", "Music", "--order", "sorted")
    assert names(music) == ["2.mp3", "3.mp3", "4.mp3"]
    assert program("never").out == "~/Music/Kids/  (2 tracks now)\n"
    assert "no: in ~/.config/playshuffle/never.m3u, line 2" in program("why", "One").out
    assert never(music.parent) == "#EXTM3U\n#NEVER:~/Music/Kids/\n"


def test_a_query_stays_out_with_all_that_matches_later(music: Path, program: Program) -> None:
    assert program("never", "genre:metal").code == 0
    assert names(music) == ["1.mp3", "2.mp3", "4.mp3"]

    tagged_library(music, {"new.mp3": {"title": "New", "genre": "Metal"}})
    program("make", "Music", "--order", "sorted")
    assert names(music) == ["1.mp3", "2.mp3", "4.mp3"]
    assert program("never").out == "genre:metal\n"


def test_undo_takes_a_folder_or_query_back_by_its_name_or_the_last_line(
    music: Path, program: Program
) -> None:
    for word in ("Music/Kids", "genre:metal", "Four", "Music/Kids"):
        assert program("never", word).code == 0
    assert len(program("never").out.splitlines()) == 3

    assert "~/Music/Kids/ may be in playlists again" in program("never", "--undo", "Music/Kids").err
    assert "4.mp3 may be in playlists again" in program("never", "--undo").err
    assert "genre:metal may be in playlists again" in program("never", "--undo").err
    assert "No track is in" in program("never", "--undo").err
    program("make", "Music", "--order", "sorted")
    assert len(names(music)) == 4


def test_a_deal_loses_the_tracks_of_a_folder_at_once_and_deals_them_no_more(
    music: Path, program: Program
) -> None:
    program("deal", "Music")
    assert program("never", "Music/Kids").code == 0

    assert "1.mp3" not in (music / "today.m3u").read_text()
    assert program("deal", "today", "--now").code == 0
    assert "1.mp3" not in (music / "today.m3u").read_text()


def test_undo_of_a_list_does_not_bring_back_what_a_folder_or_query_leaves_out(
    music: Path, program: Program
) -> None:
    program("make", "Music", "-n", "1")
    program("never", "Music/Kids", "genre:metal")
    program("undo", "Music")

    assert names(music) == ["2.mp3", "4.mp3"]


def test_a_moved_folder_stays_out(music: Path, program: Program) -> None:
    program("never", "Music/Kids", "path:~/Music/Metal")
    music.rename(music.parent / "Moved")
    assert program("move", str(music), str(music.parent / "Moved")).code == 0

    assert "#NEVER:~/Moved/Kids/\n" in never(music.parent)
    assert f"#NEVER:path:{music.parent}/Moved/Metal\n" in never(music.parent)


@pytest.mark.parametrize("rule", ["genre:(", "nofield:x", "", " ", "year:a..b"])
def test_a_rule_that_is_wrong_stops_no_list(rule: str, music: Path, program: Program) -> None:
    program("never", "Music/Kids")
    with (music.parent / ".config/playshuffle/never.m3u").open("a") as file:
        file.write(f"#NEVER:{rule}\n")

    assert program("make", "Music", "--order", "sorted").code == 0
    assert names(music) == ["2.mp3", "3.mp3", "4.mp3"]


def test_rules_work_where_the_current_folder_was_removed(
    music: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("never", "Music/Kids", "genre:metal", "genre:rock")
    (removed := music / "removed").mkdir()
    monkeypatch.chdir(removed)
    removed.rmdir()

    assert program("never").code == 0
    assert program("never", "--undo", str(music / "Kids")).code == 0
    assert "is not in" in program("never", "--undo", str(music / "Metal/3.mp3")).err
    assert program("never", "--undo").code == 0
    assert never(music.parent) == "#EXTM3U\n#NEVER:genre:metal\n"


def test_a_query_with_a_mistake_is_refused(music: Path, program: Program) -> None:
    assert "is not closed" in program.refused(2, "never", "genre:metal (")
    assert not (music.parent / ".config/playshuffle/never.m3u").exists()
