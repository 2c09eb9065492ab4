"""An MPD that accepts connections and never answers is asked once by a command, or not at all."""

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
    """The music and playlist folder of an MPD, with a track."""
    (home / "Music/lists").mkdir(parents=True)
    (home / "Music/1.mp3").touch()
    mpd_conf(home / ".config", home / "Music", home / "Music/lists")
    monkeypatch.setattr(mpd_server, "_TIMEOUT_S", 0.01)
    return home / "Music"


@pytest.fixture
def connections(music: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """Count the connections to an MPD since the last call."""
    with short_home() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen(20)
        server.setblocking(False)
        monkeypatch.setenv("MPD_HOST", f"{folder}/socket")

        def count() -> int:
            number = 0
            with contextlib.suppress(BlockingIOError):
                while True:
                    server.accept()[0].close()
                    number += 1
            return number

        yield count


def test_a_check_of_a_list_whose_files_are_in_its_folder_does_not_connect_to_mpd(
    music: Path, program: Program, connections: Callable[[], int]
) -> None:
    (music / "plain.m3u").write_text("http://radio/1\n1.mp3\n")
    (music / "radio.m3u").write_text("http://radio/1\n")

    assert program("check", str(music / "plain.m3u")).code == 0
    program("check", str(music / "radio.m3u"))

    assert connections() == 0


def test_a_check_of_a_list_that_mpd_may_have_saved_connects_to_mpd_once(
    music: Path, program: Program, connections: Callable[[], int]
) -> None:
    (music / "lists/saved.m3u").write_text("1.mp3\n")

    assert program("check", *[str(music / "lists/saved.m3u")] * 2).code == 0

    assert connections() == 1


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
