"""Run the program on a pseudo-terminal, and read the screen."""

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.program import PROGRAM, environment

# Variables of the tests' environment that would change the terminal.
_OURS = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LC_ALL", "LC_CTYPE", "LANG")


class Seen(NamedTuple):
    """The exit code, and the text on the screen at the end, with the escape sequences of colours."""

    code: int
    text: str


def on_terminal(
    *words: str | Path, program: Sequence[str] = PROGRAM, columns: int = 80, until: bytes = b"", **env: str
) -> Seen:
    """Run a program on a terminal in UTF-8.

    Args:
        words: its arguments.
        program: by default playshuffle.
        columns: width of the terminal.
        until: press Ctrl-C after this output.
        env: changes of the environment.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    kept = {name: value for name, value in environment().items() if name not in _OURS}
    settings = {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8", **env}
    with subprocess.Popen(
        [*program, *words],
        env=settings,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    ) as process:
        os.close(theirs)
        seen = b""
        is_interrupted = not until
        with contextlib.suppress(OSError):  # the normal end, on Linux
            while chunk := os.read(ours, 1 << 16):
                seen += chunk
                if not is_interrupted and until in seen:
                    os.killpg(process.pid, signal.SIGINT)
                    is_interrupted = True
        code = process.wait(300)
    os.close(ours)
    return Seen(code, _left_on_screen(seen.decode(errors="replace").replace("\r\n", "\n")))


def _left_on_screen(text: str) -> str:
    """Return the text without cleared rows, such as a progress bar on a slow machine."""
    rows = [""]
    for part in re.split(r"(\n|\x1b\[1A|\x1b\[2K)", re.sub(r"\x1b\[\?25[lh]", "", text)):
        if part == "\n":
            rows.append("")
        elif part == "\x1b[1A":
            rows.pop()
        else:
            rows[-1] = "" if part == "\x1b[2K" else rows[-1] + part.removesuffix("\r")
    return "\n".join(rows)
