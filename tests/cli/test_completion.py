"""Test that shells complete the values of options and arguments."""

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.needs import need
from tests.support.program import configured, environment, numbered, program_in, run

pytestmark = pytest.mark.process

# With this variable typer takes the name of a shell; otherwise it asks the system in which shell it runs.
_NAMED = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


def completed(line: str, **variables: str) -> list[str]:
    """Return what bash gets for a command line whose last word is incomplete."""
    words = line.split(" ")
    done = run(
        env={
            "_PLAYSHUFFLE_COMPLETE": "complete_bash",
            "COMP_WORDS": "\n".join(words),
            "COMP_CWORD": str(len(words) - 1),
            **variables,
        }
    )
    assert (done.code, done.err) == (0, "")
    return done.out.decode().split()


def script(shell_name: str) -> str:
    """Return the script that completes words in a shell."""
    done = run("--show-completion", shell_name, env=_NAMED)
    assert (done.code, done.err) == (0, "")
    return done.out.decode()


@pytest.mark.parametrize(
    ("words", "values"),
    [
        # Values of options and arguments.
        ("make --order s", ["spread", "sattolo", "sorted"]),
        ("deal --order al", ["albums"]),
        ("make --for vl", ["vlc"]),
        ("make --group-by gen", ["genre"]),
        ("make --inside l", ["last"]),
        ("deal --every w", ["week"]),
        ("check --for al", ["all"]),
        ("tags alb", ["album", "albumartist"]),
        ("trace --order f", ["forward", "fisher-yates"]),
        ("audit --order satt", ["sattolo"]),
        ("help ex", ["exit-codes"]),
        ("help spr", ["spread"]),
        ("tell mp", ["mpd", "mpv"]),
        # A player of the configuration.
        *((f"{words} va", ["van"]) for words in ("make --for", "deal --for", "watch --for", "help")),
        # Words that depend on what is before them.
        ("de", ["demo", "deal"]),
        ("config ", ["init", "check"]),
        ("config -", ["--help", "-h"]),
        ("--v", ["--version"]),
        ("make --order=sp", ["spread"]),
        ("make --quiet --q", []),
        ("make --where x --wh", ["--where"]),
        ("tell --socket x mp", ["mpd", "mpv"]),
        ("tell mpd mp", []),
    ],
)
def test_words_are_completed(words: str, values: list[str]) -> None:
    configured("[player.van]\n")

    assert sorted(completed(f"playshuffle {words}")) == sorted(values)


@pytest.fixture
def names(home: Path) -> None:
    """Make a configuration with three playlists, of which one is dealt, and a deck."""
    numbered(home / "Music", 1)
    configured('folders = ["~/Music"]\n[playlist.calm]\n[playlist.all]\n[playlist.today]\nevery = "day"\n')
    assert run("deal", home / "Music", "-o", home / "Music/morning.m3u").code == 0


@pytest.fixture
def shell_path(tmp_path: Path) -> str:
    """Return a PATH with the program as a command."""
    return f"{program_in(tmp_path / 'bin')}:{os.environ['PATH']}"


def shell(words: list[str], path: str) -> str:
    done = subprocess.run(
        words, env=environment(PATH=path), capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stderr == ""
    return done.stdout


def in_bash(words: list[str], path: str) -> set[str]:
    code = script("bash") + (
        f"\nCOMP_WORDBREAKS=:; COMP_WORDS=({' '.join(map(shlex.quote, words))}); COMP_CWORD={len(words) - 1}"
        '\n_playshuffle_completion playshuffle; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    return set(shell(["bash", "--norc", "-c", code], path).split())


def in_zsh(words: list[str], path: str) -> set[str]:
    code = (
        f"compdef() {{ }}\n_arguments() {{ print -r -- $@ }}\n{script('zsh')}"
        f"\nwords=({' '.join(map(shlex.quote, words))}); CURRENT={len(words)}\n_playshuffle_completion"
    )
    said = shell(["zsh", "-f", "-c", code], path)
    return set(said.partition("((")[2].partition("))")[0].replace('"', "").split())


def in_fish(words: list[str], path: str) -> set[str]:
    code = script("fish") + f"\ncomplete --do-complete '{' '.join(words)}'"
    return set(shell(["fish", "--no-config", "-c", code], path).split())


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("complete", [in_bash, in_zsh, in_fish])
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("make a", {"all"}),
        ("deal t", {"today"}),
        ("undo ", {"calm", "all", "today", "morning"}),
        ("forget m", {"morning"}),
        ("check --for vl", {"vlc"}),
        ("tags gen", {"genre"}),
    ],
)
def test_shells_complete_names(
    complete: Callable[[list[str], str], set[str]], line: str, values: set[str], shell_path: str
) -> None:
    need(complete.__name__.removeprefix("in_"))

    assert complete(["playshuffle", *line.split(" ")], shell_path) == values


def test_bash_completes_words_behind_those_that_it_splits_at_a_colon(shell_path: str) -> None:
    words = "playshuffle make --where genre : jazz --order spr"

    assert in_bash(words.split(), shell_path) == {"spread"}
