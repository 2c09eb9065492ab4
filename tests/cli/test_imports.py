"""Commands import only what they need: most of the time of a short run is spent on imports."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from playshuffle.cli.typer_app import app as typer_app
from playshuffle.cli.verbs import VERBS
from scripts.command_tree import commands
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
_HEAVY = {
    *(
        "typer",
        "rich",
        "mutagen",
        "watchdog",
        "pathspec",
        "matplotlib",
        "numpy",
        "mpd",
        "_hashlib",
        "ctypes",
        "asyncio",
    ),
    *("concurrent.futures", "multiprocessing", "logging", "socket", "ssl", "email", "http", "argparse"),
}
_RUN = {"playshuffle.pipeline.session", "playshuffle.library.walk", "playshuffle.library.cache"}
_RARE = {
    *("playshuffle.selection", "playshuffle.watch", "playshuffle.service.daemon", "playshuffle.demo"),
    *("playshuffle.install", "playshuffle.audit", "playshuffle.telling"),
}
# Modules of Python that only errors and rare branches need.
_RARE_HELPERS = {"shutil", "difflib", "textwrap", "subprocess", "pathlib", "random"}
_CONFIGURATION = {"tomllib", "playshuffle.config.load", "playshuffle.config.model"}

# `typing` compiles string annotations of named tuples. The first compilation takes as long as importing
# four modules, so a command to which this is prepended fails if it compiles anything.
_COMPILES_NOTHING = """
import builtins
builtins.compile = None
"""


def loaded(
    *words: str | Path, home: Path, variables: Mapping[str, str] | None = None, before: str = ""
) -> set[str]:
    """Run a command, and return the modules that it has imported, packages included."""
    done = subprocess.run(
        [sys.executable, "-c", before + _LOADED, *words],
        env=environment(HOME=str(home), **(variables or {})),
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.process
def test_help_imports_no_command(home: Path) -> None:
    modules = loaded("--help", home=home)

    assert not modules & (_HEAVY - {"typer"} | _RARE | _RUN | _CONFIGURATION)
    assert not [
        name for name in modules if name.startswith("playshuffle.cli.") and name.split(".")[2] in VERBS
    ]
    assert not {"playshuffle.config.options", "playshuffle.ordering", "playshuffle.players"} & modules


@pytest.mark.process
def test_status_imports_nothing_that_finds_or_reads_music(home: Path) -> None:
    modules = loaded("status", home=home)

    assert not modules & (_HEAVY | _RARE | _RUN | _CONFIGURATION | _RARE_HELPERS)
    assert not {"playshuffle.config.options", "playshuffle.shuffle", "playshuffle.pipeline.choice"} & modules


@pytest.mark.process
def test_an_unchanged_make_imports_no_reader_and_no_configuration(tmp_path: Path, home: Path) -> None:
    music = numbered(tmp_path / "Music", 3)
    loaded("make", music, home=home)

    modules = loaded("make", "-q", music, home=home, before=_COMPILES_NOTHING)

    assert not modules & (_HEAVY | _RARE | _CONFIGURATION)
    unused = {
        *("playshuffle.tags.reader_pool", "playshuffle.dealing.deck"),
        *("playshuffle.cli.music_folders", "playshuffle.cli.players", "playshuffle.ordering.plugin_orders"),
    }
    assert not modules & (unused | _RARE_HELPERS | {"dataclasses", "inspect", "shlex"})


@pytest.mark.process
@pytest.mark.parametrize(("line", "command"), [("playshuffle make --ord", "make"), ("playshuffle st", None)])
def test_completion_imports_the_command_alone(home: Path, line: str, command: str | None) -> None:
    variables = {
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
        "_PLAYSHUFFLE_COMPLETE": "complete_bash",
    }
    modules = loaded(home=home, variables=variables)

    assert not modules & (_HEAVY | _RARE | _RUN | _CONFIGURATION | _RARE_HELPERS)
    commands_loaded = {name for name in VERBS if f"playshuffle.cli.{name.replace('-', '_')}" in modules}
    assert commands_loaded == ({command} if command else set())


def test_a_summary_is_the_first_sentence_of_the_command() -> None:
    """Help lists commands without importing them, so it has a copy."""
    helps = {command.words[0]: command.help for command in commands() if len(command.words) == 1}

    assert {verb: f"{text.partition('.')[0]}." for verb, text in helps.items()} == {
        verb: summary for verb, (_, summary) in VERBS.items()
    }


@pytest.mark.parametrize("words", [["--", "status"], ["status"]])
def test_the_command_that_runs_is_whole(words: list[str]) -> None:
    app = typer_app(words)

    whole = [command.callback for command in app.registered_commands if command.help is None]
    assert [callback.__name__ for callback in whole if callback is not None] == ["status"]
