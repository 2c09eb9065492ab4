"""Load and save the record of a playlist: its last order, or its deck.

The state stores lasting numbers of tracks. A run uses indices, and `~number` for an absent track.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Self

from playshuffle.dealing.copies import join_copies
from playshuffle.dealing.deck import Deck, mark_written
from playshuffle.errors import Note, PlayshuffleError, shown
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.open_library import OpenLibrary
from playshuffle.pipeline.other_computers import count_others
from playshuffle.pipeline.request import Request
from playshuffle.playlist.playlist_file import PlaylistFile, not_ours
from playshuffle.store import records
from playshuffle.store.records import BEFORE, LAST, SavedDeck, SavedOrder, SavedRecord
from playshuffle.store.state import State


class Record(NamedTuple):
    """The last order or the deck of a playlist, from the state or from its file.

    Attributes:
        order: None without a last order, and for a deck.
        saved: the record that fits the content of the file, otherwise the newest.
        replaced: number of tracks that took the position of an omitted copy.
        forgotten: tracks absent for so long that they lose their positions.
        has_other: the file has another computer's deal of this period.
    """

    order: SavedOrder | None = None
    deck: Deck | None = None
    saved: SavedRecord | None = None
    before: SavedRecord | None = None
    notes: tuple[Note, ...] = ()
    replaced: int = 0
    forgotten: frozenset[int] = frozenset()
    has_other: bool = False

    @property
    def saved_order(self) -> SavedOrder | None:
        return self.saved if isinstance(self.saved, SavedOrder) else None

    def tracks(self) -> Sequence[int]:
        if self.deck is not None:
            return (*self.deck.dealt, *self.deck.upcoming, *self.deck.missing)
        return self.order.present_then if self.order is not None else ()

    def playing(self, redraw_before_s: float) -> Sequence[int]:
        """Return the last order's tracks; none if the order was drawn before this Unix time (s)."""
        is_kept = self.order is not None and self.order.drawn_s >= redraw_before_s
        return self.tracks() if is_kept else ()

    def with_copies(self, kept: Mapping[int, int], remaining: Sequence[int]) -> Self:
        """Return the record with each omitted copy replaced by the kept one, except in `saved`.

        `kept` maps each omitted copy to the kept one; `remaining` are the tracks of the list. If a formerly
        kept copy is no longer in the list, a formerly omitted one replaces it.
        """
        copies = self.saved.copies if self.saved is not None else ()
        if copies:
            left = frozenset(remaining)
            pairs = zip(copies[::2], copies[1::2], strict=True)
            kept = {was: copy for copy, was in pairs if copy in left and was not in left} | dict(kept)
        if not kept:
            return self
        deck = self.deck and join_copies(self.deck, kept)
        order = self.order and _with_copies(self.order, kept)
        before = self.before
        if isinstance(before, SavedDeck):
            before = before._replace(deck=join_copies(before.deck, kept))
        elif before is not None:
            before = _with_copies(before, kept)
        replaced = frozenset(order.tracks if order else ()).difference(
            self.order.tracks if self.order else ()
        )
        return self._replace(order=order, deck=deck, before=before, replaced=len(replaced))


def _with_copies(order: SavedOrder, kept: Mapping[int, int]) -> SavedOrder:
    tracks, listed = order.tracks[:], set(order.tracks)
    for position, track in enumerate(order.tracks):
        best = kept.get(track)
        if best is not None and best not in listed:
            listed.add(best)
            tracks[position] = best
    now = dict(zip(order.tracks, tracks, strict=True))
    return order._replace(tracks=tracks, absent=frozenset(now.get(track, track) for track in order.absent))


def load_record(
    opened: OpenLibrary, file: PlaylistFile | None, tracks: Tracks, request: Request, now: datetime
) -> Record:
    """Load the record of a playlist: its deck if the request has deals, otherwise its order.

    Raises:
        PlayshuffleError: the file is from another program, or is the list to deal from.
    """
    if file is None:
        return Record()
    saved = {
        age: record.translated(tracks.indices_of)
        for age, record in records.load(opened.state, file.path).items()
    }
    is_ours = request.options.force or file.has_mark()
    if not (is_ours or file.fingerprint() in [record.content for record in saved.values()]):
        raise not_ours(request.output or file.path)
    if request.deal is not None and file.is_file(request.source_file):
        raise PlayshuffleError(
            "A deal into the list that --from names would leave only the dealt tracks in it."
            " Choose another file with -o."
        )
    if request.deal is not None:
        return _deck_record(opened.state, saved, file, tracks, request, now)
    lost, forgotten = _lost_and_forgotten(opened, saved.values(), int(now.timestamp()))
    return _order_record(saved, file, tracks, lost)._replace(forgotten=forgotten)


def _lost_and_forgotten(
    opened: OpenLibrary, saved: Iterable[SavedRecord], now_s: int
) -> tuple[frozenset[int], frozenset[int]]:
    if all(min(record.tracks, default=0) >= 0 for record in saved if isinstance(record, SavedOrder)):
        return frozenset(), frozenset()
    table = opened.whole_table()
    lost = table.lost_numbers()
    forgotten = lost | table.vanished_long_ago(now_s)
    return frozenset(~number for number in lost), frozenset(~number for number in forgotten)


def _order_record(
    saved: Mapping[int, SavedRecord], file: PlaylistFile, tracks: Tracks, lost: frozenset[int]
) -> Record:
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
        order = _found_again(in_file, file, tracks, lost)
    return Record(order, saved=in_file, before=before)


def _found_again(order: SavedOrder, file: PlaylistFile, tracks: Tracks, lost: frozenset[int]) -> SavedOrder:
    if not lost or lost.isdisjoint(order.tracks):
        return order
    had = frozenset(order.tracks)
    new = {path: index for index, path in enumerate(tracks.paths) if index not in had}
    written = zip(order.present_then, file.entries(), strict=False)
    now = {old: new[path] for old, path in written if old in lost and path in new}
    return order._replace(tracks=array("i", [now.get(track, track) for track in order.tracks]))


def _order_in_file(file: PlaylistFile, tracks: Tracks) -> SavedOrder | None:
    in_file = _tracks_in_file(file, tracks)
    return SavedOrder(array("i", in_file), frozenset(), len(in_file), 0, "", b"") if in_file else None


def _tracks_in_file(file: PlaylistFile, tracks: Tracks) -> list[int]:
    entries = file.entries()
    index_of = {path: index for index, path in enumerate(tracks.paths if entries else ())}
    return list(dict.fromkeys(index_of[path] for path in entries if path in index_of))


def _deck_record(
    state: State,
    saved: Mapping[int, SavedRecord],
    file: PlaylistFile,
    tracks: Tracks,
    request: Request,
    now: datetime,
) -> Record:
    """Return a record with the newest saved deck; without one, with a deck from the file.

    If the request writes, a pending deal that the file has is marked as written.
    """
    assert request.deal is not None
    newest, before = saved.get(LAST), saved.get(BEFORE)
    stored = next((record for record in saved.values() if isinstance(record, SavedDeck)), None)
    deck = stored.deck if stored is not None else _deck_in_file(file, tracks)
    is_pending = request.writes and deck.deal is not None and deck.deal.is_pending
    if stored is not None and is_pending and stored is newest and file.fingerprint() == stored.content:
        newest = confirm(state, file.path, tracks, stored)
        deck = newest.deck
    contents = {record.content for record in saved.values()}
    deck, has_other, notes = count_others(deck, file, tracks, contents, request.deal.every, now)
    return Record(deck=deck, saved=newest, before=before, notes=tuple(notes), has_other=has_other)


def save_record(
    state: State,
    playlist: bytes,
    tracks: Tracks,
    record: SavedRecord,
    in_file: SavedRecord | None = None,
    before: SavedRecord | None = None,
) -> None:
    """Save the record of a playlist as `records.save` does, with numbers in place of indices."""
    numbered = [each and each.translated(tracks.numbers_of) for each in (in_file, before)]
    records.save(state, playlist, record.translated(tracks.numbers_of), *numbered)


def confirm(state: State, playlist: bytes, tracks: Tracks, pending: SavedDeck) -> SavedDeck:
    """Save a deck with its pending deal marked as written; return this deck."""
    written = pending._replace(deck=mark_written(pending.deck))
    save_record(state, playlist, tracks, written)
    return written


def _deck_in_file(file: PlaylistFile, tracks: Tracks) -> Deck:
    if "ORDER" not in file.comments():  # not written by playshuffle
        return Deck()
    dealt = tuple(_tracks_in_file(file, tracks))
    return Deck(dealt=dealt, round=1 if dealt else 0)
