"""Test what a word of the user names: a list, a file, a folder, a track or a query."""

import os
import shlex
from pathlib import Path

import pytest

from playshuffle.system import atomic_file
from tests.support.in_process import Program
from tests.support.program import configured, listed
from tests.support.tagging import tagged_library

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("music")]

FILES = {
    "Miles/1.mp3": {"artist": "Miles", "title": "So What", "album": "Blue", "genre": "Jazz"},
    "Miles/2.mp3": {"artist": "Miles", "title": "Title 3", "genre": "Jazz"},
    "Bill/So What.mp3": {"artist": "Bill", "title": "Take", "album": "Live", "genre": "Rock"},
    "Bill/4.mp3": {"artist": "Bill", "title": "Title 33", "genre": "Rock"},
    "Bill/5.mp3": {"artist": "Bill", "title": "title 3", "genre": "Rock"},
}
SO_WHAT = (
    "2 tracks are called 'So What': ~/Music/Bill/So What.mp3 (Bill, Live), ~/Music/Miles/1.mp3 (Miles, Blue)."
    " Give more of the path."
)
NO_LIST = "Lists: mine."


@pytest.fixture
def music(home: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A music folder with a list that is called mine. The home is the current folder."""
    music = tagged_library(home / "Music", FILES)
    monkeypatch.chdir(home)
    assert program("make", str(music), "-o", str(music / "mine.m3u"), "--order", "sorted").code == 0
    return music


ERRORS = {
    "make Music --pin 'So What' -o x.m3u": f"--pin: {SO_WHAT}",
    "why 'So What'": SO_WHAT,
    "never 'So What'": SO_WHAT,
    "never 'Title'": "No track is called 'Title'. Did you mean 'Title 3', 'Title 33' or 'title 3'?",
    "why genre:polka": "No audio file that a playlist could have: genre:polka",
    "check Music/Miles": "No list was made of ~/Music/Miles yet.\n"
    "  playshuffle make ~/Music/Miles\n  playshuffle check Music/Miles",
    "never Music/mine.m3u": "'Music/mine.m3u' is not an audio file.",
    "why nothing": f"There is no list, file, folder or track 'nothing'. {NO_LIST}",
    "tell mpv mine --at 0": "~/Music/mine.m3u has no track '0' of 5.",
    "make nolist": f"There is no list or folder 'nolist'. {NO_LIST}",
    "make min": "There is no list or folder 'min'. Did you mean 'mine'?",
    "make Musik": "There is no list or folder 'Musik'. Did you mean ~/Music?",
    **{
        f"{command} forgotten": f"There is no list 'forgotten'. {NO_LIST}"
        for command in ("status", "undo", "forget", "why 'Title 33' --in")
    },
    **{
        f"{command} forgotten{rest}": f"There is no list or file 'forgotten'. {NO_LIST}"
        for command, rest in {"check": "", "audit": "", "tell mpv": "", "export": " Music"}.items()
    },
    "make Music --without forgotten": f"--without: There is no list or file 'forgotten'. {NO_LIST}",
    "make --from forgotten -o x.m3u": f"--from: There is no list or file 'forgotten'. {NO_LIST}",
    "tags Music artist": "The field comes first: playshuffle tags artist ~/Music",
}


@pytest.mark.parametrize("typed", ERRORS)
def test_a_word_that_names_nothing_or_several_things_gets_advice(typed: str, program: Program) -> None:
    done = program(*shlex.split(typed))

    assert (done.err, done.out) == (f"error: {ERRORS[typed]}\n", "")
    assert done.code in (1, 2, 66)


ANSWERS = {
    "why 'Title 3'": "~/Music/Miles/2.mp3\n  mine  yes: position 5 of 5\n",
    "why 'miles - so what'": "~/Music/Miles/1.mp3\n  mine  yes: position 4 of 5\n",
    "why 4": "~/Music/Bill/4.mp3\n  mine  yes: position 1 of 5\n",
    "why mine": "~/Music\n  mine  5 of 5 files in the playlist\n",
    "why Miles": "~/Music/Miles\n  mine  2 of 2 files in the playlist\n",
    "why genre:jazz": "genre:jazz\n  mine  2 of 2 files in the playlist\n",
    "check mine": "ok: ~/Music/mine.m3u: 5 entries, each file exists once\n",
    "check Mine": "ok: ~/Music/mine.m3u: 5 entries, each file exists once\n",
}


@pytest.mark.parametrize("typed", ANSWERS)
def test_a_word_names_a_list_a_folder_a_track_or_a_query(typed: str, program: Program) -> None:
    done = program(*shlex.split(typed))

    assert (done.code, done.out, done.err) == (0, ANSWERS[typed], "")


def test_the_commands_audit_and_export_accept_the_name_of_a_list(program: Program, home: Path) -> None:
    (home / "stick").mkdir()

    assert program("audit", "mine").out.startswith("ok: ~/Music/mine.m3u: 5 tracks by 2 artists")
    assert "~/stick/mine: 5 tracks" in program("export", "mine", "stick").err
    assert program.refused(2, "export", "mine").startswith("error: Name a folder on the stick. Mounted remov")
    assert "Name a list and a folder on the stick. Lists: mine. Mount" in program.refused(2, "export")


def test_options_and_configuration_keys_accept_the_name_of_a_list(program: Program, home: Path) -> None:
    assert program("make", "--from", "mine", "-n", "2", "--order", "sorted", "-o", "two.m3u").code == 0
    assert program("make", "Music", "--without", "two", "--history", "mine", "-o", "rest.m3u").code == 0
    assert [len(listed(home / f"{name}.m3u")) for name in ("two", "rest")] == [2, 3]

    configured(
        'folders = ["~/Music"]\n[playlist.jazz]\nwhere = "genre:jazz"\noutput = "~/j.m3u"\npin = "Title 3"\n'
        '[playlist.rest]\nwithout = ["jazz", "two"]\noutput = "~/r.m3u"\n'
    )

    assert program("make", "jazz").code == 0
    assert program("make", "rest").code == 0

    assert listed(home / "j.m3u")[0] == "Music/Miles/2.mp3"
    assert listed(home / "r.m3u") == ["Music/Bill/So What.mp3"]


def test_without_a_configuration_the_command_tell_uses_the_list_that_was_made_last(program: Program) -> None:
    """The error is about the player, which does not run; so the list was found."""
    assert "mpv cannot be reached" in program.refused(75, "tell", "mpv")


def test_a_word_means_a_list_or_else_a_file_or_else_a_list_spelled_in_another_letter_case(
    program: Program, home: Path
) -> None:
    for name in ("mine", "Mine"):
        (home / name).write_text("x\n")

    assert program("check", "mine").out == ANSWERS["check mine"]
    assert program("check", "Mine").code == program("check", "./mine").code == 1


def test_the_name_of_a_playlist_file_means_a_file_in_the_current_folder_rather_than_a_known_list(
    program: Program, home: Path
) -> None:
    (home / "mine.m3u").write_text("x\n")

    assert "~/mine.m3u: 1 of 1 entry is broken" in program("check", "mine.m3u").out


def test_a_word_means_a_folder_rather_than_a_list_of_the_same_name_whose_file_is_gone(
    music: Path, program: Program
) -> None:
    (music / "mine.m3u").unlink()
    tagged_library(music.parent / "mine", {"6.mp3": {"title": "Six"}})

    assert "~/mine/playshuffle.m3u: 1 track" in program("make", "mine").err


def test_the_name_of_a_list_may_have_a_dot(music: Path, program: Program) -> None:
    """Also in the configuration, where such a word could be a file that does not exist yet."""
    program("make", "--from", "Music/mine.m3u", "--where", "title:take", "-o", "Music/Vol. 2.m3u")
    configured('folders = ["~/Music"]\n[playlist.rest]\noutput = "~/r.m3u"\nwithout = ["Vol. 2"]\n')

    assert program("make", "rest").code == 0
    assert len(listed(music.parent / "r.m3u")) == 4


def test_an_empty_query_removes_the_saved_query_of_a_list(program: Program) -> None:
    program("make", "mine", "--where", "title:take")
    program("make", "mine", "--where", "")

    assert "--where" not in program("make", "mine").err


def test_undo_is_refused_if_another_program_replaced_the_list_and_the_error_advises_no_option(
    program: Program,
) -> None:
    program("make", "mine", "--order", "random")
    Path("Music/mine.m3u").write_text("foreign.mp3\n")

    assert program.refused(73, "undo", "mine") == (
        "error: ~/Music/mine.m3u was not written by playshuffle, so it was not changed.\n"
    )


def test_lists_with_the_same_name_are_listed_with_the_names_of_their_folders(program: Program) -> None:
    program("make", "Music", "-o", "mine.m3u")

    assert f"Lists: Music/mine, {Path.home().name}/mine." in program("export").err.replace("\n", " ")


def test_a_track_that_is_gone_does_not_count_for_a_name_that_another_track_has(
    music: Path, program: Program
) -> None:
    (music / "Bill/So What.mp3").unlink()

    assert "~/Music/Miles/1.mp3 is in no playlist any more" in program("never", "So What").err


def test_the_never_command_says_that_never_undo_takes_back_one_track_at_a_time(program: Program) -> None:
    assert program("never", "Music/Bill/4.mp3", "Music/Bill/5.mp3").err.endswith(
        "Undo: playshuffle never --undo, once for each track\n"
    )


def test_the_search_for_lists_does_not_follow_links_in_the_path_of_a_folder_that_the_user_named(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be on a share that hangs."""
    resolved, asked = atomic_file.resolved, list[bytes]()

    def noted(path: bytes) -> bytes:
        asked.append(path)
        return resolved(path)

    monkeypatch.setattr(atomic_file, "resolved", noted)
    program("make", "./Music/Miles", "-o", "mine.m3u")

    assert os.path.abspath("Music/Miles").encode() not in asked
