"""Run the command line: a module for each command, and the one place that catches errors."""

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Annotated

import typer

from playshuffle import __version__
from playshuffle.cli.help_layout import ABOUT, EVERYDAY, LAB, SERVICE, Command, Group
from playshuffle.cli.streams import give_up, say_error, write_out
from playshuffle.errors import Exit, PlayshuffleError

# The commands, in the groups in which help shows them, each with the first sentence of its docstring:
# to import them all for that takes longer than most runs.
_VERBS = {
    "make": (EVERYDAY, "Write a shuffled playlist of music folders."),
    "deal": (EVERYDAY, "Write some tracks, and others tomorrow."),
    "check": (EVERYDAY, "Check that the entries of a playlist work."),
    "status": (EVERYDAY, "Show folders, playlists and the service."),
    "help": (EVERYDAY, "Explain a topic or a command."),
    "demo": (EVERYDAY, "Try it on a small library of tones."),
    "config": (SERVICE, "Create, check or show the configuration."),
    "service": (SERVICE, "Install, remove or check the service."),
    "watch": (SERVICE, "Keep playlists up to date in the foreground."),
    "reshuffle": (SERVICE, "Shuffle configured playlists again."),
    "accept-missing": (SERVICE, "Remove the tracks of a missing drive."),
    "deck": (SERVICE, "Show, reset or forget decks."),
    "forget": (SERVICE, "Forget the saved order and deck of a file."),
    "tell": (SERVICE, "Replace the queue of a running player."),
    "orders": (ABOUT, "Show the orders and what they guarantee."),
    "players": (ABOUT, "Show how to use each player."),
    "why": (ABOUT, "Explain why files are in a playlist or not."),
    "tags": (ABOUT, "Show tags and their values for queries."),
    "duplicates": (ABOUT, "List copies of the same recording."),
    "plugin": (ABOUT, "Install shuffle orders in Quod Libet."),
    "audit": (LAB, "Measure an order or a playlist."),
    "trace": (LAB, "Show a shuffle step by step."),
}

# Commands that are topics of `help`, too.
_TOPICS = ("orders", "players", "service", "config", "help")

_COMPLETE = "_PLAYSHUFFLE_COMPLETE"

_EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                  # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order spread   # artists far apart
  playshuffle deal ~/Music                  # 40 tracks a day, each track once
  playshuffle help orders                   # explains a topic
"""

# What a command that only groups others does by itself.
_ALONE = {"config": "--help", "deck": "list", "plugin": "--help", "service": "status"}


def _app(words: Sequence[str], *, is_whole: bool = False) -> typer.Typer:
    """Build the command line, as far as these words need it.

    A command that they do not name has a name and a summary only, unless the whole is asked for.
    """
    app = typer.Typer(
        cls=Group,
        help="Write shuffled playlists for any player: every track, exactly once.",
        epilog=_EXAMPLES,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_common)
    named = next((word for word in words if not word.startswith("-")), None)
    for verb, (panel, summary) in _VERBS.items():
        if not is_whole and verb != named:
            app.command(verb, cls=Command, help=summary, rich_help_panel=panel)(_unused)
            continue
        module = import_module(f"playshuffle.cli.{_module(verb)}")
        if hasattr(module, "VERBS"):
            app.add_typer(_group(module), name=verb, rich_help_panel=panel)
        else:
            command = getattr(module, _module(verb))
            app.command(verb, cls=Command, epilog=module.EXAMPLES, rich_help_panel=panel)(command)
    return app


def _unused() -> None:
    """Stand for a command that is not run."""


def _completed_words() -> list[str]:
    """Return the words that a shell has before the one to complete, without the program."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS", os.environ.get("COMP_WORDS", ""))
    words = line.split()[1:]
    return words if line[-1:].isspace() else words[:-1]


def _module(verb: str) -> str:
    return verb.replace("-", "_")


def _group(module: ModuleType) -> typer.Typer:
    """Build a command that has commands of its own, its `VERBS`; its help is the docstring of the module."""
    group = typer.Typer(cls=Group, help=module.__doc__, epilog=module.EXAMPLES)
    for verb in module.VERBS:
        group.command(cls=Command)(verb)
    return group


def main() -> int:
    """Run the command line and return the exit code."""
    words = sys.argv[1:] or ["--help"]
    try:
        words = _completed(words)
        needed = _completed_words() if _COMPLETE in os.environ else words
        code = _app(needed)(words, prog_name="playshuffle", standalone_mode=False)
    except PlayshuffleError as error:
        from playshuffle.cli.usage_errors import in_users_words

        return _fail(in_users_words(str(error), words), error.code)
    except typer.Exit as exit_:
        code = exit_.exit_code
    except typer.TyperException as error:
        from playshuffle.cli.usage_errors import usage_text

        return _fail(usage_text(error, words), Exit.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        code = Exit.INTERRUPTED
    except OSError as error:
        # Of typer, which writes help texts itself; our own writes catch this where it happens.
        if error.errno not in (errno.ENOSPC, errno.EIO) or error.filename is not None:
            raise
        give_up(sys.stdout)
        return _fail(f"Cannot write to standard output: {error.strerror}.", Exit.CANNOT_CREATE)
    # A command returns its code, or None; typer itself turns Ctrl-C into 130.
    if code == Exit.INTERRUPTED:
        return _fail("Interrupted.", code)
    return Exit.DONE if code is None else int(code)


def _completed(words: list[str]) -> list[str]:
    """Return the command line with what a user may omit."""
    if words in (["--install-completion"], ["--show-completion"]) or _COMPLETE in os.environ:
        from playshuffle.cli import completion

        words = completion.with_shell(words)
    if words[0] == "help" and len(words) > 1 and words[1] in _VERBS and words[1] not in _TOPICS:
        return [*words[1:], "--help"]
    return [*words, _ALONE[words[0]]] if len(words) == 1 and words[0] in _ALONE else words


def _fail(text: str, code: int) -> int:
    say_error(text)
    return code


def _version(is_asked: bool) -> None:
    if is_asked:
        write_out([f"playshuffle {__version__}\n".encode()])
        raise typer.Exit


def _install_completion(shell: str | None) -> None:
    if shell is not None:
        from playshuffle.cli import completion

        completion.install(shell)
        raise typer.Exit


def _show_completion(shell: str | None) -> None:
    if shell is not None:
        from playshuffle.cli import completion

        write_out([completion.script(shell).encode()])
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version")
    ] = False,
    install_completion: Annotated[
        str | None,
        typer.Option(
            metavar="SHELL",
            callback=_install_completion,
            is_eager=True,
            help="Complete words in bash, zsh or fish",
        ),
    ] = None,
    show_completion: Annotated[
        str | None,
        typer.Option(
            metavar="SHELL", callback=_show_completion, is_eager=True, help="Print the script for a shell"
        ),
    ] = None,
) -> None:
    pass
