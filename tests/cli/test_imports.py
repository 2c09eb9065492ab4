"""Check that commands do not import each other, nor slow modules that few runs need."""

import sys
from pathlib import Path

import pytest

from playshuffle.cli.app import COMMANDS
from scripts.command_tree import commands
from tests.support.processes import finished
from tests.support.program import environment, numbered

_LOADED = """
import sys
from playshuffle.__main__ import main
try:
    main()
finally:
    sys.stderr.write("\\n" + " ".join(sys.modules))
"""

# Modules of others that take long to import, and that no short run needs.
# typer 0.29.2 would import pydantic to convert the words of options: `cli.help_layout` does so in its place.
_SLOW = {
    "pydantic",
    "rich",
    "mutagen",
    "watchdog",
    "matplotlib",
    "numpy",
    "mpd",
    "asyncio",
    "multiprocessing",
}


def loaded(*words: str | Path, **variables: str) -> set[str]:
    """Run a command, and return the modules that it has imported, packages included."""
    done = finished([sys.executable, "-c", _LOADED, *words], env=environment(**variables))
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.process
def test_help_imports_no_command(home: Path) -> None:
    modules = loaded("--help", HOME=str(home))

    assert [name for name in COMMANDS if f"playshuffle.cli.{name.replace('-', '_')}" in modules] == []


@pytest.mark.process
@pytest.mark.parametrize(
    "words", [["-h"], ["make", "-h"], ["status"], ["make", "-q"], ["deal", "-q"]], ids=" ".join
)
def test_a_short_run_imports_nothing_slow(words: list[str], tmp_path: Path, home: Path) -> None:
    music = [numbered(tmp_path / "Music", 3)] if "-q" in words else []
    loaded(*words, *music, HOME=str(home))

    assert not loaded(*words, *music, HOME=str(home)) & _SLOW


@pytest.mark.process
def test_completion_imports_nothing_slow(home: Path) -> None:
    words = {"COMP_WORDS": "playshuffle make --ord", "COMP_CWORD": "2"}

    assert not loaded(HOME=str(home), _PLAYSHUFFLE_COMPLETE="complete_bash", **words) & _SLOW


def test_a_summary_is_the_first_sentence_of_the_command() -> None:
    """Help lists commands without importing them, so it has a copy."""
    helps = {command.words[0]: command.help for command in commands() if len(command.words) == 1}

    assert {verb: f"{text.partition('.')[0]}." for verb, text in helps.items()} == {
        verb: summary for verb, (_, summary) in COMMANDS.items()
    }
