"""Test that a command connects at most once to an MPD that accepts connections and never answers."""

import contextlib
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playshuffle.system import mpd_server
from tests.players.drivers.process import short_home
from tests.support.in_process import Program
from tests.support.program import configured, mpd_conf


@pytest.fixture
def music(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the music folder of an MPD, with a track and the playlist folder of this MPD."""
    (home / "Music/lists").mkdir(parents=True)
    (home / "Music/1.mp3").touch()
    mpd_conf(home / ".config", home / "Music", home / "Music/lists")
    monkeypatch.setattr(mpd_server, "_TIMEOUT_S", 0.01)
    return home / "Music"


@pytest.fixture
def connections(music: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Yield a function that counts the connections to this MPD since its last call."""
    with short_home() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen(20)
        server.setblocking(False)
        monkeypatch.setenv("MPD_HOST", f"{folder}/socket")

        def count() -> int:
            with contextlib.suppress(BlockingIOError):
                server.accept()[0].close()
                return 1 + count()
            return 0

        yield count


def test_check_connects_to_mpd_once_and_only_if_entries_are_missing_in_the_folder_of_the_list(
    music: Path, program: Program, connections: Callable[[], int]
) -> None:
    """Only such a list may be one that MPD has saved. A list of radio stations needs no MPD."""
    for name, text, count in (
        ("plain.m3u", "http://radio/1\n1.mp3\n", 0),
        ("radio.m3u", "http://radio/1\n", 0),
        ("lists/saved.m3u", "1.mp3\n", 1),
    ):
        (music / name).write_text(text)
        assert program("check", *[str(music / name)] * 2).code == 0
        assert connections() == count


def test_each_make_for_mpd_connects_to_mpd_once(
    music: Path, program: Program, connections: Callable[[], int]
) -> None:
    for _ in range(2):
        assert program("make", str(music), "--for", "mpd", "--no-tags").code == 0
        assert connections() == 1

    tables = "".join(f'[playlist.{name}]\nfor = "mpd"\ntags = false\n' for name in "abc")
    configured(f'folders = ["~/Music"]\n{tables}')
    assert program("make").code == 0
    assert connections() == 1
