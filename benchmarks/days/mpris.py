"""Drive desktop players by MPRIS, each with its own D-Bus and an invisible screen."""

import os
import shlex
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jeepney import DBusAddress, MatchRule, MessageType, Properties, message_bus, new_method_call
from jeepney.io.blocking import open_dbus_connection

from benchmarks.days.listener import Row
from benchmarks.days.music import Library
from benchmarks.days.remote import Player

_OBJECT = "/org/mpris/MediaPlayer2"


class Mpris(Player):
    """A player that reports its track by properties and signals."""

    def __init__(self, row: Row, home: Path, library: Library) -> None:
        super().__init__(row, home, library)
        self._signals: deque[Any] = deque()
        self._player = DBusAddress(
            _OBJECT, f"org.mpris.MediaPlayer2.{row.bus}", f"{_OBJECT[1:].replace('/', '.')}.Player"
        )
        self._address = f"unix:path={home}/bus"
        read, write = os.pipe()
        commands = [f"dbus-daemon --session --nofork --address={self._address}", f"Xvfb -displayfd {write}"]
        self._servers = [
            subprocess.Popen(shlex.split(command), pass_fds=[write], stderr=subprocess.DEVNULL)
            for command in commands
        ]
        os.close(write)
        with os.fdopen(read) as screen:
            self.env["DISPLAY"] = f":{screen.readline().strip()}"
        self.env |= {
            "DBUS_SESSION_BUS_ADDRESS": self._address,
            "GSETTINGS_BACKEND": "keyfile",
            "NO_AT_BRIDGE": "1",
        }

    def close(self) -> None:
        """End the bus and the screen."""
        for server in self._servers:
            server.terminate()
            server.wait()

    def start(self, day: int, new: list[Path]) -> None:
        """Start it, add new files, and let it play."""
        self.launch(self.row.command)
        self._bus = open_dbus_connection(self._address)
        rule = MatchRule(type="signal", interface="org.freedesktop.DBus.Properties", path=_OBJECT)
        self._bus.send_and_get_reply(message_bus.AddMatch(rule))
        self._signals.clear()
        self._filter = self._bus.filter(rule, queue=self._signals)
        self.wait(lambda: self._get("PlaybackStatus"))
        paths = new if day else [self.music]
        if self.row.add and paths:
            subprocess.run(
                [*shlex.split(self.row.add), *paths], env=self.env, check=True, stdout=subprocess.DEVNULL
            )
        self.wait(self._has_begun)

    def _has_begun(self) -> bool:
        """Ask it to play, and return whether the time of a track goes on, so that it really plays."""
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
        """Ask for the next track."""
        self._bus.send_and_get_reply(new_method_call(self._player, "Next"))

    def resume(self) -> None:
        """Let it play."""
        self._bus.send_and_get_reply(new_method_call(self._player, "Play"))

    def hang_up(self) -> None:
        """Close the connection to the bus."""
        self._bus.close()


def _path(metadata: Any) -> str:
    """Return the path of a file in its metadata, empty if there is none."""
    return unquote(urlsplit((metadata or {}).get("xesam:url", ("s", ""))[1]).path)
