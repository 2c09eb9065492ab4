"""Drive players that report their track through a socket or their own command."""

import contextlib
import os
import pty
import re
import shlex
import socket
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from benchmarks.days.listener import Program

# A player that still reports the same track after this time has chosen it again. One that plays nothing met
# an entry that it could not play, and its user asks for the next one.
_SAME_AGAIN_S, _SILENT_S, _READY_S = 5, 4, 90


class Player(Program):
    """A player that is asked until it plays another track than before."""

    process: subprocess.Popen[bytes]
    last, _changed_s = "", 0.0

    def now(self) -> str:
        """Return the path of the track that it plays, empty while it plays none."""
        raise NotImplementedError

    def skip(self) -> None:
        """Ask for the next track."""
        raise NotImplementedError

    def resume(self) -> None:
        """Let it play."""

    def launch(self, command: str, more: Sequence[Path] = (), **settings: object) -> None:
        """Start its process; more: words of its command."""
        self.last, self._connection = "", contextlib.ExitStack()
        with (self.home / "log").open("ab") as log:
            streams = {"stdout": log, "stderr": log} | settings
            words = [*shlex.split(self.words(command)), *more]
            self.process = subprocess.Popen(words, env=self.env, **streams)  # type: ignore[call-overload]

    def wait(self, is_ready: Callable[[], object]) -> None:
        """Wait until it is ready."""
        until_s = time.monotonic() + _READY_S
        while not is_ready():
            assert self.process.poll() is None, f"{self.row.key} ended"
            assert time.monotonic() < until_s, f"{self.row.key} is not ready"
            time.sleep(0.02)

    def connect(self, address: Path) -> None:
        """Connect to its socket as soon as it listens."""
        self._socket = self._connection.enter_context(socket.socket(socket.AF_UNIX))

        def is_connected() -> bool:
            with contextlib.suppress(OSError):
                self._socket.connect(str(address))
                return True
            return False

        self.wait(is_connected)
        self._answers = self._connection.enter_context(self._socket.makefile("r"))

    def say(self, command: str, end: str) -> list[str]:
        """Return the lines of its answer, up to one that matches `end`."""
        lines: list[str] = []
        with contextlib.suppress(BrokenPipeError):  # it ended by itself
            self._socket.sendall(command.encode() + b"\n")
        for line in self._answers:
            lines.append(line.rstrip("\r\n"))
            if re.match(end, line):
                break
        return lines

    def playing(self) -> str | None:
        """Wait until it plays something else."""
        begin_s = asked_s = time.monotonic()
        while (now_s := time.monotonic()) < begin_s + _READY_S:
            if self.process.poll() is not None:  # it ended by itself: its user starts it again
                self.hang_up()
                self.unplayable += 1
                self.start(-1, [])
            path = self.now()
            if path and (path != self.last or now_s > self._changed_s + _SAME_AGAIN_S):
                self.last = path
                return path
            if not path and now_s > asked_s + _SILENT_S:
                self.unplayable += 1
                self.skip()
                self.resume()
                asked_s = now_s
            time.sleep(0.005)
        raise TimeoutError(f"{self.row.key} plays nothing")

    def next(self) -> None:
        """Go to the next track."""
        self._changed_s = time.monotonic()
        self.skip()

    def stop(self) -> None:
        """End it as the system does when its user logs out."""
        self.process.terminate()
        self.process.wait(30)
        self.hang_up()

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Close the connection to it."""
        self._connection.close()


class Mpd(Player):
    """MPD with the library in its queue."""

    def start(self, day: int, new: list[Path]) -> None:
        """Start it, wait for its update, and add new files."""
        self.launch(self.row.command)
        self.connect(self.home / "socket")
        self._answers.readline()
        self._ask("update")
        self.wait(lambda: "updating_db" not in self._ask("status"))
        names = [str(path.relative_to(self.music)) for path in new] if day else ["/"]
        for command in [f'add "{name}"' for name in names] + ["random 1", "repeat 1", "play"]:
            self._ask(command)

    def _ask(self, command: str) -> dict[str, str]:
        """Return the fields of an answer."""
        return dict(line.partition(": ")[::2] for line in self.say(command, "OK|ACK"))

    def now(self) -> str:
        """Ask for its song, once it decodes it: until then it knows no format of audio."""
        status = self._ask("status")
        if "error" in status:
            self.unplayable += 1
            self._ask("clearerror")
        is_playing = status.get("state") == "play" and "audio" in status
        return str(self.music / self._ask("currentsong")["file"]) if is_playing else ""

    def skip(self) -> None:
        """Ask for the next song."""
        self._ask("next")

    def resume(self) -> None:
        """Let it play."""
        self._ask("play")


class Vlc(Player):
    """VLC without a window. It refuses to run for root.

    It gets each file: it would read a folder while it plays, and this listener hears 40 tracks in that time.
    """

    def start(self, day: int, new: list[Path]) -> None:  # noqa: ARG002 - it takes the folder as it is
        """Start it with the folder."""
        folder = self.home / "vlc"
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        (folder / "socket").unlink(missing_ok=True)
        self.env |= {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
        user = "setpriv --reuid=65534 --regid=65534 --clear-groups " if os.geteuid() == 0 else ""
        self.launch(user + self.row.command, more=sorted(self.music.rglob("*.ogg")))
        self.connect(folder / "socket")
        self._input, self._is_playing = "", False

    def now(self) -> str:
        """Read its new messages, up to its status: inputs and states."""
        for line in self.say("status", "status: returned"):
            if found := re.search(r"new input: (file://.*) \)", line):
                self._input, self._is_playing = unquote(urlsplit(found[1]).path), False
            elif found := re.search(r"\( (\w+) state: (\d) \)", line):
                self._is_playing = found[1] == "play"
        return self._input if self._is_playing and self._input.endswith(".ogg") else ""

    def skip(self) -> None:
        """Ask for the next track."""
        self.say("next", "next: returned")


class Cmus(Player):
    """cmus in a terminal that nobody sees."""

    def start(self, day: int, new: list[Path]) -> None:
        """Start it, add new files, and play."""
        outer, inner = pty.openpty()
        termios.tcsetwinsize(inner, (24, 80))
        threading.Thread(target=_drain, args=(outer,), daemon=True).start()
        self.launch(self.row.command, stdin=inner, stdout=inner, stderr=inner, start_new_session=True)
        os.close(inner)
        self.connect(self.home / "socket")
        if day == 0 or new:
            self.say("update-cache", "\n")
            self.say(f"add -l {self.music}", "\n")
            count = len(list(self.music.rglob("*.ogg")))
            self.wait(lambda: len(self.say("save -l -", "\n")) > count)
        self.resume()

    def now(self) -> str:
        """Ask for its status."""
        fields = dict(line.partition(" ")[::2] for line in self.say("status", "\n"))
        return fields.get("file", "") if fields.get("status") == "playing" else ""

    def skip(self) -> None:
        """Ask for the next track."""
        self.say("player-next", "\n")

    def resume(self) -> None:
        """Let it play."""
        self.say("player-play", "\n")


def _drain(terminal: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(terminal, 65536):
            pass


class Moc(Player):
    """The server of moc, which is asked by its own command."""

    def _ask(self, *words: str | Path) -> str:
        command = [*shlex.split(self.words(self.row.command)), *words]
        done = subprocess.run(
            command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
        )
        return done.stdout.strip()

    def start(self, day: int, new: list[Path]) -> None:
        """Start its server, add new files, and play."""
        self.launch(f"{self.row.command} -S -F", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait(lambda: self._ask("-Q", "%state"))
        if new or day == 0:
            self._ask("-a", *(new if day else [self.music]))
        self._ask("-o", "shuffle,autonext")
        self.resume()

    def now(self) -> str:
        """Ask for the file and the state."""
        state, _, path = self._ask("-Q", "%state %file").partition(" ")
        return path if state == "PLAY" else ""

    def skip(self) -> None:
        """Ask for the next track."""
        self._ask("-f")

    def resume(self) -> None:
        """Let it play."""
        self._ask("-p")
