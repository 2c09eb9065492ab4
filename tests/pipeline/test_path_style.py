"""Test the form of paths in a playlist: of the playlist, else of its player, else as fits its folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from playshuffle.options.table import Options
from playshuffle.pipeline.entry_writer import entry_writer
from playshuffle.pipeline.request import Request
from playshuffle.players.profiles import BUILT_IN, set_own_players
from playshuffle.playlist.m3u import PathStyle
from playshuffle.playlist.playlist_file import PlaylistFile
from tests.support.program import mpd_conf

RELATIVE, ABSOLUTE, URI = PathStyle.RELATIVE, PathStyle.ABSOLUTE, PathStyle.URI


@pytest.fixture(autouse=True)
def _only_the_table() -> Iterator[None]:
    yield
    set_own_players({})


@pytest.fixture
def mpd(home: Path, tmp_path: Path) -> Path:
    """The folder of an MPD that reaches the music by another name."""
    for name in ("Music", "mpd", "mpd/lists"):
        (tmp_path / name).mkdir()
    (tmp_path / "mpd" / "music").symlink_to(tmp_path / "Music")
    mpd_conf(home / ".config", tmp_path / "mpd/music", tmp_path / "mpd/lists")
    return tmp_path / "mpd"


def chosen(
    output: Path, music: Path, of_player: PathStyle | None, asked: PathStyle | None = None
) -> tuple[PathStyle, bytes]:
    """Return the style and the path of a track for a player like MPD."""
    set_own_players({"kitchen": BUILT_IN["mpd"]._replace(style=of_player, like="mpd")})
    request = Request((bytes(music),), bytes(output), style=asked, options=Options(player="kitchen"))
    writer = entry_writer(request, PlaylistFile.find(bytes(output)), [])
    path = writer.base.for_player(bytes(music) + b"/a.mp3")
    is_relative = writer.style is RELATIVE
    return writer.style, os.path.relpath(path, writer.base.folder) if is_relative else path


@pytest.mark.parametrize(
    ("of_player", "of_playlist", "style", "path"),
    [
        (None, None, RELATIVE, "a.mp3"),
        (RELATIVE, None, RELATIVE, "a.mp3"),
        (ABSOLUTE, None, ABSOLUTE, "mpd/music/a.mp3"),
        (URI, None, URI, "Music/a.mp3"),
        (ABSOLUTE, RELATIVE, RELATIVE, "a.mp3"),
        (URI, ABSOLUTE, ABSOLUTE, "mpd/music/a.mp3"),
        (RELATIVE, URI, URI, "Music/a.mp3"),
    ],
)
def test_the_path_style_of_a_playlist_or_else_of_its_player_decides_how_entries_are_written(
    mpd: Path,
    tmp_path: Path,
    of_player: PathStyle | None,
    of_playlist: PathStyle | None,
    style: PathStyle,
    path: str,
) -> None:
    entry = path if style is RELATIVE else f"{tmp_path}/{path}"

    assert chosen(mpd / "lists/x.m3u", tmp_path / "Music", of_player, of_playlist) == (style, entry.encode())


@pytest.mark.usefixtures("mpd")
@pytest.mark.parametrize("style", PathStyle)
def test_a_playlist_outside_the_folders_of_mpd_has_the_path_style_of_its_player(
    tmp_path: Path, style: PathStyle
) -> None:
    music = tmp_path / "Music"

    assert chosen(music / "x.m3u", music, style)[0] is style
