"""Real players load, in order, every track that the summary does not name as lost."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest

from tests.players.drivers.mpd import Mpd, running
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


@pytest.fixture(scope="module")
def mpd(music: Path) -> Iterator[Mpd]:
    """An MPD that knows the library; its stored playlists lie within."""
    with running(music, music / "Playlists") as mpd:
        yield mpd


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

    said = report(music, "-o", playlist, *words)

    assert mpd.loaded(name) == meant(said, playlist, *names_of_mpd())


def test_mpd_loads_a_playlist_as_it_is_now(music: Path, mpd: Mpd) -> None:
    playlist = music / "Playlists" / "again.m3u"
    for order in ("random", "sattolo"):
        said = report(music, "-o", playlist, "--paths", "absolute", "--order", order)

        assert mpd.loaded("again") == meant(said, playlist, *names_of_mpd())


def names_of_mpd() -> list[str]:
    """Return the names under which a report lists what the installed MPD loses."""
    return ["MPD", *(["MPD before 0.24"] if version("mpd") < (0, 24) else [])]
