"""Save the records of a playlist: its order or its deck, now and before its last make or deal.

Records have the lasting numbers of tracks.
"""

import json
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import chain, islice
from typing import Any, NamedTuple, Self

from playshuffle.dealing.deck import PARTS, Deal, Deck, translated
from playshuffle.dealing.describe import deck_facts
from playshuffle.dealing.period import Every
from playshuffle.options.table import Options
from playshuffle.store import schema
from playshuffle.store.saved_options import pack, unpack
from playshuffle.store.state import State
from playshuffle.system.sqlite import Connection

_ORDER, _DECK = "order", "deck"
LAST, BEFORE, IN_FILE = range(3)  # ages of records
_ORDER_FACTS = ("length", "drawn_s", "stamp", "noted")
_FACTS = ("since", "round", "number", "deals_left", "order_name", "heard_from_s")


class SavedOrder(NamedTuple):
    """The order in which a playlist was written.

    Attributes:
        tracks: in order, absent ones included; an array, since a list takes nine times the memory.
        absent: tracks that were not found, so that the file lacks them.
        length: number of tracks in the file: the first ones that are not absent.
        drawn_s: when the order was drawn (Unix time).
        content: fingerprint of the file that was written.
        digest: `Tracks.digest` of the tracks that were chosen.
        stamp: stamp of the written file; empty if unknown.
        noted: `Report.noted` of the last run.
        copies: each omitted copy of a recording, followed by the copy in the list.
    """

    tracks: "array[int]"
    absent: frozenset[int]
    length: int
    drawn_s: int
    content: str
    digest: bytes
    stamp: str = ""
    options: Options | None = None
    noted: str = ""
    copies: Sequence[int] = ()

    @property
    def present_then(self) -> Sequence[int]:
        return [track for track in self.tracks if track not in self.absent] if self.absent else self.tracks

    def translated(self, translate: Callable[[Collection[int]], "array[int]"]) -> Self:
        """Return the record with numbers in place of indices, or the reverse."""
        absent, copies = frozenset(translate(self.absent)), tuple(translate(self.copies))
        return self._replace(tracks=translate(self.tracks), absent=absent, copies=copies)


class SavedDeck(NamedTuple):
    """The deck of a playlist.

    Attributes:
        copies: each omitted copy of a recording, followed by the copy in the deck.
    """

    deck: Deck
    content: str
    options: Options | None = None
    copies: Sequence[int] = ()

    def translated(self, translate: Callable[[Collection[int]], Iterable[int]]) -> Self:
        return self._replace(deck=translated(self.deck, translate), copies=tuple(translate(self.copies)))


SavedRecord = SavedOrder | SavedDeck


class Summary(NamedTuple):
    """A record without its tracks.

    Attributes:
        length: number of tracks in the file of an order; None for a deck.
        deck: `deck_facts` of a deck; None for an order.
    """

    options: Options | None
    length: int | None
    deck: Mapping[str, Any] | None


NOTHING = SavedOrder(array("i"), frozenset(), 0, 0, "", b"")  # before the first make or deal


def load(state: State, playlist: bytes) -> dict[int, SavedRecord]:
    """Return the records of a playlist by age: LAST, BEFORE, IN_FILE.

    LAST is saved before the file is replaced; meanwhile the file has the content of BEFORE or IN_FILE. There
    is no BEFORE until the second make or deal.
    """
    path = state.real.stored(playlist)
    numbers = dict(state.rows("SELECT age, numbers FROM record_tracks WHERE path = ?", path))
    query = "SELECT age, kind, facts, content, digest FROM record WHERE path = ? ORDER BY age"
    by_age = {age: _record(numbers[age], *row) for age, *row in state.rows(query, path) if age in numbers}
    return {age: record for age, record in by_age.items() if record != NOTHING}


def last(state: State, playlist: bytes) -> SavedRecord | None:
    """Return the newest undamaged record of a playlist."""
    return next(iter(load(state, playlist).values()), None)


def summaries(state: State) -> dict[bytes, Summary]:
    """Return the summary of each playlist's newest record, by path."""
    # A record without its tracks is damaged. The tracks themselves are not read.
    query = (
        "SELECT path, kind, facts FROM record WHERE EXISTS (SELECT 1 FROM main.record_tracks AS tracks"
        " WHERE (tracks.path, tracks.age) = (record.path, record.age)) ORDER BY record.age"
    )
    newest: dict[bytes, Summary] = {}
    for stored, kind, text in state.rows(query):
        if (path := state.real.absolute(stored)) not in newest:
            facts = json.loads(text)
            length, deck = (None, facts["status"]) if kind == _DECK else (facts["length"], None)
            newest[path] = Summary(unpack(facts["options"]), length, deck)
    return dict(sorted(newest.items()))


def last_made(state: State) -> bytes | None:
    """Return the playlist that was made or dealt last."""
    rows = state.rows("SELECT path FROM record WHERE age = ? ORDER BY rowid DESC LIMIT 1", BEFORE)
    return state.real.absolute(rows[0][0]) if rows else None


def save(
    state: State, playlist: bytes, record: SavedRecord, before: SavedRecord | None = None, in_file: str = ""
) -> None:
    """Save the record of a playlist.

    Args:
        before: the record that `undo` will restore, `NOTHING` if none; None keeps the saved one.
        in_file: fingerprint of the file. Until the file is replaced, the saved record with this content
            stays, as IN_FILE if not as BEFORE.
    """
    path = state.real.stored(playlist)
    rows = {LAST: _packed(record)}
    if before is not None:
        rows[BEFORE] = _packed(before)
    has_record = any(content == in_file for _, _, _, content, _ in rows.values())
    saved = (
        "SELECT numbers, kind, facts, content, digest FROM record JOIN record_tracks USING (path, age)"
        " WHERE path = ? AND content = ? ORDER BY age LIMIT 1"
    )

    def act(database: Connection) -> None:
        kept = [] if has_record else database.execute(saved, (path, in_file)).fetchall()
        for table in ("record", "record_tracks"):
            database.execute(f"DELETE FROM main.{table} WHERE path = ? AND age = ?", (path, IN_FILE))  # noqa: S608
        for age, (numbers, *facts) in [*rows.items(), *((IN_FILE, row) for row in kept)]:
            database.execute(schema.replace("record"), (path, age, *facts))
            database.execute(schema.replace("record_tracks"), (path, age, numbers))

    state.change(act, playlist)


def _packed(record: SavedRecord) -> tuple[bytes, str, str, str, bytes]:
    if isinstance(record, SavedOrder):
        facts = {name: getattr(record, name) for name in _ORDER_FACTS} | {"options": pack(record.options)}
        text = json.dumps(facts | {"absent": sorted(record.absent), "copies": record.copies})
        return array("I", record.tracks).tobytes(), _ORDER, text, record.content, record.digest
    deck, deal = record.deck, record.deck.deal
    parts = [*(getattr(deck, part) for part in PARTS), deal.entries if deal is not None else ()]
    facts = {name: getattr(deck, name) for name in _FACTS}
    facts |= {"copies": record.copies, "parts": [*map(len, parts)], "options": pack(record.options)}
    facts["deal"] = None if deal is None else deal._replace(entries=())._asdict()
    facts["status"] = deck_facts(deck)
    numbers = array("I", chain(*parts)).tobytes()
    return numbers, _DECK, json.dumps(facts, default=date.isoformat), record.content, b""


def _record(packed: bytes, kind: str, text: str, content: str, digest: bytes) -> SavedRecord:
    numbers, facts = array("I", packed), json.loads(text)
    options, copies = unpack(facts.pop("options")), tuple(facts.pop("copies", ()))
    if kind == _DECK:
        return SavedDeck(_deck(numbers, facts), content, options, copies)
    facts |= {"absent": frozenset(facts["absent"]), "options": options, "copies": copies}
    return SavedOrder(numbers, content=content, digest=digest, **facts)


def _deck(numbers: "array[int]", facts: Mapping[str, Any]) -> Deck:
    rest = iter(numbers)
    *parts, entries = (tuple(islice(rest, size)) for size in facts["parts"])
    fields: dict[str, Any] = dict(zip(PARTS, parts, strict=True)) | {name: facts[name] for name in _FACTS}
    deck = Deck(**fields)._replace(since=date.fromisoformat(facts["since"]))
    if (deal := facts["deal"]) is None:
        return deck
    period, every = date.fromisoformat(deal["period"]), Every(deal["every"])
    return deck._replace(deal=Deal(**deal)._replace(period=period, every=every, entries=entries))
