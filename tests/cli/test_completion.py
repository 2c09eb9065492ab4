"""Test that shells complete the values of options and arguments."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.needs import need
from tests.support.program import DATA, PROGRAM, environment, run

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
    ],
)
def test_values_of_options_are_completed(words: str, values: list[str]) -> None:
    assert completed(f"playshuffle {words}") == values


@pytest.mark.parametrize("words", ["make --for va", "deal --for va", "watch --for va", "help va"])
def test_players_of_the_configuration_are_completed(words: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[player.van]\n")

    assert completed(f"playshuffle {words}", PLAYSHUFFLE_CONFIG=str(config)) == ["van"]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("de", {"demo", "deal"}),
        ("config ", {"init", "check", "show"}),
        ("config -", {"--help", "-h"}),
        ("--v", {"--version"}),
        ("make --order=sp", {"spread"}),
        ("make --order sp", {"spread"}),
        ("make --quiet --q", set()),
        ("make --where x --wh", {"--where"}),
        ("why --order", set()),  # accepted, but not shown
        ("tell --socket x mp", {"mpd", "mpv"}),
        ("tell mpd mp", set()),
    ],
)
def test_words_are_completed_by_what_is_before_them(words: str, values: set[str]) -> None:
    assert set(completed(f"playshuffle {words}")) == values


@pytest.mark.parametrize(
    ("shell_name", "line", "out", "code"),
    [
        ("zsh", "playshuffle mak", '"make":"Write a shuffled playlist of music folders."', 0),
        ("zsh", "playshuffle config sh", '"show":"Show every value and the line that sets it."', 0),
        ("zsh", "playshuffle make --see", '"--seed":"Make the order repeatable, such as 2026"', 0),
        ("zsh", "playshuffle make 'x", "_files", 0),
        ("fish", "playshuffle make --see", "--seed\tMake the order repeatable, such as 2026", 0),
    ],
)
def test_shells_get_their_own_form(shell_name: str, line: str, out: str, code: int) -> None:
    variables = {
        "_PLAYSHUFFLE_COMPLETE": f"complete_{shell_name}",
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }

    done = run(env=variables)

    assert (done.code, done.err) == (code, "")
    assert out in done.out.decode()


@pytest.fixture
def names(home: Path) -> None:
    """Make a configuration with three playlists, of which one is dealt, and a deck."""
    folder = home / ".config/playshuffle"
    folder.mkdir(parents=True)
    (home / "Music").mkdir()
    (home / "Music/a.mp3").write_bytes((DATA / "v24.mp3").read_bytes())
    text = 'folders = ["~/Music"]\n[playlist.calm]\n[playlist.all]\n[playlist.today]\nevery = "day"\n'
    (folder / "config.toml").write_text(text)
    assert run("deal", home / "Music", "-o", home / "Music/morning.m3u").code == 0


@pytest.fixture
def shell_path(tmp_path: Path) -> str:
    """Return a PATH with the program as a command."""
    command = tmp_path / "bin/playshuffle"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {" ".join(PROGRAM)} "$@"\n')
    command.chmod(0o755)
    return f"{command.parent}:{os.environ['PATH']}"


_LINES = [
    ("make a", {"all"}),
    ("deal t", {"today"}),
    ("undo ", {"calm", "all", "today", "morning"}),
    ("forget m", {"morning"}),
    ("check --for vl", {"vlc"}),
    ("tags gen", {"genre"}),
]


def shell(words: list[str], path: str) -> str:
    done = subprocess.run(
        words, env=environment(PATH=path), capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(("line", "values"), _LINES)
def test_bash_completes_names(line: str, values: set[str], shell_path: str) -> None:
    words = [*line.split(), ""] if line.endswith(" ") else line.split()
    code = script("bash") + (
        f"\nCOMP_WORDS=(playshuffle {' '.join(word or repr('') for word in words)}); COMP_CWORD={len(words)}"
        '\n_playshuffle_completion playshuffle; printf "%s\\n" "${COMPREPLY[@]}"'
    )

    assert set(shell(["bash", "--norc", "-c", code], shell_path).split()) == values


def test_bash_completes_words_behind_those_that_it_splits_at_a_colon(shell_path: str) -> None:
    words = "make --where genre : jazz --order spr"
    code = script("bash") + (
        f"\nCOMP_WORDBREAKS=:; COMP_WORDS=(playshuffle {words}); COMP_CWORD={len(words.split())}"
        '\n_playshuffle_completion playshuffle; printf "%s\\n" "${COMPREPLY[@]}"'
    )

    assert shell(["bash", "--norc", "-c", code], shell_path).split() == ["spread"]


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(("line", "values"), _LINES)
def test_zsh_completes_names(line: str, values: set[str], shell_path: str) -> None:
    need("zsh")
    words = f"playshuffle {line}".split(" ")
    code = (
        "compdef() { }\n_arguments() { print -r -- $@ }\n"
        + script("zsh")
        + f"\nwords=({' '.join(word or repr('') for word in words)}); CURRENT={len(words)}"
        "\n_playshuffle_completion"
    )

    said = shell(["zsh", "-f", "-c", code], shell_path)

    assert set(said.partition("((")[2].partition("))")[0].replace('"', "").split()) == values


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize(("line", "values"), _LINES)
def test_fish_completes_names(line: str, values: set[str], shell_path: str) -> None:
    need("fish")
    code = script("fish") + f"\ncomplete --do-complete 'playshuffle {line}'"

    assert set(shell(["fish", "--no-config", "-c", code], shell_path).split()) == values


def test_the_shell_in_which_the_program_runs_is_recognised(shell_path: str) -> None:
    assert "complete -o default" in shell(["bash", "-c", "playshuffle --show-completion; true"], shell_path)


def test_completion_is_installed_for_this_user(home: Path) -> None:
    done = run("--install-completion", "fish", env=_NAMED)

    assert done.code == 0
    assert b"playshuffle.fish" in done.out
    assert (home / ".config/fish/completions/playshuffle.fish").exists()
