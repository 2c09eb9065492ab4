"""Test the names of lists, such as that of their folder, and folders that stand for their lists."""

import shlex
from pathlib import Path

import pytest

from tests.support.in_process import Program
from tests.support.program import mpd_conf, numbered

pytestmark = pytest.mark.process


@pytest.fixture
def folders(home: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folders A and B with a list each; the home is the current folder."""
    monkeypatch.chdir(home)
    for name in ("A", "B"):
        numbered(home / name, 3)
        for seed in ("1", "2"):  # twice, so that undo has something to do
            assert program("make", str(home / name), "--seed", seed).code == 0
    return home


COMMANDS = (
    "check {}",
    "status {}",
    "undo {}",
    "make {}",
    "why A/000.mp3 --in {}",
    "audit {}",
    "export {} stick",
)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", ["A", "A/playshuffle", "./A/playshuffle.m3u", "~/A"])
def test_each_command_takes_the_name_that_status_prints_and_the_path_and_the_folder_of_a_list(
    command: str, name: str, folders: Path, program: Program
) -> None:
    assert "list A: " in program("status", "--all").out
    (folders / "stick").mkdir()
    (folders / "elsewhere").mkdir()

    done = program(*shlex.split(command.format(name.replace("~", str(folders)))))

    assert (done.code, "A" in (done.out + done.err)) == (0, True)


def test_the_name_of_the_program_names_the_only_list_or_else_the_one_in_the_current_folder(
    folders: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = program.refused(2, "check", "playshuffle")
    assert error == "error: There are several lists 'playshuffle'. Name one: A, B\n"

    monkeypatch.chdir(folders / "B")
    assert "~/B/playshuffle.m3u: 3 entries" in program("check", "playshuffle").out

    (folders / "A/playshuffle.m3u").unlink()
    monkeypatch.chdir(folders)
    assert "~/B/playshuffle.m3u: 3 entries" in program("check", "playshuffle").out


def test_lists_in_folders_of_the_same_name_are_named_by_their_files(folders: Path, program: Program) -> None:
    numbered(folders / "more/A", 2)
    program("make", "more/A")

    assert "Name one: ~/A/playshuffle.m3u, ~/more/A/playshuffle.m3u" in program.refused(2, "check", "A")
    assert "list ~/more/A/playshuffle.m3u: state by make" in program("status", "--all").out


def test_several_deals_are_named_by_their_folders(folders: Path, program: Program) -> None:
    assert program("deal", "A").code == program("deal", "B").code == 0

    assert "Name one: A/today, B/today" in program.refused(2, "status", "today")
    assert "~/A/today.m3u: dealt 3 of 3" in program("status", "A/today").out
    assert "dealt list B/today: " in program("status").out


def test_a_folder_here_comes_before_a_list_that_is_named_by_its_folder_but_not_before_one_elsewhere(
    folders: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise `make Music` and `make ~/Music` would make different lists."""
    program("make", "A", "--where", "title:1")
    assert "~/A/playshuffle.m3u: 3 tracks" in program("make", "A").err

    program("make", "A", "-n", "2")
    monkeypatch.chdir(folders / "B")
    assert "~/A/playshuffle.m3u" in (made := program("make", "A").err)
    assert ": 2 tracks of 3" in made


def test_a_folder_with_a_list_of_its_name_in_it_and_a_file_of_that_name_elsewhere_are_told_apart(
    folders: Path, program: Program
) -> None:
    program("make", "B", "-o", "A.m3u")

    assert "~/A.m3u: 3 entries" in program("check", "A").out
    assert "~/A/playshuffle.m3u: 3 entries" in program("check", "./A").out


def test_a_folder_without_a_list_gets_the_two_commands_that_do_it(folders: Path, program: Program) -> None:
    numbered(folders / "C d", 2)

    assert program.refused(66, "export", str(folders / "C d"), str(folders / "stick"), "--size", "8G") == (
        "error: No list was made of ~/C d yet.\n"
        "  playshuffle make ~/'C d'\n"
        "  playshuffle export ~/'C d' ~/stick --size 8G\n"
    )
    assert "There is no list 'C d'. Lists: A, B." in program.refused(66, "undo", "C d")


def test_a_folder_stands_for_its_list_wherever_that_is_and_an_error_names_them_if_it_has_several(
    folders: Path, program: Program
) -> None:
    numbered(folders / "C", 2)
    program("make", "C", "-o", "calm.m3u")
    assert "~/calm.m3u: 2 entries" in program("check", "C").out

    program("make", "C", "-o", "loud.m3u")
    assert "~/C has several lists. Name one: calm, loud" in program.refused(2, "check", "./C")

    program("make", "C")
    assert "~/C/playshuffle.m3u: 2 entries" in program("check", "C").out


def test_for_mpd_a_folder_or_the_name_of_several_lists_means_the_list_in_its_playlist_folder(
    folders: Path, program: Program
) -> None:
    (folders / "lists").mkdir()
    mpd_conf(folders / ".config", folders / "A", folders / "lists")
    assert program("make", "A", "--for", "mpd").code == 0

    for word in ("playshuffle", "./A"):
        assert "~/lists/playshuffle.m3u: 3 entries" in program("check", word, "--for", "mpd").out
        assert "mpd cannot be reached" in program.refused(75, "tell", "mpd", word)
    assert "~/A/playshuffle.m3u: 3 entries" in program("check", "./A").out


def test_why_suggests_to_make_a_list_of_the_folder_that_was_named(home: Path, program: Program) -> None:
    numbered(home / "A", 1)

    assert program.refused(2, "why", str(home / "A")).endswith("or make one: playshuffle make ~/A\n")
