"""The end of the terminal in which `playshuffle watch` or `playshuffle listen` runs."""

import fcntl
import os
import pty
import re
import signal
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.processes import is_alive
from tests.support.program import PROGRAM, environment
from tests.support.service import PATIENCE_S, add, wait_for

pytestmark = pytest.mark.process

_LEAVE = (  # a shell that sends HUP to its jobs before it ends, as zsh does
    'trap : HUP; set -m; "$@" & echo $! >pid; while [ ! -e leave ]; do sleep 0.1; done; kill -HUP $!'
)
MUSIC = 3
_HUP, _TERM = 1 << (signal.SIGHUP - 1), 1 << (signal.SIGTERM - 1)


class Terminal(NamedTuple):
    """A terminal, and the process that was started in it."""

    descriptor: int
    process: subprocess.Popen[bytes]


def start(folder: Path, *words: str, before: Sequence[str] = ()) -> Terminal:
    """Start playshuffle in a new terminal, and in a folder."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*before, *PROGRAM, *words],
        cwd=folder,
        env=environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - no threads here
    )
    os.close(theirs)
    return Terminal(ours, process)


def test_watch_ends_when_its_terminal_is_closed(music: Path) -> None:
    terminal = start(music, "watch", str(music))
    with terminal.process as process:
        wait_for((music / "playshuffle.m3u").exists)

        os.close(terminal.descriptor)

        assert process.wait(PATIENCE_S) == 130


def test_watch_scans_after_the_signal_hup_while_its_terminal_is_open(music: Path) -> None:
    terminal = start(music, "watch", str(music))
    with terminal.process as process:
        wait_for((music / "playshuffle.m3u").exists)

        process.send_signal(signal.SIGHUP)

        add(music / "new.ogg", music / "playshuffle.m3u")
        assert process.poll() is None
        os.close(terminal.descriptor)


def test_watch_under_nohup_goes_on_when_its_terminal_is_closed(music: Path) -> None:
    terminal = start(music, "watch", str(music), before=["nohup"])
    with terminal.process as process:
        wait_for((music / "playshuffle.m3u").exists)

        os.close(terminal.descriptor)
        process.send_signal(signal.SIGHUP)

        add(music / "new.ogg", music / "playshuffle.m3u")
        assert process.poll() is None
        process.terminate()


def test_watch_in_the_background_ends_with_a_shell_that_hangs_up_its_jobs(music: Path) -> None:
    terminal = start(music, "watch", str(music), before=["sh", "-c", _LEAVE, "sh"])
    with terminal.process:
        wait_for((music / "playshuffle.m3u").exists)
        watch = int((music / "pid").read_text())

        (music / "leave").touch()

        wait_for(lambda: not is_alive(watch))
    os.close(terminal.descriptor)


def test_listen_under_nohup_ignores_the_end_of_its_terminal(tmp_path: Path) -> None:
    terminal = start(tmp_path, "listen", before=["nohup"])
    with terminal.process as process:
        handled = Path(f"/proc/{process.pid}/status")
        wait_for(lambda: int(re.findall(r"SigCgt:\s*(\w+)", handled.read_text())[0], 16) & _TERM)

        assert int(re.findall(r"SigIgn:\s*(\w+)", handled.read_text())[0], 16) & _HUP
        process.terminate()
    os.close(terminal.descriptor)
