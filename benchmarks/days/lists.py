"""Read the lists of shuf, beets, playshuffle and others, and drive mpv with its own shuffle."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.days.listener import CRASH, Listener, Program, Row
from benchmarks.days.music import Library

_FIRST_DAY = datetime(2027, 1, 4, 5)  # noqa: DTZ001 - local time, as faketime takes it
# Moments of the crash, from the start of Python to the end of the slowest program.
_KILLED_AFTER_S = (0.05, 0.1, 0.2, 0.4)


def clear_faketime(process_id: int) -> None:
    """Remove the files of a killed faketime: else one that gets the same process id would not start."""
    for left in Path("/dev/shm").glob(f"*faketime_*_{process_id}"):
        left.unlink()


def morning(day: int) -> str:
    """Return the time of the job before a day, for faketime."""
    return str(_FIRST_DAY + timedelta(days=day))


class Listed(Program):
    """A program that writes a list each night.

    The list is played as mpv plays it: from its first entry, also after mpv was killed, and again if no other
    list was written. Entries without a file are passed over.
    """

    def __init__(self, row: Row, home: Path, library: Library, who: Listener) -> None:
        super().__init__(row, home, library, who)
        self.list = home / "list.m3u"
        self._entries: Iterator[str] = iter(())
        (home / "plays.csv").write_text("path,last_played,plays,skips\n")

    def _started(self, command: str, day: int) -> subprocess.Popen[str]:
        """Start a command in the night before a day."""
        command = self.words(command).replace("LIST", str(self.list))
        return subprocess.Popen(
            ["bash", "-c", command], env=self.env | {"TODAY": morning(day)}, cwd=self.home,
            stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def _run(self, command: str, day: int) -> None:
        """Run a command to its end; its output is the list."""
        with self._started(command, day) as process:
            paths, _ = process.communicate()
        assert process.returncode == 0, command
        if paths:
            self.list.write_text(paths)

    def night(self, day: int, *, is_changed: bool) -> None:
        """Write the list of the day. The crash kills the program while it writes, too."""
        if self.row.before and is_changed:
            self._run(self.row.before, day)
        for after_s in _KILLED_AFTER_S if day == CRASH else ():
            with self._started(self.row.command, day) as process:
                time.sleep(after_s)
                os.killpg(process.pid, signal.SIGKILL)
            clear_faketime(process.pid)
        self._run(self.row.command, day)

    def start(self, day: int) -> None:  # noqa: ARG002 - any list of any day
        """Begin with the first entry."""
        lines = self.list.read_text().splitlines()
        self._entries = iter(
            [os.path.normpath(self.home / line) for line in lines if line and not line.startswith("#")]
        )

    def playing(self) -> str | None:
        return next(filter(os.path.exists, self._entries), None)

    def next(self) -> None:
        """Do nothing: `playing` takes the next entry."""

    def stop(self, day: int) -> None:
        if self.row.after:
            self._run(self.row.after, day)

    def kill(self) -> None:
        """Forget the place in the list."""
        self._entries = iter(())

    def heard(self, path: str, day: int, *, is_skipped: bool) -> None:
        """Add a line to the history."""
        at = "" if is_skipped else _FIRST_DAY + timedelta(days=day, hours=12)
        with (self.home / "plays.csv").open("a") as lines:
            lines.write(f'"{path}",{at},{int(not is_skipped)},{int(is_skipped)}\n')


class Mpv(Program):
    """mpv without a device, over the folder with its own shuffle. Its events report the playing file."""

    def start(self, day: int) -> None:  # noqa: ARG002 - it takes the folder as it is
        self.play("--shuffle", str(self.music))

    def play(self, *words: str) -> None:
        """Start it, connected from the beginning, so that no event is lost."""
        self._socket, other = socket.socketpair()
        with other:
            command = ["mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null", *words]
            command.append(f"--input-ipc-client=fd://{other.fileno()}")
            self._process = subprocess.Popen(command, env=self.env, pass_fds=[other.fileno()])
        self._lines = self._socket.makefile("r")

    def playing(self) -> str | None:
        """Wait until a file has begun to play, and return its path; none after the last."""
        for line in self._lines:
            message = json.loads(line)
            if message.get("event") == "end-file" and message["reason"] == "error":
                self.unplayable += 1
            elif message.get("event") == "playback-restart":
                self._say("get_property", "path")
            elif message.get("data"):
                return os.path.normpath(str(message["data"]))
        return None

    def _say(self, *command: object) -> None:
        with contextlib.suppress(OSError):  # it ends after the last entry
            self._socket.sendall(json.dumps({"command": command}).encode() + b"\n")

    def next(self) -> None:
        """Go to the next entry; after the last one it ends."""
        self._say("playlist-next", "force")

    def stop(self, day: int) -> None:  # noqa: ARG002 - each evening
        self._say("quit")
        self._end()

    def kill(self) -> None:
        self._process.kill()
        self._end()

    def _end(self) -> None:
        self._process.wait()
        self._lines.close()
        self._socket.close()
