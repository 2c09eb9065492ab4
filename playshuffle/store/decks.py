"""Store decks: each as it is now, and as it was before its last deal.

A deck is stored as index arrays over one list of paths, if possible that of the library.
"""

import json
import os
import zlib
from array import array
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from hashlib import blake2b
from itertools import chain
from struct import iter_unpack
from typing import Any, NamedTuple

from playshuffle.dealing.deck import Deal, Deck, check, end_round
from playshuffle.dealing.period import Every
from playshuffle.library.identity import Remembered
from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.store.state import State
from playshuffle.system.sqlite import Connection

_PARTS = ("dealt", "upcoming", "missing", "removed", "tail")
_FACTS = ("round", "number", "deals_left", "order", "is_ended")
_DEAL_FACTS = ("round", "number", "of", "is_pending")


class StoredDeck(NamedTuple):
    """A deck, and what recognises its tracks and its file.

    Attributes:
        deck: the deck.
        content: fingerprint of the file that its deal is in, or will be.
        paths, marks: all its tracks, in the form that `identity` needs.
    """

    deck: Deck
    content: str
    paths: list[bytes]
    marks: bytes

    def remembered(self) -> Remembered:
        """Return all its tracks, to be recognised under other names."""
        return Remembered(self.paths, self.marks, range(len(self.paths)), {})

    def has_marks(self, marks: Mapping[bytes, bytes]) -> bool:
        """Return whether its tracks have the same marks in `marks`."""
        return all(marks.get(path, mark) == mark for path, mark in _marks(self))

    def mark_by_path(self) -> dict[bytes, bytes]:
        """Map the path of each of its tracks to its mark."""
        return dict(_marks(self))


def deck_paths(state: State) -> list[bytes]:
    """Return the path of each playlist that has a deck, sorted."""
    return [path for (path,) in state.rows("SELECT path FROM deck WHERE age = 0 ORDER BY path")]


def load_all(state: State) -> list[tuple[bytes, Deck]]:
    """Return each deck with the path of its playlist, sorted by path; damaged ones are omitted."""
    loaded = ((path, load(state, path)) for path in deck_paths(state))
    return [(path, stored.deck) for path, stored in loaded if stored is not None]


def load(state: State, playlist: bytes, age: int = 0) -> StoredDeck | None:
    """Return the deck of a playlist, or with age 1 the one before; None if there is none or it is damaged."""
    rows = state.rows(
        "SELECT deck.rowid, paths, marks, places, facts FROM deck LEFT JOIN library ON library = digest"
        " WHERE path = ? AND age = ?",
        playlist,
        age,
    )
    if not rows:
        return None
    row, *packed = rows[0]
    try:
        return _unpacked(*packed)
    except (zlib.error, ValueError, LookupError, TypeError, AttributeError, OverflowError):
        state.set_row_aside("deck", row, playlist)
        return None


def save(
    state: State,
    playlist: bytes,
    deck: Deck,
    content: str,
    present: Mapping[bytes, bytes],
    before: StoredDeck | None,
    roots: list[Root],
    absent: Mapping[bytes, bytes] | None = None,
) -> None:
    """Store a deck, and the one before it, so that its deal can be undone.

    Args:
        state: where to store it.
        playlist: resolved path of its file.
        deck: the deck now.
        content: fingerprint of the file that its deal is in, or will be.
        present: the tracks of the library, in its order, with their marks.
        before: the deck before its last deal, None if the deal cannot be undone.
        roots: to be stored in the same step.
        absent: marks of tracks that are not present.

    Raises:
        PlayshuffleError: it cannot be written.
    """
    marks = {**dict(_marks(before)), **(absent or {}), **present}

    def act(database: Connection) -> None:
        database.execute("DELETE FROM deck WHERE path = ?", (playlist,))
        _put(state, database, (playlist, 0), deck, content, present, marks)
        if before is not None:
            _put(state, database, (playlist, 1), before.deck, before.content, present, marks)
        state.put_roots(database, playlist, roots)

    state.change(playlist, act)


def confirm(state: State, playlist: bytes) -> None:
    """Mark the deal as written.

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


def restore_previous(state: State, playlist: bytes) -> None:
    """Replace the deck of a playlist by the one before its last deal, which exists."""

    def act(database: Connection) -> None:
        database.execute("DELETE FROM deck WHERE path = ? AND age = 0", (playlist,))
        database.execute("UPDATE deck SET age = 0 WHERE path = ?", (playlist,))

    state.change(playlist, act)


def end_round_of(state: State, playlist: bytes) -> None:
    """End the round of a deck early; this can be undone like a deal."""
    stored = load(state, playlist)
    if stored is not None and not stored.deck.is_ended:
        save(state, playlist, end_round(stored.deck), "", dict(_marks(stored)), stored, [])


def delete(state: State, playlist: bytes) -> None:
    """Delete a deck; its playlist stays."""
    state.change(playlist, lambda database: database.execute("DELETE FROM deck WHERE path = ?", (playlist,)))


def _put(
    state: State,
    database: Connection,
    key: tuple[bytes, int],
    deck: Deck,
    content: str,
    present: Mapping[bytes, bytes],
    marks: Mapping[bytes, bytes],
) -> None:
    entries = deck.deal.entries if deck.deal is not None else ()
    parts = [getattr(deck, part) for part in _PARTS]
    paths = list(present) + [track for track in dict.fromkeys(chain(*parts, entries)) if track not in present]
    number = {path: at for at, path in enumerate(paths)}
    facts = {name: getattr(deck, name) for name in _FACTS}
    facts |= {"since": deck.since.isoformat(), "content": content, "parts": [len(part) for part in parts]}
    if deck.deal is not None:
        facts["deal"] = {name: getattr(deck.deal, name) for name in _DEAL_FACTS}
        facts["deal"] |= {"period": deck.deal.period.isoformat(), "every": deck.deal.every.value}
        facts["deal"]["entries"] = [os.fsdecode(entry) for entry in entries]
    digest = blake2b(b"\0".join(paths), digest_size=16).digest()
    state.put_library(database, digest, paths)
    rows = b"".join(marks.get(path, bytes(MARK_BYTES)) for path in paths)
    places = array("I", map(number.__getitem__, chain(*parts)))
    database.execute(
        "INSERT INTO deck (path, age, library, places, facts, marks) VALUES (?, ?, ?, ?, ?, ?)",
        (*key, digest, places.tobytes(), json.dumps(facts), zlib.compress(rows, 1)),
    )


def _unpacked(packed: bytes, packed_marks: bytes, places: bytes, text: str) -> StoredDeck:
    """Return the deck of a row; raise ValueError or another error if it is damaged."""
    paths = zlib.decompress(packed).split(b"\0")
    marks = zlib.decompress(packed_marks)
    numbers = array("I", places)
    facts: dict[str, Any] = json.loads(text)
    if len(marks) != MARK_BYTES * len(paths) or sum(facts["parts"]) != len(numbers):
        raise ValueError("the sizes of its parts are inconsistent")
    parts = []
    for size in facts["parts"]:
        parts.append(tuple(paths[number] for number in numbers[:size]))
        del numbers[:size]
    since = date.fromisoformat(facts["since"])
    fields = dict(zip(_PARTS, parts, strict=True)) | {name: facts[name] for name in _FACTS}
    deck = Deck(**fields, since=since)
    deck = replace(deck, deal=_deal_from(facts))
    check(deck)
    return StoredDeck(deck, facts["content"], paths, marks)


def _deal_from(facts: Mapping[str, Any]) -> Deal | None:
    """Return the last deal of a row; raise ValueError or another error if it is damaged."""
    if "deal" not in facts:
        return None
    deal = facts["deal"]
    entries = tuple(map(os.fsencode, deal["entries"]))
    last = {name: deal[name] for name in _DEAL_FACTS}
    return Deal(date.fromisoformat(deal["period"]), entries, every=Every(deal["every"]), **last)


def _marks(stored: StoredDeck | None) -> list[tuple[bytes, bytes]]:
    return [] if stored is None else list(zip(stored.paths, _rows(stored.marks), strict=True))


def _rows(marks: bytes) -> list[bytes]:
    return [mark for (mark,) in iter_unpack(f"{MARK_BYTES}s", marks)]
