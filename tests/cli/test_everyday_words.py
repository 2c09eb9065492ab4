"""Test that everyday words get an answer, and that each command in an answer works."""

import shlex
from pathlib import Path

import pytest

from playshuffle.cli.everyday_words import answer_to, answers
from playshuffle.demo.tones import write_library
from tests.support.in_process import Program

pytestmark = pytest.mark.process

# Commands that cannot succeed in a test, and how they fail.
FAIL = {
    "playshuffle make ~/Music --history listen --order rare": (66, "service install --listen"),
    "playshuffle make ~/Music --history listen --order by:-plays": (66, "service install --listen"),
    "playshuffle make ~/Music --history listen --rest 3d,artist:2h": (66, "service install --listen"),
    "playshuffle make ~/Music --where length:1:00..": (3, "No track matches"),
    "playshuffle make ~/Music --where bpm:120..130": (3, "No track matches"),
    "playshuffle make ~/Music --order favourites": (2, "needs ratings"),
    "playshuffle service uninstall": (None, ""),
    "playshuffle tell mpd ~/Music --endless": (None, ""),  # runs until it is stopped, and waits for MPD
}
EVERYDAY = [
    "stick", "usb", "christmas", "seasons", "classical", "bpm", "rating", "skip", "daily", "radio",
    "duplicates", "audiobook", "cron", "docker", "poweramp", "sonos",
]  # fmt: skip


@pytest.mark.parametrize("command", sorted({answer.command for answer in answers().values()}))
def test_each_command_in_an_answer_works(
    command: str, home: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)  # the demo writes to the current folder
    write_library(str(home / "Music"))
    (home / "stick").mkdir()
    assert program("make", str(home / "Music")).code == 0
    code, part = FAIL.get(command, (0, ""))
    words = shlex.split(command.replace("~", str(home)).replace("/media/STICK", str(home / "stick")))

    done = program(*words[1:]) if code is not None else program(*words[1:], "--help")
    assert (done.code, part in done.err) == (code or 0, True), done.err


@pytest.mark.parametrize("word", EVERYDAY)
def test_help_answers_everyday_words(word: str, program: Program) -> None:
    done = program("help", word.upper())
    assert done.code == 0
    assert "playshuffle" in done.out


@pytest.mark.parametrize(
    "word", ["ls", "copy", "sync", "delete", "update", "next", "search", "generate", "play"]
)
def test_an_unknown_command_gets_the_command_that_does_it(word: str, program: Program) -> None:
    error = program.refused(2, word)
    assert f"Unknown command '{word}'." in error
    assert "playshuffle " in error.partition("'. ")[2]


def test_play_is_answered_by_a_line_that_names_the_command_to_play(home: Path, program: Program) -> None:
    write_library(str(home / "Music"))
    line = program.refused(2, "play", str(home / "Music")).strip().rpartition(": ")[2]

    assert line == "playshuffle make ~/Music"
    assert f"mpv --playlist={home}/Music/playshuffle.m3u" in program("make", str(home / "Music")).err


@pytest.mark.parametrize(
    "word", ["weighted", "least-played", "most-played", "newest", "oldest", "interleave", "fair"]
)
def test_an_unknown_order_or_option_gets_the_command_that_does_it(
    word: str, home: Path, program: Program
) -> None:
    write_library(str(home / "Music"))
    answer = answer_to(word)
    assert answer is not None

    assert program.refused(2, "make", str(home / "Music"), "--order", word).endswith(f"  {answer.command}\n")
    assert program.refused(2, "make", str(home / "Music"), f"--{word}").strip().endswith(answer.line)


@pytest.mark.parametrize(("field", "order"), [("rating", "favourites"), ("plays", "by:-plays")])
def test_a_field_as_an_order_gets_its_everyday_answer_too(
    field: str, order: str, home: Path, program: Program
) -> None:
    error = program.refused(2, "make", str(home), "--order", field)
    assert f"To sort by this field: by:{field}" in error
    assert error.endswith(f" --order {order}\n")


def test_the_options_of_an_answer_that_is_only_parsed_exist(program: Program) -> None:
    """As `--help` does not excuse an unknown option."""
    program.refused(2, "tell", "mpd", "--endles", "--help")


def test_an_unknown_word_is_still_unknown(program: Program) -> None:
    assert program.refused(2, "help", "nosuchword") == (
        "error: Unknown topic 'nosuchword'. To see all: playshuffle help\n"
    )
