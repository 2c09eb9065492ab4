"""Run the command line, and report its errors. Each command has a module."""

import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence

import typer

from playshuffle.cli.app import COMMANDS, app
from playshuffle.cli.streams import fail, give_up
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.system.xdg import moving_mark

# Commands that are topics of `help`, too.
_TOPICS = ("service", "config", "help")

# The default words after a command with subcommands.
_ALONE = {"config": "--help", "plugin": "--help", "service": "status"}

# What typer raises for a wrong command line; only its newest versions export it.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


def main() -> int:
    """Run the command line and return the exit code."""
    words = _with_omitted(sys.argv[1:] or ["-h"])
    try:
        _finish_move()
        with _escaped_completions():
            code = app(words, prog_name="playshuffle", standalone_mode=False)
    except (PlayshuffleError, _UsageError) as error:
        return _fail(error, words)
    except (KeyboardInterrupt, typer.Abort):
        code = Exit.INTERRUPTED
    except OSError as error:
        # Only typer gets here, when it writes help texts; the program's own writes catch the error.
        if error.errno not in (errno.ENOSPC, errno.EIO) or error.filename is not None:
            raise
        give_up(sys.stdout)
        return fail(f"Cannot write to standard output: {error.strerror}.", Exit.CANNOT_CREATE)
    # A command returns its code, or None; typer itself turns Ctrl-C into 130.
    if code == Exit.INTERRUPTED:
        return fail("Interrupted.", Exit.INTERRUPTED)
    return code if isinstance(code, int) else Exit.DONE


@contextlib.contextmanager
def _escaped_completions() -> Iterator[None]:
    """Escape the completions that typer prints for bash: its shell function does not quote them."""
    if os.environ.get("_PLAYSHUFFLE_COMPLETE") != "complete_bash":
        yield
        return
    colons = _join_colons()
    quote = os.environ.get("COMP_WORDS", "").rpartition("\n")[2][:1]
    values = io.StringIO()
    try:
        with contextlib.redirect_stdout(values):
            yield
    finally:
        # bash keeps what is before the last colon that was typed.
        text = re.sub(rf"^(?:[^:\n]*:){{{colons}}}", "", values.getvalue(), flags=re.MULTILINE)
        special = {"'": "'", '"': r'["$`\\]'}.get(quote, r"[^\w\n@%+=:,./-]")
        sys.stdout.write(re.sub(special, r"'\\''" if quote == "'" else r"\\\g<0>", text))


def _join_colons() -> int:
    """Join words that bash divided at colons, such as `genre:ja`; return how often it divided the last."""
    words = os.environ.get("COMP_WORDS", "").split("\n")[: int(os.environ.get("COMP_CWORD") or 0) + 1]
    joined = re.sub(r"\n:(\n|$)", ":", "\n".join(words))
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = joined, str(joined.count("\n"))
    return joined.rpartition("\n")[2].count(":") - words[-1].lstrip(":").count(":")


def _finish_move() -> None:
    """Finish a killed `playshuffle move`, before the configuration or a list is read."""
    with contextlib.suppress(OSError):  # without a home nothing was moved
        if os.path.lexists(moving_mark()):
            # Almost no command needs it.
            from playshuffle.store.path_moves import finish_move

            finish_move()


def _fail(error: Exception, words: Sequence[str]) -> Exit:
    # It needs the table of options, which many commands do without.
    from playshuffle.cli.usage_errors import details_of, in_users_words, usage_text

    if isinstance(error, PlayshuffleError):
        return fail(in_users_words(error, words), error.code, details_of(error, words))
    return fail(usage_text(error, words), Exit.USAGE)


def _with_omitted(words: list[str]) -> list[str]:
    """Insert an omitted subcommand, and turn `help COMMAND` into `COMMAND --help`."""
    if words[0] == "help" and len(words) > 1 and words[1] in COMMANDS and words[1] not in _TOPICS:
        return [*words[1:], "--help"]
    return [*words, _ALONE[words[0]]] if len(words) == 1 and words[0] in _ALONE else words
