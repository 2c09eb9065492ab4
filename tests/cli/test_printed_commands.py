"""Commands that the program prints work when they are pasted into a shell, whatever names they hold."""

import os
import re
from pathlib import Path

import pytest

from playshuffle.cli.screen import Screen, shell_path
from playshuffle.text import shell_word
from tests.support.processes import finished
from tests.support.program import library, make, ran, run

pytestmark = pytest.mark.process

NAMES = [
    "two words",
    "it's",
    "it's two words",
    'a "quoted" word',
    "a; touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "a\nb",
    "tab\tand 'quote'",
    "-x",
    "~",
    "back\\slash\x1b",
    "ж \u202e",
    os.fsdecode(b"latin\xe9 1"),
]


def words_of(command: str, folder: Path) -> list[str]:
    """Return the words that a shell gives to the command, run in an empty folder."""
    folder.mkdir(exist_ok=True)
    pasted = f"playshuffle() {{ printf '%s\\0' \"$@\"; }}; {command}"
    done = finished(["bash", "-c", pasted], cwd=folder, errors="surrogateescape")
    assert (done.returncode, done.stderr, os.listdir(folder)) == (0, "", [])
    return done.stdout.split("\0")[:-1]


def command_in(text: str) -> str:
    command = re.search(r"playshuffle (?:check|deal)\b.*", text)
    assert command is not None, text
    return command[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_shell_reads_a_quoted_name_as_one_word_even_where_a_terminal_wraps_the_text(
    name: str, tmp_path: Path
) -> None:
    lines = Screen(40).wrapped(f"Some longer text before it. See: playshuffle check {shell_word(name)}")

    assert words_of(lines[-1].strip(), tmp_path / "empty") == ["check", name]


@pytest.mark.parametrize("name", NAMES)
def test_a_shell_finds_a_quoted_path_below_the_home_folder(name: str, home: Path, tmp_path: Path) -> None:
    word = shell_path(f"{home}/{name}/{name}")

    assert word.startswith("~/")
    assert words_of(f"playshuffle check {word}", tmp_path / "empty") == ["check", f"{home}/{name}/{name}"]
    assert words_of(f"playshuffle check {shell_path(str(home))}", tmp_path / "empty") == ["check", str(home)]


@pytest.mark.parametrize("name", NAMES)
def test_the_command_in_a_note_names_the_skip_list(name: str, home: Path, tmp_path: Path) -> None:
    music = library(home / "Music", ["1.mp3", "2.mp3"])
    skip_list = tmp_path / f"{name}.m3u"
    skip_list.write_text("/nowhere/a.wav\n")

    note = make(music, "--without", skip_list, "-o", tmp_path / "out.m3u")

    assert words_of(command_in(note), tmp_path / "empty") == ["check", str(skip_list)]


@pytest.mark.parametrize("name", NAMES)
def test_commands_for_a_list_of_any_name_find_the_list(name: str, home: Path, tmp_path: Path) -> None:
    music = library(home / "Music", ["1.mp3", "2.mp3"])
    for deck in (name, "other"):
        ran("deal", music, "-o", home / f"{deck}.m3u", "-q")
    several = words_of(command_in(run("deal").err), tmp_path / "empty")
    wrong_verb = words_of(command_in(run("make", home / f"{name}.m3u").err), tmp_path / "empty")

    word = str(home / "-x.m3u") if name == "-x" else name
    assert several in (["deal", word], ["deal", "other"])
    assert wrong_verb == ["deal", word]
