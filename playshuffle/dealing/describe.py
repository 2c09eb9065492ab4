"""Describe a deck, in words for users or as facts for JSON."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from playshuffle.dealing.deck import Deck
from playshuffle.dealing.period import next_start
from playshuffle.text import counted


def deck_facts(deck: Deck) -> dict[str, Any]:
    """Return the facts of a deck for JSON."""
    deal = deck.deal
    start = None if deal is None else next_start(deal.every, deal.period)
    return {
        "round": deck.round,
        "since": deck.since.isoformat() if deck.round else None,
        "tracks": deck.track_count,
        "dealt": deck.track_count - deck.undealt_count,
        "heard": deck.heard_count if deck.heard_from_s else None,
        "unheard_since": deal.period.isoformat() if deal is not None and deck.is_unheard else None,
        "missing": len(deck.missing),
        "deals_left": deck.deals_left,
        "every": None if deal is None else str(deal.every),
        "next_deal": None if start is None else start.isoformat(),
        "order": deck.order_name,
        "is_fed": deck.is_fed,
        "is_pending": deck.has_deal and deal is not None and deal.is_pending,
    }


def deck_line(facts: Mapping[str, Any]) -> str:
    """Return how much of the round was dealt, and when the round began. `facts` are from `deck_facts`."""
    if not facts["round"]:
        return "nothing dealt yet"
    count, dealt = facts["tracks"], facts["dealt"]
    percent = 100 * dealt // count
    parts = [
        f"dealt {dealt:,} of {count:,} ({percent}%)",
        f"{counted(facts['deals_left'], 'deal')} left",
        f"round {facts['round']:,}",
        f"since {day(date.fromisoformat(facts['since']))}",
    ]
    if facts["missing"]:
        parts.insert(1, f"{facts['missing']:,} missing")
    if facts["heard"] is not None:
        parts.insert(1, f"heard {facts['heard']:,}")
    return ", ".join(parts)


def day(when: date) -> str:
    """Return a date like '2 September 2026'."""
    return f"{when.day} {when:%B %Y}"


def next_deal(facts: Mapping[str, object], today: date) -> str:
    """Return when the next deal of a deck is due: 'now', 'tomorrow 00:00', 'with the next run' and so on.

    If the deck counts plays, the deal also waits for one. `facts` are from `deck_facts`.
    """
    if facts.get("is_fed"):
        return "as its player goes on"
    if facts.get("every") is None:
        return "now"
    start, unheard_since = facts.get("next_deal"), facts.get("unheard_since")
    days = (date.fromisoformat(start) - today).days if isinstance(start, str) else 0
    if days <= 0 and isinstance(unheard_since, str):
        return f"when some of it was heard, nothing since {day(date.fromisoformat(unheard_since))}"
    if not isinstance(start, str):
        return "with the next run"
    if days <= 0:
        return "now"
    first_day = date.fromisoformat(start)
    when = "tomorrow" if days == 1 else f"{first_day:%A}" if days < 8 else day(first_day)
    return f"{when} 00:00"
