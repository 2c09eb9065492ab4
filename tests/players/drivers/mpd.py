"""Start a private MPD without sound, and send it commands of its protocol."""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from tests.players.drivers.process import Opened, environment, listens, short_home, started, until
from tests.support.needs import need


class Mpd:
    """A connection to a running MPD.

    Args:
        path: the socket of MPD.
        music: the music_directory of MPD.
        playlists: the playlist_directory of MPD.
    """

    def __init__(self, path: Path, music: Path, playlists: Path) -> None:
        self.path = path
        self.music = music
        self.playlists = playlists
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(300)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("rb")
        assert self._answers.readline().startswith(b"OK MPD")

    def say(self, command: str) -> list[bytes]:
        """Send a command of the protocol, and return the lines of the answer."""
        self._socket.sendall(command.encode() + b"\n")
        lines: list[bytes] = []
        for line in self._answers:
            if line == b"OK\n":
                return lines
            if line.startswith(b"ACK"):
                raise ValueError(line)
            lines.append(line.removesuffix(b"\n"))
        raise AssertionError("MPD hung up")

    def loaded(self, playlist: str) -> list[bytes]:
        """Load a playlist into the empty queue, and return the paths there; each track must have a length."""
        self.say("clear")
        self.say(f'load "{playlist}"')
        lines = self.say("playlistinfo")
        assert b"duration: 0.000" not in lines
        return [os.fsencode(self.music) + b"/" + line[6:] for line in lines if line.startswith(b"file: ")]

    def opened(self, playlist: Path) -> list[bytes]:
        """Return the files that MPD opens from a playlist in its playlist folder or its music folder."""
        if playlist.parent == self.playlists:
            name = playlist.name.removesuffix(".m3u")
        else:
            name = str(playlist.relative_to(self.music))
        try:
            return self.loaded(name)
        except ValueError as error:
            if b"No such playlist" in error.args[0]:
                return []
            raise

    def close(self) -> None:
        """Close the connection."""
        self._answers.close()
        self._socket.close()


@contextlib.contextmanager
def running(music: Path, playlists: Path | None = None) -> Iterator[Mpd]:
    """Start an MPD that has scanned this music; its playlist folder is a new one if none is given."""
    need("mpd")
    with short_home() as home:
        playlists = playlists or home / "playlists"
        playlists.mkdir(exist_ok=True)
        config = home / "mpd.conf"
        config.write_text(f"""
            music_directory "{music}"
            playlist_directory "{playlists}"
            db_file "{home}/db"
            sticker_file "{home}/sticker.sql"
            bind_to_address "{home}/socket"
            log_file "{home}/log"
            zeroconf_enabled "no"
            audio_output {{
                type "null"
                name "none"
            }}
        """)
        with started(["mpd", "--no-daemon", config], environment(home)) as process:
            until(lambda: listens(home / "socket"), process)
            with contextlib.closing(Mpd(home / "socket", music, playlists)) as mpd:
                mpd.say("update")
                until(lambda: not any(line.startswith(b"updating_db") for line in mpd.say("status")))
                yield mpd


@contextlib.contextmanager
def driven(music: Path) -> Iterator[Opened]:
    """Start an MPD with the playlist folder `Playlists` beside the music; yield `Mpd.opened`."""
    with running(music, music.parent / "Playlists") as mpd:
        yield mpd.opened
