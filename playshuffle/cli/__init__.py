"""Run the command line: a module for each command, and the one place that catches errors."""

import errno
import os
import sys

from playshuffle.cli import plain_line
from playshuffle.cli.streams import fail, give_up
from playshuffle.cli.verbs import VERBS
from playshuffle.errors import Exit, PlayshuffleError

# Commands that are topics of `help`, too.
_TOPICS = ("orders", "players", "service", "config", "help")

# The words that follow a command with subcommands if the user gives none.
_ALONE = {"config": "--help", "deck": "list", "plugin": "--help", "service": "status"}


def main() -> int:
    """Run the command line and return the exit code."""
    words = sys.argv[1:] or ["--help"]
    try:
        if os.environ.get("_PLAYSHUFFLE_COMPLETE"):
            from playshuffle.cli import completion

            return completion.complete(os.environ)
        words = _with_omitted(words)
        code = _run(words)
    except PlayshuffleError as error:
        from playshuffle.cli.usage_errors import in_users_words

        return fail(in_users_words(str(error), words), error.code)
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    except OSError as error:
        # Only typer gets here, which writes help texts itself; our own writes catch the error there.
        if error.errno not in (errno.ENOSPC, errno.EIO) or error.filename is not None:
            raise
        give_up(sys.stdout)
        return fail(f"Cannot write to standard output: {error.strerror}.", Exit.CANNOT_CREATE)
    # A command returns its code, or None; typer itself turns Ctrl-C into 130.
    if code == Exit.INTERRUPTED:
        return fail("Interrupted.", Exit.INTERRUPTED)
    return code if isinstance(code, int) else Exit.DONE


def _run(words: list[str]) -> object:
    """Run a command and return what it returns."""
    plain = plain_line.parse(words)
    if plain is not None:
        command, values = plain
        return command(**values)
    from playshuffle.cli import typer_app

    return typer_app.run(words)


def _with_omitted(words: list[str]) -> list[str]:
    """Return the command line with the words that a user may omit."""
    if words in (["--install-completion"], ["--show-completion"]):
        from playshuffle.cli import completion_script

        return completion_script.with_shell(words)
    if words[0] == "help" and len(words) > 1 and words[1] in VERBS and words[1] not in _TOPICS:
        return [*words[1:], "--help"]
    return [*words, _ALONE[words[0]]] if len(words) == 1 and words[0] in _ALONE else words
