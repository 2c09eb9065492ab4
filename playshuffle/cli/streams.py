"""Write to standard output and standard error, even if they are closed or full."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TextIO

from playshuffle.cli.screen import Fact, Mark, screen_of
from playshuffle.errors import Exit, PlayshuffleError

_SCHEMA = 1  # version of all JSON


def write_out(content: Iterable[bytes]) -> None:
    """Write to standard output; a reader that stops early is not an error."""
    if sys.stdout is None:
        raise PlayshuffleError("Cannot write to standard output: it is closed.", Exit.CANNOT_CREATE)
    try:
        sys.stdout.buffer.writelines(_plain(content) if _is_ascii(sys.stdout) else content)
        sys.stdout.flush()
    except BrokenPipeError:
        give_up(sys.stdout)
    except OSError as error:
        give_up(sys.stdout)
        raise PlayshuffleError(
            f"Cannot write to standard output: {error.strerror}.", Exit.CANNOT_CREATE
        ) from error


def print_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output. Bytes of names that are not UTF-8 come out unchanged."""
    write_out(f"{line}\n".encode(errors="surrogateescape") for line in lines)


def print_json(*results: Mapping[str, Any]) -> None:
    """Write a result as JSON, or several as a list, to standard output."""
    rows = [{"schema": _SCHEMA, **result} for result in results]
    print_lines([json.dumps(rows if len(rows) > 1 else rows[0], indent=2)])


def say(lines: Iterable[str]) -> None:
    """Write lines to standard error, if it is open."""
    if sys.stderr is None:
        return
    try:
        is_ascii = _is_ascii(sys.stderr)
        for line in lines:
            print(line.replace("\N{HORIZONTAL ELLIPSIS}", "...") if is_ascii else line, file=sys.stderr)
    except OSError:
        give_up(sys.stderr)


def say_wrapped(texts: Iterable[str]) -> None:
    """Write sentences to standard error, wrapped on a terminal."""
    screen = screen_of(sys.stderr)
    say(line for text in texts for line in screen.hanging(text))


def show(facts: Iterable[Fact]) -> None:
    """Write labelled facts to standard error."""
    say(screen_of(sys.stderr).facts(facts))


def _is_ascii(stream: TextIO) -> bool:
    screen = screen_of(stream)
    return screen.width is not None and not screen.has_unicode


def _plain(content: Iterable[bytes]) -> Iterator[bytes]:
    return (part.replace("\N{HORIZONTAL ELLIPSIS}".encode(), b"...") for part in content)


def say_error(text: str, details: Iterable[str] = ()) -> None:
    """Write an error, marked as such, and details below it to standard error."""
    screen = screen_of(sys.stderr)
    below = [line for detail in details for line in screen.hanging(detail, "  ")]
    say([screen.verdict(Mark.BAD, text), *below])


def give_up(stream: TextIO) -> None:
    """Drop unwritten text of a stream: Python would write it again at exit, with a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def fail(text: str, code: Exit, details: Iterable[str] = ()) -> Exit:
    """Write an error to standard error; return `code`."""
    say_error(text, details)
    return code
