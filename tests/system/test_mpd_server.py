"""The folders of MPD: from a running one, else from its configuration."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playshuffle.system import mpd_server
from playshuffle.system.mpd_server import Address
from tests.players.drivers.process import short_home
from tests.support.program import mpd_conf

Answers = Callable[[bytes], Address]

HELLO = b"OK MPD 0.24.4\n"


@pytest.fixture
def answers() -> Iterator[Answers]:
    """Start an MPD that answers all requests alike; return its address."""
    with short_home() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        server.listen()

        def start(content: bytes) -> Address:
            def answer() -> None:
                connection, _ = server.accept()
                with connection:
                    connection.sendall(content)
                    connection.recv(1000)

            threading.Thread(target=answer, daemon=True).start()
            return Address(f"{folder}/socket", 6600, 'pass"word')

        yield start


@pytest.mark.parametrize(
    ("answer", "music", "playlists"),
    [
        (b"music_directory: /a: b\nplaylist_directory: /lists\nOK\n", b"/a: b", b"/lists"),
        (b"music_directory: /other\nOK\n", b"/other", None),  # MPD 0.23
        (b"music_directory: /conf\nplaylist_directory: \nOK\n", b"/conf", b"/conf/lists"),
        (b"ACK [4@0] {config} you don't have permission\n", b"/conf", b"/conf/lists"),
        (b"OK\n", b"/conf", b"/conf/lists"),
        (b"", b"/conf", b"/conf/lists"),
    ],
)
def test_a_running_mpd_comes_before_its_configuration(
    answers: Answers, home: Path, answer: bytes, music: bytes, playlists: bytes | None
) -> None:
    mpd_conf(home / ".config", Path("/conf"), Path("/conf/lists"))

    found = mpd_server.settings([answers(HELLO + answer)])

    assert found is not None
    assert (found.music, found.playlists) == (music, playlists)


def test_mpd_0_23_has_the_playlist_folder_of_a_configuration_with_its_music(
    answers: Answers, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    mpd_conf(home / ".config", tmp_path / "link", Path("/lists"))

    found = mpd_server.settings([answers(HELLO + b"music_directory: %b\nOK\n" % bytes(tmp_path))])

    assert found is not None
    assert (found.music, found.playlists) == (os.fsencode(tmp_path), b"/lists")
