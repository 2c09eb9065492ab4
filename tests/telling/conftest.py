"""A real MPD and a real mpv, each with a library of its own."""

import contextlib
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.players.drivers.mpd import Mpd, running
from tests.players.drivers.process import environment as player_environment
from tests.players.drivers.process import listens, short_home, started, until
from tests.support.needs import need
from tests.support.program import Done, listed, minutes, mpd_conf, ran, run


def songs(folder: Path, names: list[str]) -> Path:
    """Write songs of 20 minutes, longer than any test, with a sample rate that mpv supports."""
    return minutes(folder, names, 20, rate=4000)


class Telling:
    """A home with the folders Music and Playlists, in which playshuffle runs."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.music = songs(home / "Music", [f"{number:03}.wav" for number in range(12)])
        self.playlists = home / "Playlists"
        self.playlists.mkdir()

    def run(self, *words: str | Path, **changes: str) -> Done:
        return run(*words, env=changes, cwd=self.home)

    def make(self, output: Path, *words: str) -> Path:
        ran("make", self.music, "-o", output, *words, cwd=self.home)
        return output


@pytest.fixture
def telling(home: Path, monkeypatch: pytest.MonkeyPatch) -> Telling:
    monkeypatch.delenv("MPD_HOST", raising=False)
    return Telling(home)


class _Player:
    """A real player with a queue.

    name: as the command `tell` names the player. playlist: a file that the player can read.
    options: of the command `make` for this player.
    """

    name: str
    options: tuple[str, ...] = ()

    def __init__(self, telling: Telling, playlist: Path, *found_by: str | Path) -> None:
        self.telling = telling
        self.playlist = playlist
        self._found_by = found_by

    def make(self, *words: str) -> list[str]:
        """Make the playlist; return its entries."""
        return listed(self.telling.make(self.playlist, *self.options, *words))

    def tell(self, *words: str | Path, code: int = 0, **changes: str) -> str:
        """Run the command `tell` for the player and its playlist; return the messages."""
        done = self.telling.run("tell", self.name, *self._found_by, self.playlist, *words, **changes)
        assert done.code == code, done.err
        return done.err


class MpdPlayer(_Player):
    """A real MPD, which playshuffle finds by its mpd.conf."""

    name = "mpd"
    options: tuple[str, ...] = ("--for", "mpd")

    def __init__(self, telling: Telling, mpd: Mpd) -> None:
        super().__init__(telling, telling.playlists / "all.m3u")
        self.mpd = mpd

    def status(self) -> dict[str, str]:
        return dict(line.decode().split(": ", 1) for line in self.mpd.say("status"))

    def queue(self) -> list[str]:
        return [line.decode().partition("file: ")[2] for line in self.mpd.say("playlist")]

    def version(self) -> object:
        """Return a number that changes with the queue."""
        return self.status()["playlist"]

    def song(self) -> tuple[object, str]:
        now = self.status()
        return now["songid"], self.queue()[int(now["song"])]

    def is_playing(self) -> bool:
        return self.status()["state"] == "play"

    def position_s(self) -> float:
        """Return the position in the song; MPD counts it in steps of 4 KiB, half a second here."""
        return float(self.status().get("elapsed", 0))

    def start(self, position: int) -> None:
        self.mpd.say(f"play {position}")

    def append(self, name: str) -> None:
        self.mpd.say(f'add "{name}"')

    def interruptions(self) -> list[bytes]:
        """Return one line if playback started, stopped, paused or jumped since the last call."""
        return self.mpd.say("idle player\nnoidle")


@pytest.fixture
def mpd(telling: Telling) -> Iterator[MpdPlayer]:
    with running(telling.music, telling.playlists) as mpd:
        mpd_conf(telling.home / ".config", telling.music, telling.playlists, bind_to_address=mpd.path)
        yield MpdPlayer(telling, mpd)


class MpvPlayer(_Player):
    """A real mpv, and a connection to its socket."""

    name = "mpv"

    def __init__(self, telling: Telling, path: Path) -> None:
        super().__init__(telling, telling.music / "playshuffle.m3u", "--socket", path)
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(300)
        self._connection.connect(str(path))
        self._answers = self._connection.makefile("rb")

    def ask(self, *words: object) -> Any:
        """Send a command to mpv; return the data of its answer, None if mpv refuses it."""
        self._connection.sendall(json.dumps({"command": words, "request_id": 7}).encode() + b"\n")
        for line in self._answers:
            answer = json.loads(line)
            if answer.get("request_id") == 7 and "error" in answer:
                return answer.get("data")
        raise AssertionError("mpv hung up")

    def entries(self) -> list[dict[str, Any]]:
        """Return mpv's property `playlist`."""
        return list(self.ask("get_property", "playlist"))

    def queue(self) -> list[str]:
        return [Path(entry["filename"]).name for entry in self.entries()]

    def version(self) -> object:
        return [entry["id"] for entry in self.entries()]

    def song(self) -> tuple[object, str]:
        entry = next(entry for entry in self.entries() if entry.get("current"))
        return entry["id"], Path(entry["filename"]).name

    def is_playing(self) -> bool:
        return self.ask("get_property", "idle-active") is False

    def position_s(self) -> float:
        """Return the position in the song, which mpv updates once a second here."""
        return float(self.ask("get_property", "time-pos") or 0)

    def start(self, position: int) -> None:
        self.ask("playlist-play-index", position)

    def append(self, name: str) -> None:
        self.ask("loadfile", str(self.telling.music / name), "append")

    def interruptions(self) -> list[bytes]:
        """Return nothing: mpv reports pauses and jumps only while they happen."""
        return []

    def close(self) -> None:
        self._answers.close()
        self._connection.close()


@pytest.fixture
def mpv(telling: Telling) -> Iterator[MpvPlayer]:
    need("mpv")
    with short_home() as home:
        path = home / "socket"
        words = ["mpv", "--no-config", "--no-video", "--ao=null", "--idle", "--really-quiet"]
        with started([*words, f"--input-ipc-server={path}"], player_environment(home)) as process:
            until(lambda: listens(path), process)
            with contextlib.closing(MpvPlayer(telling, path)) as mpv:
                yield mpv


Player = MpdPlayer | MpvPlayer


@pytest.fixture(params=["mpd", "mpv"])
def player(request: pytest.FixtureRequest) -> Player:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Player)
    return found


def play(player: Player, position: int) -> tuple[object, str]:
    """Play a song of the queue; return its id and name as soon as it plays."""
    name = player.queue()[position]
    player.start(position)
    until(lambda: player.is_playing() and player.position_s() > 0 and player.song()[1] == name)
    return player.song()
