"""Test how sources of announcements, such as MPD, are opened again and reported when they fail."""

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.listening import mpd_news
from playshuffle.listening.listen import SIGNALS, NewsSource, follow, listen
from playshuffle.listening.passes import PLAYING, Heard, News, Track
from playshuffle.system.mpd_server import Address

NEWS = News("p", "p", 0, PLAYING, Track("1.mp3"), 1)


def followed(source: NewsSource, times: int) -> tuple[list[News | str], list[float]]:
    """Follow a source until it fails N times; return its news and messages, and the seconds of each pause."""
    put, pauses = list[News | str](), list[float]()

    def wait(pause_s: float) -> None:
        pauses.append(pause_s)
        if len(pauses) == times:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follow("MPD", source, put.append, wait)
    return put, pauses


def failing(*errors: Exception | None) -> NewsSource:
    """Return a source that fails with the next error each time it is opened; None: it ends after its news."""
    all_errors = iter(errors)

    @contextlib.contextmanager
    def opened() -> Iterator[tuple[str, Iterator[News]]]:
        if (error := next(all_errors)) is not None:
            raise error
        yield "MPD", news()

    def news() -> Iterator[News]:
        yield NEWS
        raise ConnectionError("it ended")

    return opened


@pytest.mark.parametrize(
    "error", [OSError("x"), PlayshuffleError("x", Exit.LOSSES), KeyError("x"), ValueError("x")]
)
def test_a_source_that_fails_is_reported_once_and_opened_again_after_longer_and_longer_pauses(
    error: Exception,
) -> None:
    put, pauses = followed(failing(*[error] * 8), 8)

    assert len(put) == 1
    assert pauses == [1, 2, 5, 10, 30, 60, 60, 60]


def test_each_loss_and_each_return_of_a_source_is_reported() -> None:
    put, pauses = followed(failing(None, OSError("x"), OSError("x"), None), 4)

    lost = "Not listening to MPD, until it is there: it ended"
    assert put == ["Listening to MPD", NEWS, lost] * 2
    assert pauses == [1, 2, 5, 10]


def test_a_source_that_is_lost_again_and_again_is_not_reported_after_the_third_time() -> None:
    """Such as a session bus that closes each connection."""
    put, _ = followed(failing(*[None] * 8), 8)

    assert [each for each in put if each != NEWS] == [
        "Listening to MPD",
        "Not listening to MPD, until it is there: it ended",
    ] * 3


def test_a_source_that_lasts_an_hour_after_brief_failures_is_reported_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_s = [0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    lasts_s = iter([1, 1, 1, 1, 3600])

    def news() -> Iterator[News]:
        now_s[0] += next(lasts_s)
        yield NEWS
        raise ConnectionError("it ended")

    put, _ = followed(lambda: contextlib.nullcontext(("MPD", news())), 5)

    found, lost = "Listening to MPD", "Not listening to MPD, until it is there: it ended"
    assert put == [found, NEWS, lost] * 3 + [NEWS] + [found, NEWS, lost]


@contextlib.contextmanager
def server(answer: Callable[[socket.socket], None]) -> Iterator[Address]:
    """Listen on a port, and close each connection after an answer."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        answer(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield Address(*listener.getsockname())
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize(
    "hello",
    [
        b"",
        b"HTTP/1.1 400 Bad Request\r\n",
        b"\xff\xfe\n",
        b"OK MPD 0.23.5\n",
        b"OK MPD 0.23.5\nACK [4@0] {} x\n",
    ],
)
def test_an_mpd_that_refuses_or_closes_each_connection_is_reported_once(hello: bytes) -> None:
    with server(lambda connection: connection.sendall(hello)) as address:
        put, _ = followed(lambda: mpd_news.opened([address]), 3)

    assert len(put) == 1


def test_the_track_that_plays_when_a_signal_ends_the_listener_is_counted() -> None:
    def playing() -> Iterator[News]:
        yield News("p", "p", time.monotonic() - 100, PLAYING, Track("1.mp3"), 150)
        os.kill(os.getpid(), signal.SIGTERM)
        raise FileNotFoundError(2, "", "x")  # ends the thread

    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        ended = list(listen({"p": lambda: contextlib.nullcontext(("p", playing()))}))
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)

    assert Heard(Track("1.mp3"), is_play=True, player="p") in ended
