"""Real players load, in order, every track that the summary does not name as lost."""

import contextlib
import os
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest

from tests.support.hostile import PATHS
from tests.support.needs import need
from tests.support.program import DATA, TRACKS, library, report

pytestmark = [pytest.mark.process, pytest.mark.players]

_SUFFIXES = (b".mp3", b".ogg", b".flac")


@pytest.fixture(scope="module")
def music(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of hostile names, as three sorts of audio; those that begin with a dot are hidden."""
    music = tmp_path_factory.mktemp("players") / "Music"
    for number, path in enumerate(PATHS):
        suffix = _SUFFIXES[number % 3]
        file = music / os.fsdecode(path.removesuffix(b".mp3") + suffix)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes((DATA / ("v23.mp3" if suffix == b".mp3" else f"tone{file.suffix}")).read_bytes())
    return music


def meant(said: dict[str, Any], playlist: Path, *players: str) -> list[bytes]:
    """The tracks that are in a playlist and that none of these players is said to lose."""
    lost = {track for loss in said["losses"] if {*players} & {*loss["players"]} for track in loss["tracks"]}
    paths = [
        plain(os.path.join(os.fsencode(playlist.parent), line))
        for line in playlist.read_bytes().split(b"\n")[:-1]
        if not line.startswith(b"#")
    ]
    assert len(paths) == len(set(paths)) == said["tracks"]
    assert len(paths) > len(PATHS) - 20  # some are hidden, some hold a line break
    return [path for path in paths if os.fsdecode(path) not in lost]


def plain(entry: bytes) -> bytes:
    """The path that an entry names, be it a URI or not."""
    _, scheme, path = entry.partition(b"file:///")
    return os.path.normpath(b"/" + unquote_to_bytes(path) if scheme else entry)


def version(program: str) -> tuple[int, int]:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"(\d+)\.(\d+)", said)
    assert found is not None
    return int(found[1]), int(found[2])


# mpv

# In a hook, for which mpv waits: an event may come when the next file is already loading.
_SCRIPT = """
local out = io.open(mp.get_opt("out"), "wb")
mp.add_hook("on_preloaded", 50, function()
    out:write(mp.get_property("path"), "\\0")
    out:flush()
end)
"""


def opened_by_mpv(playlist: Path, tmp_path: Path) -> list[bytes]:
    """The paths that mpv opened as audio, in order."""
    (tmp_path / "tell.lua").write_text(_SCRIPT)
    subprocess.run(
        [
            "mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null", "--ao-null-untimed",
            "--length=0.01", f"--script={tmp_path}/tell.lua", f"--script-opts=out={tmp_path}/out",
            f"--playlist={playlist}",
        ],
        stdin=subprocess.DEVNULL,
        check=False,  # it calls it an error, too, that so short a part of a track has no sound
        timeout=60,
    )  # fmt: skip
    return [plain(path) for path in (tmp_path / "out").read_bytes().split(b"\0")[:-1]]


@pytest.mark.parametrize("style", ["relative", "absolute", "uri"])
def test_mpv_loads_all(music: Path, tmp_path: Path, style: str) -> None:
    need("mpv")
    playlist = (music if style == "relative" else tmp_path) / f"{style}.m3u"
    newer = ["mpv from 0.37 on"] if version("mpv") >= (0, 37) else []

    said = report(music, "-o", playlist, "--paths", style)

    assert opened_by_mpv(playlist, tmp_path) == meant(said, playlist, *newer)


def test_mpv_plays_every_format(tmp_path: Path) -> None:
    need("mpv")
    music = library(tmp_path / "Music")

    report(music)

    assert len(opened_by_mpv(music / "playshuffle.m3u", tmp_path)) == len(TRACKS)


# MPD


class Mpd:
    """A connection to an MPD, in its own words."""

    def __init__(self, path: Path) -> None:
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
            assert not line.startswith(b"ACK"), line
            lines.append(line.removesuffix(b"\n"))
        raise AssertionError("MPD hung up")

    def loaded(self, playlist: str, music: Path) -> list[bytes]:
        """The paths in the queue, once a playlist was loaded into it; all of them with a length."""
        self.say("clear")
        self.say(f'load "{playlist}"')
        lines = self.say("playlistinfo")
        assert b"duration: 0.000" not in lines
        return [os.fsencode(music) + b"/" + line[6:] for line in lines if line.startswith(b"file: ")]

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


@pytest.fixture(scope="module")
def mpd(music: Path) -> Iterator[Mpd]:
    """An MPD of our own, without sound, that knows the library; its stored playlists lie within."""
    need("mpd")
    (music / "Playlists").mkdir()
    with tempfile.TemporaryDirectory() as short:  # the path of a socket has 107 bytes at most
        config = Path(short) / "mpd.conf"
        config.write_text(f"""
            music_directory "{music}"
            playlist_directory "{music}/Playlists"
            db_file "{short}/db"
            bind_to_address "{short}/socket"
            log_file "{short}/log"
            zeroconf_enabled "no"
            audio_output {{
                type "null"
                name "none"
            }}
        """)
        # In this locale it passes names on as they are; told a charset, it drops those that are not in it.
        env = {**os.environ, "LC_ALL": "C.UTF-8"}
        with subprocess.Popen(["mpd", "--no-daemon", config], env=env, stderr=subprocess.DEVNULL) as process:
            try:
                until = time.monotonic() + 60
                while not (Path(short) / "socket").exists():
                    assert process.poll() is None, (Path(short) / "log").read_text()
                    assert time.monotonic() < until
                    time.sleep(0.02)
                with contextlib.closing(Mpd(Path(short) / "socket")) as mpd:
                    mpd.say("update")
                    while any(line.startswith(b"updating_db") for line in mpd.say("status")):
                        time.sleep(0.05)
                    yield mpd
            finally:
                process.kill()


@pytest.mark.parametrize(
    ("output", "words", "name"),
    [
        ("playshuffle.m3u", [], "playshuffle.m3u"),
        ("deep/er/list.m3u8", ["--no-extinf"], "deep/er/list.m3u8"),
        ("Playlists/absolute.m3u", ["--paths", "absolute"], "absolute"),
        ("Playlists/relative.m3u", ["--no-extinf"], "relative"),  # by '../', which MPD drops at its top
    ],
    ids=["beside the music", "deep in it", "stored, absolute", "stored, relative"],
)
def test_mpd_loads_all(music: Path, mpd: Mpd, output: str, words: list[str], name: str) -> None:
    playlist = music / output
    playlist.parent.mkdir(parents=True, exist_ok=True)
    older = ["MPD before 0.24"] if version("mpd") < (0, 24) else []

    said = report(music, "-o", playlist, *words)

    assert mpd.loaded(name, music) == meant(said, playlist, "MPD", *older)


def test_mpd_loads_a_playlist_as_it_is_now(music: Path, mpd: Mpd) -> None:
    playlist = music / "Playlists" / "again.m3u"
    for order in ("random", "sattolo"):
        said = report(music, "-o", playlist, "--paths", "absolute", "--order", order)

        assert mpd.loaded("again", music) == meant(said, playlist, "MPD", "MPD before 0.24")
