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
from tests.support.program import Done, minutes, run


def songs(folder: Path, names: list[str]) -> Path:
    """Write songs that outlast a slow test, at a rate that mpv plays."""
    return minutes(folder, names, 20, rate=4000)


class Telling:
    """A home with a music folder, and the program that runs in it."""

    def __init__(self, home: Path, count: int) -> None:
        self.home = home
        self.names = [f"{number:03}.wav" for number in range(count)]
        self.music = songs(home / "Music", self.names)
        self.playlists = home / "Playlists"
        self.env = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_STATE_HOME": str(home / ".local/state"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "MPD_HOST": "",
        }
        (home / "run").mkdir()
        self.playlists.mkdir()

    def run(self, *words: str | Path, **changes: str) -> Done:
        return run(*words, env={**self.env, **changes}, cwd=self.home)

    def make(self, output: Path, *words: str) -> Path:
        done = self.run("make", self.music, "-o", output, *words)
        assert done.code == 0, done.err
        return output

    def configure(self, text: str) -> None:
        path = self.home / ".config/playshuffle/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def telling(tmp_path: Path) -> Telling:
    return Telling(tmp_path, 12)


@pytest.fixture
def mpd(telling: Telling) -> Iterator[Mpd]:
    """An MPD that the program finds by its configuration."""
    with running(telling.music, telling.playlists) as mpd:
        conf = telling.home / ".config/mpd/mpd.conf"
        conf.parent.mkdir(parents=True)
        conf.write_text(
            f'music_directory "{telling.music}"\n'
            f'playlist_directory "{telling.playlists}"\n'
            f'bind_to_address "{mpd.path}"\n'
        )
        yield mpd


class Mpv:
    """A connection to an mpv, in its own words."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(30)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("rb")

    def ask(self, *words: object) -> Any:
        """Give a command; the data of the answer, None if it is refused."""
        self._socket.sendall(json.dumps({"command": words, "request_id": 7}).encode() + b"\n")
        for line in self._answers:
            answer = json.loads(line)
            if answer.get("request_id") == 7 and "error" in answer:
                return answer.get("data")
        raise AssertionError("mpv hung up")

    def queue(self) -> list[str]:
        return [Path(entry["filename"]).name for entry in self.ask("get_property", "playlist")]

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


@pytest.fixture
def mpv() -> Iterator[Mpv]:
    need("mpv")
    with short_home() as home:
        path = home / "socket"
        words = ["mpv", "--no-config", "--no-video", "--ao=null", "--idle", "--really-quiet"]
        with started([*words, f"--input-ipc-server={path}"], player_environment(home)) as process:
            until(lambda: listens(path), process)
            with contextlib.closing(Mpv(path)) as mpv:
                yield mpv
