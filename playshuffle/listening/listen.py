"""Listen to several sources at once. Each is opened again when it has ended."""

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
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

NewsSource: TypeAlias = Callable[[], AbstractContextManager[tuple[str, Iterator[News]]]]
_Events: TypeAlias = SimpleQueue[News | str | None]


def listen(sources: Mapping[str, NewsSource]) -> Iterator[Heard | str]:
    """Yield each track that was played or skipped, and messages, until a signal ends the process.

    `sources` maps names to functions that open the source.
    """
    events: _Events = SimpleQueue()
    for number in _SIGNALS:
        signal.signal(number, lambda *_: events.put(None))
    for name, source in sources.items():
        threading.Thread(target=_follow, args=(name, source, events), daemon=True).start()
    players: dict[str, PlayTimer] = {}
    while True:
        try:
            event = events.get(timeout=_wait_s(players))
        except Empty:
            event = ""
        if event is None:
            break
        if event and isinstance(event, str):
            yield event
        yield from heard(event if isinstance(event, News) else None, players, time.monotonic())
    for player in players.values():
        if (ended := player.end()) is not None:
            yield ended


def heard(news: News | None, players: dict[str, PlayTimer], now_s: float) -> Iterator[Heard]:
    """Apply news, and yield the passes that have ended, including those of players that have stopped."""
    if news is not None:
        player = players.setdefault(news.player, PlayTimer(news.title))
        if (ended := player.update(news)) is not None:
            yield ended
        if news.is_gone and (ended := players.pop(news.player).end()) is not None:
            yield ended
    for player in players.values():
        if player.stopped_s is not None and (ended := player.advance(now_s)) is not None:
            yield ended


def _wait_s(players: Mapping[str, PlayTimer]) -> float | None:
    """Return the seconds to wait for news; None for ever."""
    stopped = [player.stopped_s for player in players.values() if player.stopped_s is not None]
    return max(0.0, min(stopped) + STOP_S - time.monotonic()) if stopped else None


def _follow(name: str, source: NewsSource, events: _Events) -> None:
    """Forward the news of a source for ever; report once when it is lost."""
    failures = 0
    while True:
        try:
            with source() as (title, all_news):
                events.put(f"Listening to {title}")
                failures = 0
                for news in all_news:
                    events.put(news)
        except FileNotFoundError as error:
            events.put(f"Not listening to {name}: {shown(error.filename)} is missing")
            return
        except (OSError, PlayshuffleError) as error:
            if not failures:
                events.put(f"Not listening to {name}, until it is there: {shown(str(error))}")
        time.sleep(_PAUSES_S[min(failures, len(_PAUSES_S) - 1)])
        failures += 1
