"""Programs that listen where a player should: silent, endless, or with answers that no player sends."""

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playshuffle.system import mpd_conf, mpd_server
from playshuffle.system.bounded_socket import BoundedSocket
from playshuffle.system.mpd_server import Address
from tests.players.drivers.process import short_home
from tests.support.program import ran, run

MUSIC = 3
Serve = Callable[[socket.socket], object]


@contextlib.contextmanager
def listening(serve: Serve) -> Iterator[Path]:
    """Serve each connection in a thread of its own; yield the path of the socket."""

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=one, args=(connection,), daemon=True).start()

    def one(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            serve(connection)

    with short_home() as home, socket.socket(socket.AF_UNIX) as server:
        server.bind(str(home / "socket"))
        server.listen()
        threading.Thread(target=accept, daemon=True).start()
        yield home / "socket"
        server.shutdown(socket.SHUT_RDWR)


def endless(data: bytes, greeting: bytes = b"") -> Serve:
    def serve(connection: socket.socket) -> None:
        connection.sendall(greeting)
        while True:
            connection.sendall(data)

    return serve


def mpd(answers: dict[str, str]) -> Serve:
    """Answer as MPD does, but with these answers to commands."""
    usual = {"status": "state: play\nplaylist: 1\nsong: 0\nsongid: 1\n", "currentsong": "file: a.mp3\n"}

    def serve(connection: socket.socket) -> None:
        connection.sendall(b"OK MPD 0.23.5\n")
        for line in connection.makefile():
            connection.sendall(({**usual, **answers}.get(line.split()[0], "") + "OK\n").encode())

    return serve


def mpv(answer: object) -> Serve:
    """Answer each request with this data; a text is sent as it is."""

    def serve(connection: socket.socket) -> None:
        for line in connection.makefile():
            number = json.loads(line)["request_id"]
            full = {"data": answer, "error": "success", "request_id": number}
            connection.sendall((answer if isinstance(answer, str) else json.dumps(full)).encode() + b"\n")

    return serve


def bounded(path: Path, timeout_s: float) -> BoundedSocket:
    connection = BoundedSocket(socket.AF_UNIX)
    connection.settimeout(timeout_s)
    connection.connect(str(path))
    return connection


def test_an_answer_that_comes_byte_by_byte_must_be_complete_within_the_timeout() -> None:
    pause = threading.Event()

    def serve(connection: socket.socket) -> None:
        while not pause.wait(0.02):
            connection.sendall(b"x")

    with listening(serve) as path, bounded(path, 0.5) as connection:
        with pytest.raises(TimeoutError):
            connection.makefile("rb").readline()
        pause.set()


@pytest.mark.parametrize("data", [b"x" * 65536, b"x\n" * 32768])
def test_an_answer_and_each_of_its_lines_have_a_limit_of_size(data: bytes) -> None:
    with listening(endless(data)) as path, bounded(path, 300) as connection:
        connection.most_bytes = 80 << 20
        with pytest.raises(ConnectionError, match="does not end"):
            for _ in connection.makefile("rb"):
                pass


def test_a_program_that_is_not_mpd_does_not_delay_the_question_for_the_folders_of_mpd() -> None:
    for serve in endless(b"x" * 65536), endless(b"a: b\n" * 10000), lambda connection: connection.recv(9):
        with listening(serve) as path:
            assert mpd_server.settings([Address(str(path), 6600)]) == mpd_conf.read_if_possible()
            mpd_server.forget_answers()


@pytest.fixture
def playlist(music: Path) -> Path:
    ran("make", music)
    return music / "playshuffle.m3u"


@pytest.mark.process
@pytest.mark.parametrize(
    "serve", [lambda connection: connection.recv(99), endless(b"x" * 65536, b"OK MPD "), endless(b"x\n" * 9)]
)
@pytest.mark.parametrize("player", ["mpd", "mpv"])
def test_the_command_tell_ends_if_the_player_is_silent_or_endless(
    playlist: Path, player: str, serve: Serve
) -> None:
    with listening(serve) as path:
        done = run("tell", player, playlist, "--socket", path)

    assert done.code in (1, 75)
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1


@pytest.mark.process
@pytest.mark.parametrize(
    "answers",
    [
        {"status": ""},
        {"status": "state: play\nplaylist: 1\nduration: long\n"},
        {"status": "no colon\n"},
        {"currentsong": ""},
        {"status": "state: stop\nplaylist: 1\n", "lsinfo": "\x1b[31m\n"},
        {"config": "music_directory: \n"},
        {"playlist": "0:file: \x1b[31mevil\n"},
    ],
)
def test_the_command_tell_refuses_answers_that_mpd_does_not_send(
    playlist: Path, answers: dict[str, str]
) -> None:
    known = {"config": f"music_directory: {playlist.parent}\nplaylist_directory: /\n"}
    with listening(mpd({**known, **answers})) as path:
        done = run("tell", "mpd", playlist, "--socket", path, env={"MPD_HOST": str(path)})

    assert done.code
    assert done.err.startswith("error: ")
    assert "\x1b" not in done.err


@pytest.mark.process
@pytest.mark.parametrize(
    "answer",
    [
        7,
        None,
        True,
        [1, 2],
        [{}],
        [{"filename": 5}],
        {"a": 1},
        [{"filename": "\ud800"}],
        "\x1b[31m",
        "[" * 99999,
        "7",
    ],
)
def test_the_command_tell_refuses_answers_that_mpv_does_not_send(playlist: Path, answer: object) -> None:
    with listening(mpv(answer)) as path:
        done = run("tell", "mpv", playlist, "--socket", path)

    assert done.code == 1
    assert "sent an answer that cannot be read: " in done.err
    assert (done.err.count("\n"), "\x1b" in done.err) == (1, False)
