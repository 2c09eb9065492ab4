"""Decks, kept from one run to the next: a deck as it stands, and as it stood before its last deal.

A deck is kept as index arrays over one list of paths, that of the library where it can be.
"""

import json
import zlib
from array import array
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from hashlib import blake2b
from itertools import chain
from typing import NamedTuple

from playshuffle.dealing.deck import Deal, Deck, ended
from playshuffle.library.away import Root
from playshuffle.library.identity import MARK_BYTES, Remembered
from playshuffle.store.state import State
from playshuffle.system.sqlite import Connection

_PARTS = ("heard", "to_come", "away", "gone", "tail")
_FACTS = ("round", "number", "to_go", "carried_ms", "law")
_DEAL_FACTS = ("round", "number", "of", "is_pending")


class Kept(NamedTuple):
    """A deck as it is kept.

    content: fingerprint of the file that its deal is in, or will be. paths, marks: of all tracks
    that it knows, as `identity` wants them.
    """

    deck: Deck
    content: str
    paths: list[bytes]
    marks: bytes

    def remembered(self) -> Remembered:
        """All tracks that it knows, to be found again under other names."""
        return Remembered(self.paths, self.marks, range(len(self.paths)), {})


def all_decks(state: State) -> list[tuple[bytes, Deck]]:
    """All decks, each with the file that it is dealt into."""
    paths = [path for (path,) in state.rows("SELECT path FROM deck WHERE age = 0 ORDER BY path")]
    found = [(path, load(state, path)) for path in paths]
    return [(path, kept.deck) for path, kept in found if kept is not None]


def load(state: State, playlist: bytes, age: int = 0) -> Kept | None:
    """A deck as it stands, or with age 1 as it stood before; None if there is none, or it is damaged."""
    rows = state.rows(
        "SELECT paths, marks, places, facts FROM deck JOIN library ON library = digest"
        " WHERE path = ? AND age = ?",
        playlist,
        age,
    )
    if not rows:
        return None
    try:
        return _unpacked(*rows[0])
    except (zlib.error, ValueError, LookupError, TypeError, AttributeError):
        state.damaged(playlist)
        return None


def keep(
    state: State,
    playlist: bytes,
    deck: Deck,
    content: str,
    here: Mapping[bytes, bytes],
    before: Kept | None,
    roots: list[Root],
) -> None:
    """Keep a deck, and the one before it for who wants to take the deal back.

    Args:
        state: where.
        playlist: resolved path of its file.
        deck: as it stands now.
        content: fingerprint of the file that its deal is in, or will be.
        here: the tracks of now, in library order, with the mark of each.
        before: as it stood, None if there is nothing to go back to.
        roots: as they are now.

    Raises:
        PlayshuffleError: it cannot be written.
    """
    marks = {**dict(_marks(before)), **here}

    def act(database: Connection) -> None:
        database.execute("DELETE FROM deck WHERE path = ?", (playlist,))
        put = set[bytes]()
        _put(state, database, (playlist, 0), deck, content, here, marks, put)
        if before is not None:
            _put(state, database, (playlist, 1), before.deck, before.content, here, marks, put)
        for root in roots:
            state.put_root(database, root)

    state.change(playlist, act)


def confirm(state: State, playlist: bytes) -> None:
    """Note that the deal has reached the file.

    Raises:
        PlayshuffleError: it cannot be written.
    """

    def act(database: Connection) -> None:
        [(text,)] = database.execute("SELECT facts FROM deck WHERE path = ? AND age = 0", (playlist,))
        facts = json.loads(text)
        facts["deal"]["is_pending"] = False
        database.execute(
            "UPDATE deck SET facts = ? WHERE path = ? AND age = 0", (json.dumps(facts), playlist)
        )

    state.change(playlist, act)


def back(state: State, playlist: bytes) -> None:
    """Put the deck that stood before in the place of the one that stands; there is one."""

    def act(database: Connection) -> None:
        database.execute("DELETE FROM deck WHERE path = ? AND age = 0", (playlist,))
        database.execute("UPDATE deck SET age = 0 WHERE path = ?", (playlist,))

    state.change(playlist, act)


def reset(state: State, playlist: bytes) -> None:
    """Break the round of a deck off; it can be taken back like a deal."""
    kept = load(state, playlist)
    if kept is not None:
        keep(state, playlist, ended(kept.deck), "", dict(_marks(kept)), kept, [])


def forget(state: State, playlist: bytes) -> None:
    """Forget a deck; its file stays."""
    state.change(playlist, lambda database: database.execute("DELETE FROM deck WHERE path = ?", (playlist,)))


def _put(
    state: State,
    database: Connection,
    key: tuple[bytes, int],
    deck: Deck,
    content: str,
    here: Mapping[bytes, bytes],
    marks: Mapping[bytes, bytes],
    put: set[bytes],
) -> None:
    """Write a row; `put` are the lists of paths that were written in this transaction."""
    entries = deck.deal.entries if deck.deal is not None else ()
    parts = [*(getattr(deck, part) for part in _PARTS), entries]
    paths = list(here) + [track for track in dict.fromkeys(chain(*parts)) if track not in here]
    number = {path: at for at, path in enumerate(paths)}
    facts = {name: getattr(deck, name) for name in _FACTS}
    facts |= {"since": deck.since.isoformat(), "content": content, "parts": [len(part) for part in parts]}
    if deck.deal is not None:
        facts["deal"] = {name: getattr(deck.deal, name) for name in _DEAL_FACTS}
        facts["deal"]["period"] = deck.deal.period.isoformat()
    digest = blake2b(b"\0".join(paths), digest_size=16).digest()
    if digest not in put:
        rows = b"".join(marks.get(path, bytes(MARK_BYTES)) for path in paths)
        state.put_library(database, digest, lambda: paths, rows)
        put.add(digest)
    places = array("I", map(number.__getitem__, chain(*parts)))
    database.execute(
        "INSERT INTO deck VALUES (?, ?, ?, ?, ?)",
        (*key, digest, places.tobytes(), json.dumps(facts)),
    )


def _unpacked(packed: bytes, packed_marks: bytes, places: bytes, text: str) -> Kept:
    """A deck from its row; a ValueError, or another of its kind, if it is damaged."""
    paths = zlib.decompress(packed).split(b"\0")
    marks = zlib.decompress(packed_marks)
    numbers = array("I", places)
    facts = json.loads(text)
    if len(marks) != MARK_BYTES * len(paths) or sum(facts["parts"]) != len(numbers):
        raise ValueError("it does not add up")
    parts = []
    for size in facts["parts"]:
        parts.append(tuple(paths[number] for number in numbers[:size]))
        del numbers[:size]
    heard, to_come, away, gone, tail, entries = parts
    since = date.fromisoformat(facts["since"])
    deck = Deck(heard, to_come, away, gone, tail, since=since, **{name: facts[name] for name in _FACTS})
    if "deal" in facts:
        last = {name: facts["deal"][name] for name in _DEAL_FACTS}
        deal = Deal(date.fromisoformat(facts["deal"]["period"]), entries, **last)
        deck = replace(deck, deal=deal)
    running = deck.heard + deck.to_come + deck.away
    if len(set(running)) != len(running) or not set(deck.gone) <= set(deck.heard):
        raise ValueError("a track stands twice")
    return Kept(deck, facts["content"], paths, marks)


def _marks(kept: Kept | None) -> list[tuple[bytes, bytes]]:
    if kept is None:
        return []
    rows = range(0, len(kept.marks), MARK_BYTES)
    return list(zip(kept.paths, (kept.marks[row : row + MARK_BYTES] for row in rows), strict=True))
