"""Read the announcements of MPD: after each change, ask for the current track."""

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from playshuffle.listening.passes import PAUSED, PLAYING, STOPPED, Heard, News, Track
from playshuffle.system.mpd_server import Address
from playshuffle.telling.mpd_queue import connected

TITLE = "MPD"
_STATUS = {"play": PLAYING, "pause": PAUSED, "stop": STOPPED}


@contextlib.contextmanager
def opened(places: Sequence[Address]) -> Iterator[tuple[str, Iterator[News]]]:
    """Listen to the first MPD that answers; yield a name for messages, and the announcements.

    Raises:
        OSError: none answers, or MPD ends.
        PlayshuffleError: MPD refuses a command.
    """
    with connected(places) as queue:
        queue.client.status()  # it may refuse that
        yield queue.title, _all_news(queue.client)


def _all_news(client: Any) -> Iterator[News]:
    is_late = True
    try:
        while True:
            client.command_list_ok_begin()
            client.status()
            client.currentsong()
            status, song = client.command_list_end()
            yield news_of(status, song, is_late=is_late)
            is_late = False
            client.idle("player")
    except Exception:  # of any kind: the connection is lost, and the song may play on
        yield News(TITLE, TITLE, time.monotonic(), PAUSED, is_late=True)
        raise


def news_of(status: Mapping[str, str], song: Mapping[str, str], *, is_late: bool) -> News:
    """Return the announcement for answers of MPD to `status` and `currentsong`."""
    track = Track(song["file"]) if "file" in song else None
    state, length_s = _STATUS[status["state"]], float(song.get("duration", 0))
    return News(TITLE, TITLE, time.monotonic(), state, track, length_s, is_late=is_late)


def count(places: Sequence[Address], heard: Heard, now_s: int) -> None:
    """Count a play or a skip in the stickers of MPD, where its clients read them.

    Raises:
        OSError: no MPD answers.
        PlayshuffleError: MPD has no stickers.
    """
    number, when = ("playCount", "lastPlayed") if heard.is_play else ("skipCount", "lastSkipped")
    with connected(places) as queue:
        client = queue.client
        before = str(client.sticker_list("song", heard.track.uri).get(number, ""))
        client.sticker_set("song", heard.track.uri, number, int(before) + 1 if before.isdecimal() else 1)
        client.sticker_set("song", heard.track.uri, when, now_s)
