"""Programs that write lists, which mpv plays: shuf, beets, packages of the Python index, and playshuffle."""

import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

from benchmarks.days.listener import CRASH, Program, Row
from benchmarks.days.mpv import Session
from benchmarks.days.music import Library

_FIRST_DAY = datetime(2027, 1, 1, 8)  # noqa: DTZ001 - local time, as faketime takes it
# Moments of the crash, from the start of Python to the end of the slowest program.
_KILLED_AFTER_S = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


class Listed(Program):
    """A program that writes a list each day. On the day of the crash it is killed, and not the player."""

    def __init__(self, row: Row, home: Path, library: Library) -> None:
        super().__init__(row, home, library)
        self._player = Session(home / "mpv", self.music)
        self.playing, self.next = self._player.playing, self._player.next  # type: ignore[method-assign]
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
        """Write the list, as each day; nobody plays it."""
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
        self._run(self.row.command, day)
        self._player.start([f"--playlist={self._list}"])
        self._is_playing = True

    def kill(self) -> None:
        """Do nothing: the tested program was killed in the morning, and the player plays on."""

    def stop(self) -> None:
        """End the player."""
        self.unplayable = self._player.unplayable
        self._player.stop()
        self._is_playing = False

    def heard(self, path: str, day: int, is_skipped: bool) -> None:
        """Add a line to the history, if the row has one."""
        if (history := self.home / "plays.csv").exists():
            at = "" if is_skipped else _FIRST_DAY + timedelta(days=day, hours=1)
            with history.open("a") as lines:
                lines.write(f'"{path}",{at},{int(not is_skipped)},{int(is_skipped)}\n')
