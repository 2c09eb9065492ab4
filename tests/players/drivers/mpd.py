"""MPD: an instance of its own, without sound, told by its protocol."""

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from tests.players.drivers.process import Opened, environment, listens, short_home, started, until
from tests.support.needs import need


class Mpd:
    """A connection to an MPD, in its own words.

    Args:
        path: of its socket.
        music: its music_directory.
        playlists: its playlist_directory.
    """

    def __init__(self, path: Path, music: Path, playlists: Path) -> None:
        self.path = path
        self.music = music
        self.playlists = playlists
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(30)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("rb")
        assert self._answers.readline().startswith(b"OK MPD")

    def say(self, command: str) -> list[bytes]:
        """Give a command; the lines of the answer."""
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
        """The paths in the queue, once a playlist was loaded into it; all of them with a length."""
        self.say("clear")
        self.say(f'load "{playlist}"')
        lines = self.say("playlistinfo")
        assert b"duration: 0.000" not in lines
        return [os.fsencode(self.music) + b"/" + line[6:] for line in lines if line.startswith(b"file: ")]

    def opened(self, playlist: Path) -> list[bytes]:
        """The same for a file, be it a stored playlist or one in the music folder."""
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
        """Hang up."""
        self._answers.close()
        self._socket.close()


@contextlib.contextmanager
def running(music: Path, playlists: Path | None = None) -> Iterator[Mpd]:
    """An MPD that knows this library; its stored playlists lie in a folder of its own, if none is given."""
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
    """Return the files that an MPD opens; its stored playlists are in `Playlists`, beside the music."""
    with running(music, music.parent / "Playlists") as mpd:
        yield mpd.opened
