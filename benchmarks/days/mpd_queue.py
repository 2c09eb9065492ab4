"""Drive MPD, with a queue of its own or one that another program fills."""

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import mpd

from benchmarks.days.listener import Listener, Program, Row
from benchmarks.days.music import Library

# A player that still reports the same track after this time has chosen it again. One that plays nothing met
# an entry that it could not play, and its user asks for the next one.
_SAME_AGAIN_S, _SILENT_S, _READY_S = 5, 15, 1500
# MPD updates its database only while no other program needs the processor: hence the long patience.
_SAVED_S = 1.5  # until MPD has written its state: every second here, two minutes in life
_CONF = """
music_directory "{music}"
db_file "{home}/db"
state_file "{home}/state"
state_file_interval "1"
bind_to_address "{home}/socket"
auto_update "yes"
audio_output {{
  type "null"
  name "null"
}}
"""


class Mpd(Program):
    """MPD, which goes on after a night as its state file says."""

    _process: subprocess.Popen[bytes] | None = None
    _companion: subprocess.Popen[bytes] | None = None
    _last, _changed_s, _is_changed = "", 0.0, True

    def __init__(self, row: Row, home: Path, library: Library, who: Listener) -> None:
        super().__init__(row, home, library, who)
        (home / "mpd.conf").write_text(_CONF.format(home=home, music=self.music))

    def night(self, day: int, *, is_changed: bool) -> None:  # noqa: ARG002 - any night
        self._is_changed |= is_changed

    def start(self, day: int) -> None:
        """Start it, wait for its update if files have changed, and add new files."""
        if self._process is None:
            self._last, self._client = "", mpd.MPDClient()
            self._process = self._started(f"mpd --no-daemon {self.home}/mpd.conf")
            self._wait(self._connects)
        if self._is_changed:
            self._client.update()
            self._wait(lambda: "updating_db" not in self._client.status())
            self._is_changed = False
        if self.row.companion and self._companion is None:
            self._companion = self._started(self.words(self.row.companion))
            self._wait(self._has_next)
        if day == 0:
            self._ask(self.row.setup)
        for path in self.added():
            self._client.add(str(path.relative_to(self.music)))
        self._client.play()

    def _started(self, command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            shlex.split(command), env=self.env, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def _connects(self) -> bool:
        # MPDClient itself leaves its socket open if MPD does not listen yet.
        path = str(self.home / "socket")
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
            probe.connect(path)
            self._client.connect(path)
            return True
        return False

    def _ask(self, commands: Mapping[str, str | int]) -> None:
        for name, word in commands.items():
            getattr(self._client, name)(*([] if word == "" else [word]))

    def _wait(self, is_ready: Callable[[], object]) -> None:
        until_s = time.monotonic() + _READY_S
        while not is_ready():
            assert time.monotonic() < until_s, f"{self.row.key} is not ready"
            time.sleep(0.02)

    def _has_next(self) -> bool:
        status = self._client.status()
        return int(status["playlistlength"]) > int(status.get("song", -1)) + 2

    def playing(self) -> str:
        """Wait until it plays another track."""
        begin_s = asked_s = time.monotonic()
        while (now_s := time.monotonic()) < begin_s + _READY_S:
            path = self._now()
            if path and (path != self._last or now_s > self._changed_s + _SAME_AGAIN_S):
                self._last = path
                return path
            if not path and now_s > asked_s + _SILENT_S:
                self.unplayable += 1
                self._skip()
                self._client.play()
                asked_s = now_s
            time.sleep(0.02)
        raise TimeoutError(f"{self.row.key} plays nothing")

    def _now(self) -> str:
        """Return the path of the song once it is decoded: until then MPD reports no audio format."""
        status = self._client.status()
        if "error" in status:
            self.unplayable += 1
            self._client.clearerror()
        if self.row.refill and status["playlistlength"] == "0":
            self.by_hand()
            self._ask(self.row.refill)
        is_playing = status["state"] == "play" and "audio" in status
        song = self._client.currentsong().get("file") if is_playing else None
        return str(self.music / song) if song else ""

    def next(self) -> None:
        if self.row.companion:  # in life it has minutes to choose the next track
            self._wait(self._has_next)
        self._changed_s = time.monotonic()
        self._skip()

    def _skip(self) -> None:
        with contextlib.suppress(mpd.CommandError):  # it has stopped, or the next file was deleted
            self._client.next()

    def stop(self, day: int) -> None:
        if self.row.ends and day % self.row.ends == self.row.ends - 1:
            self._end(signal.SIGTERM)
        else:
            self._client.pause(1)

    def kill(self) -> None:
        time.sleep(_SAVED_S)
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        for process in filter(None, (self._companion, self._process)):
            os.killpg(process.pid, how)
            process.wait()
        self._client.disconnect()
        self._process = self._companion = None

    def close(self) -> None:
        if self._process is not None:
            self._end(signal.SIGTERM)
