"""What a verb has to say, out: whatever state the two streams are in."""

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from playshuffle.errors import Exit, PlayshuffleError


def write_out(content: Iterable[bytes]) -> None:
    """Write to standard output; a reader who has had enough is no error.

    Raises:
        PlayshuffleError: it is closed, or full.
    """
    if sys.stdout is None:
        raise PlayshuffleError("Standard output is closed; nothing can be written there.", Exit.CANNOT_CREATE)
    try:
        sys.stdout.buffer.writelines(content)
        sys.stdout.flush()
    except BrokenPipeError:
        give_up(sys.stdout)
    except OSError as error:
        give_up(sys.stdout)
        raise PlayshuffleError(
            f"Standard output cannot be written: {error.strerror}.", Exit.CANNOT_CREATE
        ) from error


def say(lines: Iterable[str]) -> None:
    """Say something to the user, if there is anyone to hear it."""
    if sys.stderr is None:
        return
    try:
        for line in lines:
            print(line, file=sys.stderr)
    except OSError:
        give_up(sys.stderr)


def give_up(stream: TextIO) -> None:
    """Drop what a stream could not write, which Python would try again at its end, with a traceback."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
