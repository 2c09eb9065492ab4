"""Drive mpv, alone with --shuffle and as the player of lists by shuf, beets, playshuffle and others."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.days.listener import CRASH, Program, Row
from benchmarks.days.music import Library

_FIRST_DAY = datetime(2027, 1, 1, 8)  # noqa: DTZ001 - local time, as faketime takes it
# Moments of the crash, from the start of Python to the end of the slowest program.
_KILLED_AFTER_S = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


def clear_faketime(process_id: int) -> None:
    """Remove the files of a killed faketime: else one that gets the same process id would not start."""
    for left in Path("/dev/shm").glob(f"*faketime_*_{process_id}"):
        left.unlink()


class Mpv(Program):
    """mpv without a device, over the folder with its own shuffle. Its events report the playing file."""

    def start(self, day: int, new: list[Path]) -> None:  # noqa: ARG002 - it takes the folder as it is
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

    def stop(self) -> None:
        self._say("quit")
        self._process.wait()
        self._lines.close()
        self._socket.close()

    def kill(self) -> None:
        self._process.kill()
        self.stop()


class Listed(Mpv):
    """A program that writes a list for mpv each day. The crash kills it, and not mpv."""

    def __init__(self, row: Row, home: Path, library: Library) -> None:
        super().__init__(row, home, library)
        self._list, self._is_playing = home / "list.m3u", False
        self.env |= {"PATH": f"{os.path.dirname(sys.executable)}:{self.env['PATH']}", "BEETSDIR": str(home)}
        self.env["NO_FAKE_STAT"] = "1"  # faketime would change the times of all files each day
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)  # each start would compile the program again

    def _started(self, command: str, day: int) -> subprocess.Popen[str]:
        """Start a command in the morning of a day."""
        command = self.words(command).replace("LIST", str(self._list))
        env = self.env | {"TODAY": f"{_FIRST_DAY + timedelta(days=day)}", "DAY": str(day)}
        return subprocess.Popen(
            ["bash", "-c", command], env=env, stdout=subprocess.PIPE, text=True, start_new_session=True
        )

    def _run(self, command: str, day: int) -> None:
        """Run a command to its end; its output is the list."""
        with self._started(command, day) as process:
            paths, _ = process.communicate()
        assert process.returncode == 0, command
        if paths:
            self._list.write_text("".join(f"{self.music / path}\n" for path in paths.splitlines()))

    def away(self, day: int) -> None:
        """Write the list of the day, which nobody plays."""
        self._run(self.row.command, day)

    def start(self, day: int, new: list[Path]) -> None:
        """Write the list of the day, and play it."""
        if self._is_playing:
            return
        if self.row.before and (new or day == 0):
            self._run(self.row.before, day)
        for after_s in _KILLED_AFTER_S if day == CRASH else ():
            with self._started(self.row.command, day) as process:
                time.sleep(after_s)
                os.killpg(process.pid, signal.SIGKILL)
            clear_faketime(process.pid)
        self._run(self.row.command, day)
        self.play(f"--playlist={self._list}")
        self._is_playing = True

    def kill(self) -> None:
        """Do nothing: the tested program was killed in the morning, and the player plays on."""

    def stop(self) -> None:
        super().stop()
        self._is_playing = False

    def heard(self, path: str, day: int, is_skipped: bool) -> None:
        """Add a line to the history, if the row has one."""
        if (history := self.home / "plays.csv").exists():
            at = "" if is_skipped else _FIRST_DAY + timedelta(days=day, hours=1)
            with history.open("a") as lines:
                lines.write(f'"{path}",{at},{int(not is_skipped)},{int(is_skipped)}\n')
