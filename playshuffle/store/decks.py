"""Store decks: each as it is now, and as it was before its last deal."""

import json
from array import array
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from itertools import chain, islice
from typing import Any, NamedTuple

from playshuffle.dealing.deck import Deal, Deck, mark_written
from playshuffle.dealing.period import Every
from playshuffle.store.state import DECK, State, put_record
from playshuffle.system.sqlite import Connection

_PARTS = ("dealt", "upcoming", "missing", "removed", "tail", "unheard")
_FACTS = ("round", "number", "deals_left", "order", "heard_from_s")
_DEAL_FACTS = ("round", "number", "of", "is_pending")


class StoredDeck(NamedTuple):
    """A deck as it is stored.

    content: fingerprint of the file that its deal is in, or will be. options: those that the file was
    written with, as in a request; empty if not known.
    """

    deck: Deck
    content: str
    options: str = ""


def load(state: State, playlist: bytes, age: int = 0) -> StoredDeck | None:
    """Return the deck of a playlist, or with age 1 the one before; None if there is none."""
    for packed, text, content in state.rows(
        "SELECT numbers, facts, content FROM record WHERE path = ? AND kind = ? AND age = ?",
        state.real.stored(playlist),
        DECK,
        age,
    ):
        facts = json.loads(text)
        return StoredDeck(_unpacked(packed, facts), content, facts["options"])
    return None


def deck_paths(state: State) -> list[bytes]:
    """Return the paths of all playlists with a deck."""
    query = "SELECT path FROM record WHERE kind = ? AND age = 0"
    return sorted(state.real.absolute(path) for (path,) in state.rows(query, DECK))


def load_all(state: State) -> list[tuple[bytes, Deck]]:
    """Return all decks, with the paths of their playlists."""
    stored = [(path, load(state, path)) for path in deck_paths(state)]
    return [(path, each.deck) for path, each in stored if each is not None]


def save(state: State, playlist: bytes, deck: StoredDeck, before: StoredDeck | None) -> None:
    """Store a deck, and the one before it, so that its deal can be undone.

    Args:
        state: where to store it.
        playlist: resolved path of its file.
        deck: the deck now.
        before: the deck before its last deal, None if the deal cannot be undone.

    Raises:
        PlayshuffleError: it cannot be written.
    """
    path = state.real.stored(playlist)
    # Rows that stay as they are do not count as dealt last.
    changed = [age for age, each in enumerate((deck, before)) if each != load(state, playlist, age)]

    def act(database: Connection) -> None:
        for age in changed:
            database.execute("DELETE FROM record WHERE path = ? AND kind = ? AND age = ?", (path, DECK, age))
            each = (deck, before)[age]
            if each is not None:
                _put(database, path, age, each)

    state.change(act, playlist)


def confirm(state: State, playlist: bytes, stored: StoredDeck) -> None:
    """Mark the deal of a deck as written.

    Raises:
        PlayshuffleError: it cannot be written.
    """
    written = stored._replace(deck=mark_written(stored.deck))
    state.change(lambda database: _put(database, state.real.stored(playlist), 0, written), playlist)


def _put(database: Connection, path: bytes, age: int, stored: StoredDeck) -> None:
    deck = stored.deck
    parts = [getattr(deck, part) for part in _PARTS] + [deck.deal.entries if deck.deal is not None else ()]
    facts: dict[str, Any] = {name: getattr(deck, name) for name in _FACTS}
    facts |= {"since": deck.since.isoformat(), "parts": [len(part) for part in parts]}
    facts["options"] = stored.options
    if deck.deal is not None:
        facts["deal"] = {name: getattr(deck.deal, name) for name in _DEAL_FACTS}
        facts["deal"] |= {"period": deck.deal.period.isoformat(), "every": deck.deal.every.value}
    numbers = array("I", chain(*parts))
    put_record(database, path, DECK, age, numbers, json.dumps(facts), stored.content)


def _unpacked(packed: bytes, facts: Mapping[str, Any]) -> Deck:
    """Return the deck of a row."""
    numbers = iter(array("I", packed))
    *parts, entries = (tuple(islice(numbers, size)) for size in facts["parts"])
    fields = dict(zip(_PARTS, parts, strict=True)) | {name: facts[name] for name in _FACTS}
    deck = Deck(**fields, since=date.fromisoformat(facts["since"]))
    if "deal" not in facts:
        return deck
    deal = facts["deal"]
    last = {name: deal[name] for name in _DEAL_FACTS}
    period = date.fromisoformat(deal["period"])
    return replace(deck, deal=Deal(period, entries, every=Every(deal["every"]), **last))
