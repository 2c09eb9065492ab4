"""mpv, by its JSON IPC: alone with --shuffle, and as the player of lists."""

import contextlib
import json
import os
import socket
import subprocess
from pathlib import Path

from benchmarks.days.listener import Program, Row
from benchmarks.days.music import Library


class Session:
    """An mpv that plays to no device. Its events report the playing file.

    Attributes:
        unplayable: number of entries that it could not open.
    """

    def __init__(self, home: Path, music: Path) -> None:
        home.mkdir()
        self._home, self._music, self.unplayable = home, music, 0

    def start(self, arguments: list[str]) -> None:
        """Start it with a folder or a playlist, connected from the beginning, so that no event is lost."""
        self._socket, other = socket.socketpair()
        with other:
            self._process = subprocess.Popen(
                [
                    "mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null",
                    f"--input-ipc-client=fd://{other.fileno()}", *arguments,
                ],
                env=dict(os.environ, HOME=str(self._home)),
                pass_fds=[other.fileno()],
            )  # fmt: skip
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
                return os.path.normpath(os.path.join(self._music, str(message["data"])))
        return None

    def _say(self, *command: object) -> None:
        with contextlib.suppress(OSError):  # it ends after the last entry
            self._socket.sendall(json.dumps({"command": command}).encode() + b"\n")

    def next(self) -> None:
        """Go to the next entry; after the last one it ends."""
        self._say("playlist-next", "force")

    def stop(self) -> None:
        """End it."""
        self._say("quit")
        self._process.wait()
        self._lines.close()
        self._socket.close()

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()
        self._lines.close()
        self._socket.close()


class Mpv(Program):
    """mpv over the folder, with its own shuffle."""

    def __init__(self, row: Row, home: Path, library: Library) -> None:
        super().__init__(row, home, library)
        self._session = Session(home / "mpv", self.music)
        self.playing, self.next = self._session.playing, self._session.next  # type: ignore[method-assign]
        self.stop, self.kill = self._session.stop, self._session.kill  # type: ignore[method-assign]

    def start(self, day: int, new: list[Path]) -> None:  # noqa: ARG002 - it takes the folder as it is
        """Start it with the folder."""
        self._session.start(["--shuffle", str(self.music)])
