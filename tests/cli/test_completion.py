"""Test that shells complete the values of options and arguments."""

import os
from pathlib import Path

import pytest

from tests.support.processes import finished
from tests.support.program import configured, environment, numbered, program_in, ran, run

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


@pytest.mark.parametrize(
    ("words", "values"),
    [
        # Values of options and arguments.
        ("make --order s", ["spread", "sattolo", "sorted"]),
        ("deal --order al", ["albums"]),
        ("make --for vl", ["vlc"]),
        ("make --group-by gen", ["genre"]),
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
def test_commands_options_and_values_are_completed(words: str, values: list[str]) -> None:
    configured("[player.van]\n")

    assert sorted(completed(f"playshuffle {words}")) == sorted(values)


def test_names_of_lists_are_completed(home: Path) -> None:
    """Three lists of the configuration, one of them dealt, and a deck."""
    numbered(home / "Music", 1)
    configured('folders = ["~/Music"]\n[playlist.calm]\n[playlist.all]\n[playlist.today]\nevery = "day"\n')
    ran("deal", home / "Music", "-o", home / "Music/morning.m3u")

    expected = {"make a": {"all"}, "deal t": {"today"}, "forget m": {"morning"}, "check c": {"calm"}}
    expected |= {"why c": {"calm"}, "make --without to": {"today"}, "make --from al": {"all"}}
    for words, names in {**expected, "undo ": {"calm", "all", "today", "morning"}}.items():
        assert set(completed(f"playshuffle {words}")) == names


def test_bash_completes_words_behind_those_that_it_splits_at_a_colon(tmp_path: Path) -> None:
    words = ["playshuffle", "make", "--where", "genre", ":", "jazz", "--order", "spr"]
    code = ran("--show-completion", "bash", env=_NAMED).out.decode() + (
        f"\nCOMP_WORDBREAKS=:; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}"
        '\n_playshuffle_completion playshuffle; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    path = f"{program_in(tmp_path / 'bin')}:{os.environ['PATH']}"

    done = finished(["bash", "--norc", "-c", code], env=environment(PATH=path))

    assert (done.stdout, done.stderr) == ("spread\n", "")
