"""Drive players that report their track through a socket, the D-Bus or their log."""

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
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jeepney import DBusAddress, MatchRule, MessageType, Properties, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

from benchmarks.days.listener import Program, Row
from benchmarks.days.music import Library

# A player that still reports the same track after this time has chosen it again. One that plays nothing met
# an entry that it could not play, and its user asks for the next one.
_SAME_AGAIN_S, _SILENT_S, _READY_S = 5, 4, 90
_OBJECT = "/org/mpris/MediaPlayer2"


class Player(Program):
    """A player in an invisible terminal, which is polled until it plays another track than before."""

    process: subprocess.Popen[bytes]
    _last, _changed_s = "", 0.0

    def now(self) -> str:
        """Return the path of the track that it plays, empty while it plays none."""
        raise NotImplementedError

    def skip(self) -> None:
        """Ask for the next track."""
        raise NotImplementedError

    def resume(self) -> None:
        """Let it play."""
        raise NotImplementedError

    def launch(self) -> None:
        self._last, self.connection = "", contextlib.ExitStack()
        outer, inner = pty.openpty()
        termios.tcsetwinsize(inner, (24, 80))
        threading.Thread(target=self._drain, args=(outer,), daemon=True).start()
        words = shlex.split(self.words(self.row.command))
        self.process = subprocess.Popen(
            words, env=self.env, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
        )
        os.close(inner)

    def _drain(self, terminal: int) -> None:
        with open(terminal, errors="replace") as lines, contextlib.suppress(OSError):  # no process is left
            for _ in lines:
                pass

    def run(self, command: str, paths: Sequence[Path] = ()) -> int:
        """Run a command that controls it, and return its exit status."""
        words = [*shlex.split(self.words(command)), *map(str, paths)]
        return subprocess.run(
            words, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        ).returncode

    def wait(self, is_ready: Callable[[], object]) -> None:
        until_s = time.monotonic() + _READY_S
        while not is_ready():
            assert self.process.poll() is None, f"{self.row.key} ended"
            assert time.monotonic() < until_s, f"{self.row.key} is not ready"
            time.sleep(0.02)

    def playing(self) -> str | None:
        """Wait until the player plays another track."""
        begin_s = asked_s = time.monotonic()
        while (now_s := time.monotonic()) < begin_s + _READY_S:
            if self.process.poll() is not None:  # it ended by itself: its user starts it again
                self.connection.close()
                self.unplayable += 1
                self.start(-1, [])
            path = self.now()
            if path and (path != self._last or now_s > self._changed_s + _SAME_AGAIN_S):
                self._last = path
                return path
            if not path and now_s > asked_s + _SILENT_S:
                self.unplayable += 1
                self.skip()
                self.resume()
                asked_s = now_s
            time.sleep(0.005)
        raise TimeoutError(f"{self.row.key} plays nothing")

    def next(self) -> None:
        self._changed_s = time.monotonic()
        self.skip()

    def stop(self) -> None:
        """End the player as the system does when its user logs out."""
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(15)
        self.kill()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.connection.close()


class Talker(Player):
    """A player with a socket. An answer ends with a line that matches `end`."""

    end, skip_words, resume_words = "\n", "player-next", "player-play"

    def connect(self) -> None:
        """Start it, and connect as soon as it listens."""
        self.launch()
        self._socket = self.connection.enter_context(socket.socket(socket.AF_UNIX))
        self.wait(lambda: self._socket.connect_ex(str(self.home / "socket")) == 0)
        self.answers = self.connection.enter_context(self._socket.makefile("r"))

    def ask(self, command: str) -> list[str]:
        """Return the lines of its answer."""
        with contextlib.suppress(BrokenPipeError):  # it ended by itself
            self._socket.sendall(command.encode() + b"\n")
        lines: list[str] = []
        for line in self.answers:
            lines.append(line.rstrip("\n"))
            if re.match(self.end, line):
                break
        return lines

    def fields(self, command: str) -> dict[str, str]:
        return dict(re.split(": | ", line, maxsplit=1) for line in self.ask(command) if " " in line)

    def skip(self) -> None:
        self.ask(self.skip_words)

    def resume(self) -> None:
        self.ask(self.resume_words)


class Mpd(Talker):
    """MPD with the library in its queue."""

    end, skip_words, resume_words = "OK|ACK", "next", "play"

    def start(self, day: int, new: list[Path]) -> None:
        """Start it, wait for its update, and add new files."""
        self.connect()
        self.answers.readline()
        self.ask("update")
        self.wait(lambda: "updating_db" not in self.fields("status"))
        names = [str(path.relative_to(self.music)) for path in new] if day else ["/"]
        for command in [f'add "{name}"' for name in names] + ["random 1", "repeat 1", "play"]:
            self.ask(command)

    def now(self) -> str:
        """Return the song of MPD once it is decoded: until then MPD reports no audio format."""
        status = self.fields("status")
        if "error" in status:
            self.unplayable += 1
            self.ask("clearerror")
        is_playing = status.get("state") == "play" and "audio" in status
        return str(self.music / self.fields("currentsong")["file"]) if is_playing else ""


class Cmus(Talker):
    """cmus with the folder in its library."""

    def start(self, day: int, new: list[Path]) -> None:
        """Start it, add new files, and play."""
        self.connect()
        if day == 0 or new:
            self.ask("update-cache")
            self.ask(f"add -l {self.music}")
            count = len(list(self.music.rglob("*.ogg")))
            self.wait(lambda: len(self.ask("save -l -")) > count)
        self.resume()

    def now(self) -> str:
        fields = self.fields("status")
        return fields.get("file", "") if fields.get("status") == "playing" else ""


class Mpris(Player):
    """A player with a D-Bus of its own, which reports its track by properties and signals of MPRIS."""

    def __init__(self, row: Row, home: Path, library: Library) -> None:
        super().__init__(row, home, library)
        self._player = DBusAddress(_OBJECT, self.row.bus, "org.mpris.MediaPlayer2.Player")
        self._address = f"unix:path={home}/bus"
        self.env["DBUS_SESSION_BUS_ADDRESS"] = self._address
        self._server = subprocess.Popen(["dbus-daemon", "--session", f"--address={self._address}"])

    def close(self) -> None:
        self._server.terminate()
        self._server.wait()

    def start(self, day: int, new: list[Path]) -> None:
        """Start it, add new files, and let it play."""
        self.launch()
        self.wait((self.home / "bus").exists)
        self._bus = self.connection.enter_context(open_dbus_connection(self._address))
        rule = MatchRule(type="signal", interface="org.freedesktop.DBus.Properties", path=_OBJECT)
        self._bus.send_and_get_reply(message_bus.AddMatch(rule))
        self._signals = deque[Any]()
        self._bus.filter(rule, queue=self._signals)
        self.wait(lambda: self._get("PlaybackStatus"))
        if paths := new if day else [self.music]:
            self.run(self.row.add, paths)
        self.wait(self._has_begun)

    def _has_begun(self) -> bool:
        """Ask the player to play; return whether the time of its track advances, so that it really plays."""
        if self._get("PlaybackStatus") != "Playing":
            self.resume()
            time.sleep(0.2)
        return self._get("PlaybackStatus") == "Playing" and bool(self._get("Position"))

    def _get(self, name: str) -> Any:
        """Return a property; none while it has not started."""
        reply = self._bus.send_and_get_reply(Properties(self._player).get(name))
        return reply.body[0][1] if reply.header.message_type is MessageType.method_return else None

    def now(self) -> str:
        """Return the reported track; count tracks that it reported since, although no such file exists."""
        while self._signals:
            said = _path(self._signals.popleft().body[1].get("Metadata", ("", {}))[1])
            self.unplayable += bool(said) and not os.path.exists(said)
        path = _path(self._get("Metadata"))
        return path if os.path.exists(path) and self._get("PlaybackStatus") == "Playing" else ""

    def skip(self) -> None:
        self._bus.send_and_get_reply(new_method_call(self._player, "Next"))

    def resume(self) -> None:
        self._bus.send_and_get_reply(new_method_call(self._player, "Play"))


def _path(metadata: Any) -> str:
    """Return the path of a file in its metadata, empty if there is none."""
    return unquote(urlsplit((metadata or {}).get("xesam:url", ("s", ""))[1]).path)
