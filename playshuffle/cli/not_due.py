"""Show that no deal is due: the answer of most runs of `playshuffle deal`."""

from collections.abc import Iterator
from datetime import date

from playshuffle.cli.screen import Mark, Screen, home_path
from playshuffle.dealing.describe import DeckCounts, due
from playshuffle.dealing.period import Every
from playshuffle.pipeline.written_deal import WrittenDeal
from playshuffle.text import counted

_PERIODS = {Every.DAY: "today", Every.WEEK: "this week"}


def lines(written: WrittenDeal, screen: Screen, today: date) -> Iterator[str]:
    """Return the verdict, the playlist and when the next deal is due."""
    last = written.deck.deal
    assert last is not None
    count = len(last.entries)
    yield screen.verdict(Mark.GOOD, verdict(written.deck, count, today))
    facts = f"{counted(count, 'track')}, deal {last.number:,} of {last.of:,} in round {last.round:,}"
    yield from screen.detail("File", f"{home_path(written.output)}: {facts}")
    yield from screen.detail("Next", next_deal(written.deck, today))


def verdict(deck: DeckCounts, count: int, today: date) -> str:
    """Return that the last deal, of `count` tracks, is still the deal of its period."""
    last = deck.deal
    assert last is not None
    tracks, when = counted(count, "track"), due(deck, today)
    if last.every is Every.RUN or when == "now":
        return f"Unchanged: the last deal ({tracks})"
    return f"Already dealt {_PERIODS[last.every]} ({tracks}), next: {when}"


def next_deal(deck: DeckCounts, today: date) -> str:
    """Return when the next deal is due, and how to have it or this one now."""
    return f"{due(deck, today)}; --again rewrites this deal, --every run deals now"
