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

# The commands, in the groups in which help shows them.
_VERBS = {
    **dict.fromkeys(("make", "deal", "check", "status", "help", "demo"), EVERYDAY),
    **dict.fromkeys(("config", "service", "watch", "reshuffle", "accept-missing"), SERVICE),
    **dict.fromkeys(("deck", "forget", "tell"), SERVICE),
    **dict.fromkeys(("orders", "players", "why", "tags", "duplicates", "plugin"), ABOUT),
    **dict.fromkeys(("audit", "trace"), LAB),
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


def _app(words: Sequence[str]) -> typer.Typer:
    """Build the command line, as far as these words need it: all commands take longer than most runs."""
    is_plain = words[:1] and words[0] in _VERBS and _COMPLETE not in os.environ
    verbs = {
        verb: import_module(f"playshuffle.cli.{_module(verb)}")
        for verb in (words[:1] if is_plain else _VERBS)
    }
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
    for verb, module in verbs.items():
        panel = _VERBS[verb]
        if hasattr(module, "VERBS"):
            app.add_typer(_group(module), name=verb, rich_help_panel=panel)
        else:
            command = getattr(module, _module(verb))
            app.command(verb, cls=Command, epilog=module.EXAMPLES, rich_help_panel=panel)(command)
    return app


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
        code = _app(words)(words, prog_name="playshuffle", standalone_mode=False)
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
