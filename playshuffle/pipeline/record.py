"""Load the record of a playlist: its last order, or its deck."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from playshuffle.dealing.copies import join_copies
from playshuffle.dealing.deck import Deck, mark_written
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.request import Request
from playshuffle.playlist.playlist_file import PlaylistFile, not_ours
from playshuffle.store import decks
from playshuffle.store.state import SavedOrder, State


@dataclass(frozen=True, slots=True)
class DeckRecord:
    """The deck of a playlist, now and before its last deal.

    deck: it is empty if none is stored. stored: the same as it was stored, None if it was not.
    before: as it was before its last deal.
    """

    deck: Deck
    stored: decks.StoredDeck | None
    before: decks.StoredDeck | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return all its tracks."""
        return (*self.deck.dealt, *self.deck.upcoming, *self.deck.missing)


class Record(NamedTuple):
    """The last order or the deck of a playlist, from the state or from its file.

    order: the last order; None if there is none, and for a deck. saved: the same as it is in the state; None
    if it was read from the file.
    deck: None if the playlist is not dealt. notes: for the user.
    """

    order: SavedOrder | None = None
    saved: SavedOrder | None = None
    deck: DeckRecord | None = None
    notes: tuple[str, ...] = ()

    def numbers(self) -> "tuple[int, ...] | array[int]":
        """Return the tracks of the last order that were there, or all tracks of the deck."""
        if self.deck is not None:
            return self.deck.numbers
        return self.order.present_then if self.order is not None else ()

    def with_copies(self, kept: Mapping[int, int]) -> Self:
        """Return the record with each copy in the deck that is left out replaced by the one that is kept."""
        if self.deck is None or not kept:
            return self
        before = self.deck.before and self.deck.before._replace(deck=join_copies(self.deck.before.deck, kept))
        deck = replace(self.deck, deck=join_copies(self.deck.deck, kept), before=before)
        return self._replace(deck=deck)


def saved_records(state: State, playlist: bytes) -> Sequence[SavedOrder | decks.StoredDeck]:
    """Return the deck of a playlist, or its last orders, the newest first; none if it is not known.

    If it was both made and dealt, its file says which was last.

    Raises:
        PlayshuffleError: the file cannot be read.
    """
    orders, deck = state.orders(playlist), decks.load(state, playlist)
    if deck is None:
        return orders
    content = PlaylistFile.find(playlist).fingerprint() if orders else deck.content
    was_dealt = content == deck.content or content not in [order.content for order in orders]
    return [deck] if was_dealt else orders


def load_record(state: State, file: PlaylistFile | None, tracks: Tracks, request: Request) -> Record:
    """Load the record of a playlist.

    Args:
        state: has it.
        file: the playlist as it is; None if it is not a file.
        tracks: all tracks of its folders.
        request: the playlist; where it is dealt, the record is a deck.

    Raises:
        PlayshuffleError: the file is from another program, or a deal would replace the list that it
            deals from.
    """
    if file is None:
        return Record()
    is_ours = request.force or file.has_mark()
    if not (is_ours or file.fingerprint() in [order.content for order in state.orders(file.path)]):
        raise not_ours(request.output or file.path)
    if request.deal is not None and file.is_file(request.source_file):
        raise PlayshuffleError(
            "A deal into the list that --from names would leave only the dealt tracks in it."
            " Choose another file with -o.",
            Exit.USAGE,
        )
    if request.deal is not None:
        return _deck_record(state, file, tracks, writes=request.writes)
    return _order_record(state, file, tracks)


def _order_record(state: State, file: PlaylistFile, tracks: Tracks) -> Record:
    """Find which of the saved orders a file has; without any, read the order from the file."""
    last = state.last_order(file.path)
    if last is None:
        return Record(_order_in_file(file, tracks))
    # A large playlist is not read if nobody has written to it since.
    if not file.files or file.stamp() == last.stamp:
        return Record(last, last)
    content = file.fingerprint()
    for order in state.orders(file.path):
        if order.content == content:
            return Record(order, order)
    note = f"Another program changed {shown(file.path)}. It is replaced, and its last order is the saved one."
    return Record(last, last, notes=(note,))


def _order_in_file(file: PlaylistFile, tracks: Tracks) -> SavedOrder | None:
    """Return the order in a playlist file whose order is not saved; None if no track is in it."""
    entries = file.entries()
    if not entries:
        return None
    number_of = dict(zip(tracks.paths, tracks.numbers, strict=True))
    numbers = array("I", [number_of[path] for path in entries if path in number_of])
    return SavedOrder(numbers, {}, len(numbers), 0, "", b"") if numbers else None


def _deck_record(state: State, file: PlaylistFile, tracks: Tracks, *, writes: bool) -> Record:
    """Load the deck of a playlist; without one, make it from the file, if that is ours.

    A pending deal that did reach the file is marked as dealt, if anything is written.
    """
    stored, before = (decks.load(state, file.path, age) for age in (0, 1))
    if stored is None:
        return Record(deck=DeckRecord(_deck_in_file(file, tracks), None, before))
    is_pending = stored.deck.deal is not None and stored.deck.deal.is_pending
    if writes and is_pending and file.fingerprint() == stored.content:
        decks.confirm(state, file.path, stored)
        stored = stored._replace(deck=mark_written(stored.deck))
    return Record(deck=DeckRecord(stored.deck, stored, before))


def _deck_in_file(file: PlaylistFile, tracks: Tracks) -> Deck:
    """Return a deck of which nothing is known but its file: all tracks in it were dealt."""
    if file.order() is None:  # not written by us
        return Deck()
    number_of = dict(zip(tracks.paths, tracks.numbers, strict=True))
    dealt = tuple(number_of[path] for path in file.entries() if path in number_of)
    return Deck(dealt=dealt, round=1 if dealt else 0)
