"""Words in, lines out: the command line, a module for each verb, and the one place that catches errors."""

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Annotated

import typer

from playshuffle import __version__
from playshuffle.cli.streams import give_up, say, write_out
from playshuffle.errors import Exit, PlayshuffleError, shown

_VERBS = (
    *("make", "deal", "watch", "reshuffle", "accept-missing", "forget", "status", "deck", "config"),
    *("service", "players", "tell", "check", "orders", "audit", "trace", "demo", "plugin", "why"),
    *("tags", "duplicates"),
)

# What a command that only groups others does by itself.
_ALONE = {"config": "--help", "deck": "list", "plugin": "--help", "service": "status"}


def _app(words: Sequence[str]) -> typer.Typer:
    """The command line, as far as these words need it: to build all verbs takes longer than most of them."""
    is_plain = words[:1] and words[0] in _VERBS and "_PLAYSHUFFLE_COMPLETE" not in os.environ
    verbs = {
        verb: import_module(f"playshuffle.cli.{_module(verb)}")
        for verb in (words[:1] if is_plain else _VERBS)
    }
    app = typer.Typer(
        help="Turn folders of music into playlists that play every track once.",
        epilog=verbs["make"].EXAMPLES if "make" in verbs else None,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_common)
    for verb, module in verbs.items():
        if hasattr(module, "VERBS"):
            app.add_typer(_group(module), name=verb)
        else:
            app.command(verb, epilog=module.EXAMPLES)(getattr(module, _module(verb)))
    return app


def _module(verb: str) -> str:
    return verb.replace("-", "_")


def _group(module: ModuleType) -> typer.Typer:
    """A verb that has verbs of its own: those in its `VERBS`; its help is the first line of the module."""
    summary = (module.__doc__ or "").partition(": ")[2]
    group = typer.Typer(help=summary[:1].upper() + summary[1:], epilog=module.EXAMPLES)
    for verb in module.VERBS:
        group.command()(verb)
    return group


def main() -> int:
    """Run the command line; the exit code."""
    try:
        words = sys.argv[1:] or ["--help"]
        if len(words) == 1 and words[0] in _ALONE:
            words.append(_ALONE[words[0]])
        code = _app(words)(words, prog_name="playshuffle", standalone_mode=False)
    except PlayshuffleError as error:
        return _fail(str(error), error.code)
    except typer.Exit as exit_:
        code = exit_.exit_code
    except typer.TyperException as error:
        return _fail(f"{shown(error.format_message()).rstrip('.')}; see --help.", Exit.USAGE)
    except (KeyboardInterrupt, typer.Abort):
        code = Exit.INTERRUPTED
    except OSError as error:
        # Of typer, which writes help texts itself; our own writes catch this where it happens.
        if error.errno not in (errno.ENOSPC, errno.EIO) or error.filename is not None:
            raise
        give_up(sys.stdout)
        return _fail(f"Standard output cannot be written: {error.strerror}.", Exit.CANNOT_CREATE)
    # A verb returns its code, or None; typer itself turns Ctrl-C into 130.
    if code == Exit.INTERRUPTED:
        return _fail("Interrupted.", code)
    return Exit.DONE if code is None else int(code)


def _fail(text: str, code: int) -> int:
    say([f"playshuffle: {text}"])
    return code


def _version(is_asked: bool) -> None:
    if is_asked:
        write_out([f"playshuffle {__version__}\n".encode()])
        raise typer.Exit


def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass
