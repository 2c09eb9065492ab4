"""Read summaries of decks: their numbers and last deals, without the tracks of the library."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple

from playshuffle.dealing.deck import Deal
from playshuffle.dealing.describe import DeckCounts
from playshuffle.store import decks
from playshuffle.store.state import State

_QUERY = "SELECT path, facts, length(places) FROM deck WHERE age = 0"


class DeckSummary(NamedTuple):
    """A deck without its tracks, as it is stored.

    content: fingerprint of the file that its deal is in, or will be.
    request: digest of the request that the file was written for; empty if that is not known.
    """

    round: int
    since: date
    track_count: int
    undealt_count: int
    missing_count: int
    deals_left: int
    order: str
    is_ended: bool
    deal: Deal | None
    content: str
    request: str


def summaries(state: State) -> list[tuple[bytes, DeckCounts]]:
    """Return a summary of each deck, with the path of its playlist."""
    result: list[tuple[bytes, DeckCounts]] = []
    for path, *row in state.rows(f"{_QUERY} ORDER BY path"):
        summary = _summary(*row)
        if summary is not None:
            result.append((path, summary))
        elif (stored := decks.load(state, path)) is not None:  # else it is damaged
            result.append((path, stored.deck))
    return result


def summary(state: State, playlist: bytes) -> DeckSummary | None:
    """Return a summary of the deck of a playlist; None if there is none that can be summarised."""
    rows = state.rows(f"{_QUERY} AND path = ?", playlist)
    return _summary(*rows[0][1:]) if rows else None


def _summary(text: str, size: int) -> DeckSummary | None:
    """Return what the facts of a row say; None if the whole row must be looked at."""
    try:
        facts: dict[str, Any] = json.loads(text)
        counts: Sequence[int] = facts["parts"]
        if 4 * sum(counts) != size:
            return None
        if "deal" in facts and "entries" not in facts["deal"]:  # as older versions stored them
            return None
        dealt, upcoming, missing, removed = counts[:4]
        return DeckSummary(
            round=facts["round"],
            since=date.fromisoformat(facts["since"]),
            track_count=dealt - removed + upcoming + missing,
            undealt_count=upcoming + missing,
            missing_count=missing,
            deals_left=facts["to_go"],
            order=facts["law"],
            is_ended=facts.get("is_ended", False),
            deal=decks.deal_from(facts),
            content=facts["content"],
            request=facts.get("request", ""),
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
