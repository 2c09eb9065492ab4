"""Load the record of a playlist: its last order, or its deck."""

from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from playshuffle.dealing.copies import join_copies
from playshuffle.dealing.deck import Deck, mark_written
from playshuffle.errors import Exit, Note, PlayshuffleError, shown
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.request import Request
from playshuffle.playlist.playlist_file import PlaylistFile, not_ours
from playshuffle.store import records
from playshuffle.store.records import BEFORE, LAST, SavedDeck, SavedOrder, SavedRecord
from playshuffle.store.state import State


class Record(NamedTuple):
    """The last order or the deck of a playlist, from the state or from its file.

    Attributes:
        order: the last order; None if there is none, and for a deck.
        deck: None if the playlist is not dealt.
        saved: the saved record that the file has, else the newest; None if none is saved.
        before: the one before its last make or deal.
        notes: for the user.
        replaced: the number of tracks in the order that stand for an omitted copy.
    """

    order: SavedOrder | None = None
    deck: Deck | None = None
    saved: SavedRecord | None = None
    before: SavedRecord | None = None
    notes: tuple[Note, ...] = ()
    replaced: int = 0

    @property
    def saved_order(self) -> SavedOrder | None:
        """Return the saved record if it is an order."""
        return self.saved if isinstance(self.saved, SavedOrder) else None

    def numbers(self) -> Sequence[int]:
        """Return the tracks of the last order that were there, or all tracks of the deck."""
        if self.deck is not None:
            return (*self.deck.dealt, *self.deck.upcoming, *self.deck.missing)
        return self.order.present_then if self.order is not None else ()

    def playing(self, redraw_before_s: float) -> Sequence[int]:
        """Return the tracks of the last order, if it was not drawn before this time (Unix seconds)."""
        is_kept = self.order is not None and self.order.drawn_s >= redraw_before_s
        return self.numbers() if is_kept else ()

    def with_copies(self, kept: Mapping[int, int]) -> Self:
        """Return the record with each omitted copy replaced by the kept one; `saved` stays as it is.

        kept: the number of the kept copy, by that of each omitted one.
        """
        if not kept:
            return self
        deck = self.deck and join_copies(self.deck, kept)
        order = self.order and _with_copies(self.order, kept)
        before = self.before
        if isinstance(before, SavedDeck):
            before = before._replace(deck=join_copies(before.deck, kept))
        elif before is not None:
            before = _with_copies(before, kept)
        replaced = frozenset(order.numbers if order else ()).difference(
            self.order.numbers if self.order else ()
        )
        return self._replace(order=order, deck=deck, before=before, replaced=len(replaced))


def _with_copies(order: SavedOrder, kept: Mapping[int, int]) -> SavedOrder:
    """Return an order with each omitted copy replaced; a kept copy that is in it stays where it is."""
    numbers, listed = array("I", order.numbers), set(order.numbers)
    for position, number in enumerate(order.numbers):
        best = kept.get(number)
        if best is not None and best not in listed:
            listed.add(best)
            numbers[position] = best
    now = dict(zip(order.numbers, numbers, strict=True))
    return order._replace(
        numbers=numbers, absent=frozenset(now.get(number, number) for number in order.absent)
    )


def load_record(
    state: State, file: PlaylistFile | None, tracks: Tracks, lost: frozenset[int], request: Request
) -> Record:
    """Load the record of a playlist.

    Args:
        state: has it.
        file: the playlist as it is; None if it is not a file.
        tracks: all tracks of its folders.
        lost: the numbers that were given, but are not in the table of tracks any more.
        request: the playlist; where it is dealt, the record is a deck.

    Raises:
        PlayshuffleError: the file is from another program, or a deal would replace the list that it
            deals from.
    """
    if file is None:
        return Record()
    saved = records.load(state, file.path)
    is_ours = request.options.force or file.has_mark()
    if not (is_ours or file.fingerprint() in [record.content for record in saved.values()]):
        raise not_ours(request.output or file.path)
    if request.deal is not None and file.is_file(request.source_file):
        raise PlayshuffleError(
            "A deal into the list that --from names would leave only the dealt tracks in it."
            " Choose another file with -o.",
            Exit.USAGE,
        )
    if request.deal is not None:
        return _deck_record(state, saved, file, tracks, writes=request.writes)
    return _order_record(saved, file, tracks, lost)


def _order_record(
    saved: Mapping[int, SavedRecord], file: PlaylistFile, tracks: Tracks, lost: frozenset[int]
) -> Record:
    """Find which of the saved records a file has; without a saved order, read it from the file."""
    newest, before = saved.get(LAST), saved.get(BEFORE)
    order = next((record for record in saved.values() if isinstance(record, SavedOrder)), None)
    if order is None:
        return Record(_order_in_file(file, tracks), saved=newest, before=before)
    in_file: SavedRecord | None = newest
    # A large playlist is not read if nobody has written to it since.
    if file.files and file.stamp() == order.stamp:
        in_file = order
    elif file.files:
        content = file.fingerprint()
        in_file = next((record for record in saved.values() if record.content == content), None)
        if in_file is None:
            note = f"Another program changed {shown(file.path)}."
            note += " It is replaced, and its last order is the saved one."
            return Record(order, saved=newest, before=before, notes=(Note("changed_by_another", note),))
    if isinstance(in_file, SavedOrder):
        order = _renumbered(in_file, file, tracks, lost)
    return Record(order, saved=in_file, before=before)


def _renumbered(order: SavedOrder, file: PlaylistFile, tracks: Tracks, lost: frozenset[int]) -> SavedOrder:
    """Return the order in a file, with the new numbers of tracks that the table had lost, by their paths."""
    if not lost or lost.isdisjoint(order.numbers):
        return order
    pairs, had = zip(tracks.paths, tracks.numbers, strict=True), frozenset(order.numbers)
    new = {path: number for path, number in pairs if number not in had}
    written = zip(order.present_then, file.entries(), strict=False)
    now = {old: new[path] for old, path in written if old in lost and path in new}
    return order._replace(numbers=array("I", [now.get(number, number) for number in order.numbers]))


def _order_in_file(file: PlaylistFile, tracks: Tracks) -> SavedOrder | None:
    """Return the order in a playlist file whose order is not saved; None if no track is in it."""
    numbers = array("I", _numbers_in_file(file, tracks))
    return SavedOrder(numbers, frozenset(), len(numbers), 0, "", b"") if numbers else None


def _numbers_in_file(file: PlaylistFile, tracks: Tracks) -> list[int]:
    number_of = dict(zip(tracks.paths, tracks.numbers, strict=True))
    return [number_of[path] for path in file.entries() if path in number_of]


def _deck_record(
    state: State, saved: Mapping[int, SavedRecord], file: PlaylistFile, tracks: Tracks, *, writes: bool
) -> Record:
    """Return the newest deck of a playlist; without one, make it from the file, if that is ours.

    A pending deal that did reach the file is marked as dealt, if the request writes.
    """
    newest, before = saved.get(LAST), saved.get(BEFORE)
    stored = next((record for record in saved.values() if isinstance(record, SavedDeck)), None)
    if stored is None:
        return Record(deck=_deck_in_file(file, tracks), saved=newest, before=before)
    is_pending = stored.deck.deal is not None and stored.deck.deal.is_pending
    if writes and is_pending and stored is newest and file.fingerprint() == stored.content:
        newest = stored = confirm(state, file.path, stored)
    return Record(deck=stored.deck, saved=newest, before=before)


def confirm(state: State, playlist: bytes, pending: SavedDeck) -> SavedDeck:
    """Mark the deal of a deck as written, and return the deck.

    Raises:
        PlayshuffleError: it cannot be saved.
    """
    written = pending._replace(deck=mark_written(pending.deck))
    records.save(state, playlist, written)
    return written


def _deck_in_file(file: PlaylistFile, tracks: Tracks) -> Deck:
    """Return a deck of which nothing is known but its file: all tracks in it were dealt."""
    if file.order() is None:  # not written by us
        return Deck()
    dealt = tuple(_numbers_in_file(file, tracks))
    return Deck(dealt=dealt, round=1 if dealt else 0)
