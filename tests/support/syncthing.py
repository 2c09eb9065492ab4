"""Run two Syncthings on this computer, which share a folder with each other only."""

import contextlib
import itertools
import json
import os
import re
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.players.drivers.process import environment, started
from tests.support.needs import need
from tests.support.processes import finished
from tests.support.service import wait_for


class Syncthing:
    """A Syncthing, controlled by its REST interface."""

    def __init__(self, home: Path, folder: Path) -> None:
        need("syncthing")
        (folder / ".stfolder").mkdir(parents=True, exist_ok=True)
        home.mkdir()
        self.folder, self.home, self.env = folder, home, environment(home)
        self.port, self._rest_port = _free_port(), _free_port()
        made = finished(["syncthing", "generate", f"--home={home}"], env=self.env)
        assert made.returncode == 0, made.stderr
        text = (home / "config.xml").read_text()
        self.id = re.findall('<device id="([^"]+)"', text)[0]
        self._key = re.findall("<apikey>([^<]+)", text)[0]
        self._last = 0

    def configure(self, other: "Syncthing") -> None:
        """Write the configuration. With a low priority, it would leave the group that `started` ends."""
        both = (self, other)
        members = "".join(f'<device id="{each.id}"></device>' for each in both)
        devices = "".join(
            f'<device id="{each.id}"><address>tcp://127.0.0.1:{each.port}</address></device>' for each in both
        )
        (self.home / "config.xml").write_text(f"""<configuration version="36">
            <folder id="shared" path="{self.folder}" rescanIntervalS="3600" fsWatcherEnabled="false">
                {members}
                <minDiskFree unit="%">0</minDiskFree>
                <maxConflicts>10</maxConflicts>
            </folder>
            {devices}
            <gui><address>127.0.0.1:{self._rest_port}</address><apikey>{self._key}</apikey></gui>
            <options>
                <listenAddress>tcp://127.0.0.1:{self.port}</listenAddress>
                <reconnectionIntervalS>1</reconnectionIntervalS>
                <globalAnnounceEnabled>false</globalAnnounceEnabled>
                <localAnnounceEnabled>false</localAnnounceEnabled>
                <relaysEnabled>false</relaysEnabled>
                <natEnabled>false</natEnabled>
                <urAccepted>-1</urAccepted>
                <crashReportingEnabled>false</crashReportingEnabled>
                <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
                <minHomeDiskFree unit="%">0</minHomeDiskFree>
                <setLowPriority>false</setLowPriority>
            </options>
        </configuration>""")

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        with started(["syncthing", "serve", "--no-browser", "--no-restart", f"--home={self.home}"], self.env):
            wait_for(self._answers)
            yield

    def is_connected(self, other: "Syncthing") -> bool:
        return bool(self._ask("system/connections")["connections"][other.id]["connected"])

    def is_equal(self, other: "Syncthing") -> bool:
        """Return whether the other Syncthing has all files of this one."""
        completion = self._ask(f"db/completion?folder=shared&device={other.id}")
        return bool(completion["completion"] == 100)

    def scan(self) -> None:
        self._ask("db/scan?folder=shared", "POST")

    def pause(self, other: "Syncthing") -> None:
        self._ask(f"system/pause?device={other.id}", "POST")

    def resume(self, other: "Syncthing") -> None:
        self._ask(f"system/resume?device={other.id}", "POST")

    def finished_items(self) -> list[tuple[str, str]]:
        """Return each name that it has changed since the last call, and how: update, metadata or delete."""
        events = self._ask(f"events?since={self._last}&events=ItemFinished&timeout=0")
        self._last = events[-1]["id"] if events else self._last
        return [(event["data"]["item"], event["data"]["action"]) for event in events]

    def _answers(self) -> bool:
        with contextlib.suppress(OSError):
            return bool(self._ask("system/ping"))
        return False

    def _ask(self, path: str, method: str = "GET") -> Any:
        url = f"http://127.0.0.1:{self._rest_port}/rest/{path}"
        request = urllib.request.Request(url, headers={"X-API-Key": self._key}, method=method)
        with urllib.request.urlopen(request, timeout=500) as answer:
            return json.loads(answer.read() or "null")


@contextlib.contextmanager
def shared(home: Path, *folders: Path) -> Iterator[list[Syncthing]]:
    """Share two folders, and wait until the second has all files of the first."""
    one, two = (Syncthing(home / f"syncthing {number}", folder) for number, folder in enumerate(folders))
    one.configure(two)
    two.configure(one)
    with one.running(), two.running():
        wait_for(lambda: one.is_connected(two) and one.is_equal(two))
        yield [one, two]


# Below the ports that the kernel gives to other sockets; each test process has eight of its own.
_PORTS = itertools.count(10_000 + os.getpid() * 8 % 20_000)


def _free_port() -> int:
    while True:
        port = next(_PORTS)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
