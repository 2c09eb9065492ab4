"""Listen to several sources, such as MPD, at once. Each is opened again when it ends."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from typing import TypeAlias

from playshuffle.errors import PlayshuffleError, shown
from playshuffle.listening.passes import STOP_S, Heard, News, PlayTimer

_PAUSES_S = (1, 2, 5, 10, 30, 60)  # before a source is opened again
_STEADY_S = 60  # a source that lasted for less has failed again
_MOST_BRIEF = 3  # such sources in a row that are reported
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

NewsSource: TypeAlias = Callable[[], AbstractContextManager[tuple[str, Iterator[News]]]]
_Event: TypeAlias = News | str | int | None


def listen(sources: Mapping[str, NewsSource]) -> Iterator[Heard | str]:
    """Yield each track that was played or skipped, and messages, until a signal ends the process.

    `sources` maps names to functions that open a source.
    """
    events: SimpleQueue[_Event] = SimpleQueue()
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores HUP
            signal.signal(number, lambda number, _: events.put(number))
    for name, source in sources.items():
        threading.Thread(target=follow, args=(name, source, events.put), daemon=True).start()
    players: dict[str, PlayTimer] = {}
    while not isinstance(event := _next(events, players), int):
        if isinstance(event, str):
            yield event
        else:
            yield from heard(event, players, time.monotonic())
    for key in list(players):
        yield from heard(News(key, "", now_s := time.monotonic(), is_gone=True), players, now_s)
    if event == signal.SIGINT:  # Ctrl-C
        yield "Stopped"


def heard(news: News | None, players: dict[str, PlayTimer], now_s: float) -> Iterator[Heard]:
    """Apply an announcement; yield the plays and skips ended by it or by an earlier stop."""
    if news is not None:
        player = players.setdefault(news.player, PlayTimer(news.title))
        yield from player.update(news)
        if news.is_gone:
            yield from players.pop(news.player).end()
    for player in players.values():
        if player.stopped_s is not None:
            yield from player.advance(now_s)


def _next(events: SimpleQueue[_Event], players: Mapping[str, PlayTimer]) -> _Event:
    """Return the next event; None if a player stopped so long ago that its track has ended."""
    stopped = [player.stopped_s for player in players.values() if player.stopped_s is not None]
    try:
        return events.get(timeout=max(0.0, min(stopped) + STOP_S - time.monotonic()) if stopped else None)
    except Empty:
        return None


def follow(
    name: str,
    source: NewsSource,
    put: Callable[[News | str], None],
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Forward the announcements of a source for ever; report when it is lost, and when it is back.

    A source that is repeatedly lost soon after it was opened is not reported again until it lasts.
    """
    failures, brief, is_lost = 0, 0, False
    while True:
        start_s = time.monotonic()
        try:
            with source() as (title, all_news):
                text = f"Listening to {title}"
                if brief < _MOST_BRIEF:
                    put(text)
                    is_lost = False
                brief += 1
                for news in all_news:
                    if is_lost and time.monotonic() > start_s + _STEADY_S:
                        put(text)
                        is_lost = False
                    put(news)
        except FileNotFoundError as error:
            put(f"Not listening to {name}: {shown(error.filename)} is missing")
            return
        except (OSError, PlayshuffleError, LookupError, ValueError) as error:  # whatever a server may send
            if not is_lost:
                put(f"Not listening to {name}, until it is there: {shown(str(error))}")
            is_lost = True
        if time.monotonic() > start_s + _STEADY_S:
            failures, brief = 0, 0
        wait(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)])
        failures += 1
