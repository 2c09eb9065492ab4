"""Describe a deck, as a sentence for users or as facts for JSON."""

from datetime import date
from typing import Protocol

from playshuffle.dealing.deck import Deal
from playshuffle.dealing.period import next_start
from playshuffle.text import counted


class DeckCounts(Protocol):
    """A deck without its tracks: what `Deck` says of itself in numbers, and its last deal."""

    @property
    def round(self) -> int:
        """Number of this round."""

    @property
    def since(self) -> date:
        """The day on which this round began."""

    @property
    def track_count(self) -> int:
        """Number of tracks."""

    @property
    def undealt_count(self) -> int:
        """Number of tracks not dealt in this round."""

    @property
    def missing_count(self) -> int:
        """Number of those that are missing."""

    @property
    def deals_left(self) -> int:
        """About how many deals this round still takes."""

    @property
    def order(self) -> str:
        """Name of its order."""

    @property
    def deal(self) -> Deal | None:
        """The last deal."""

    @property
    def is_ended(self) -> bool:
        """Whether the round was ended early."""


def deck_facts(deck: DeckCounts) -> dict[str, object]:
    """Return the facts of a deck, as JSON shows them."""
    return {
        "round": deck.round,
        "since": deck.since.isoformat() if deck.round else None,
        "tracks": deck.track_count,
        "dealt": deck.track_count - deck.undealt_count,
        "missing": deck.missing_count,
        "deals_left": deck.deals_left,
        "every": deck.deal and deck.deal.every.value,
        "next_deal": start.isoformat() if (start := _next_start(deck)) else None,
        "order": deck.order,
    }


def deck_line(deck: DeckCounts) -> str:
    """Return a line of text: how much of the round was dealt, and since when."""
    if not deck.round:
        return "nothing dealt yet"
    if deck.is_ended:
        return f"round {deck.round:,} was ended; the next deal begins a new one"
    count, dealt = deck.track_count, deck.track_count - deck.undealt_count
    percent = 100 * dealt // count
    parts = [
        f"dealt {dealt:,} of {count:,} ({percent}%)",
        f"{counted(deck.deals_left, 'deal')} left",
        f"round {deck.round:,}",
        f"since {day(deck.since)}",
    ]
    if deck.missing_count:
        parts.insert(1, f"{deck.missing_count:,} missing")
    return ", ".join(parts)


def day(when: date) -> str:
    """Return a date like '2 September 2026'."""
    return f"{when.day} {when:%B %Y}"


def due(deck: DeckCounts, today: date) -> str:
    """Return when the next deal is due: 'now', 'tomorrow 00:00', 'Monday 00:00', 'with the next run'."""
    return due_on(_next_start(deck), today) if deck.deal is not None else "now"


def due_on(start: date | None, today: date) -> str:
    """Return when a deal is due whose period begins on a day; None for a deal that is due at every run."""
    if start is None:
        return "with the next run"
    days = (start - today).days
    if days <= 0:
        return "now"
    when = "tomorrow" if days == 1 else f"{start:%A}" if days < 8 else day(start)
    return f"{when} 00:00"


def _next_start(deck: DeckCounts) -> date | None:
    return None if deck.deal is None else next_start(deck.deal.every, deck.deal.period)
