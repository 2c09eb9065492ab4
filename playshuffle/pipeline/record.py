"""Load and save the record of a playlist: its last order, or its deck.

The state stores lasting numbers of tracks. A run uses indices, and `~number` for an absent track. Only the
record that the run continues is translated: large lists have several.
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
from playshuffle.store.records import LAST, SavedDeck, SavedOrder, SavedRecord
from playshuffle.store.state import State


class Record(NamedTuple):
    """The last order or the deck of a playlist, from the state or from its file.

    Attributes:
        now: the time of this run, in local time.
        order: None without a last order, and for a deck.
        saved: the record that fits the content of the file, otherwise the newest.
        kept: each omitted copy of a recording, and the copy that replaces it.
        replaced: number of tracks that took the position of an omitted copy.
        forgotten: tracks absent for so long that they lose their positions.
        has_other: the file has another computer's deal of this period.
    """

    now: datetime
    order: SavedOrder | None = None
    deck: Deck | None = None
    saved: SavedRecord | None = None
    kept: Mapping[int, int] = {}
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
        record = self._replace(kept=kept)
        if self.order is not None:
            order = _with_copies(self.order, kept)
            replaced = frozenset(order.tracks).difference(self.order.tracks)
            record = record._replace(order=order, replaced=len(replaced))
        if self.deck is not None:
            record = record._replace(deck=join_copies(self.deck, kept))
        return record

    def with_same_copies(self, other: SavedRecord) -> SavedRecord:
        """Return another record of the playlist, in which each omitted copy is replaced by the kept one."""
        if not self.kept:
            return other
        if isinstance(other, SavedDeck):
            return other._replace(deck=join_copies(other.deck, self.kept))
        return _with_copies(other, self.kept)


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
    opened: OpenLibrary,
    file: PlaylistFile | None,
    tracks: Tracks,
    request: Request,
    now: datetime,
) -> Record:
    """Load the record of a playlist: its deck if the request has deals, otherwise its order.

    Raises:
        PlayshuffleError: the file is from another program, or is the list to deal from.
    """
    if file is None:
        return Record(now)
    stored = records.load(opened.state, file.path)
    is_ours = request.options.force or file.has_mark()
    if not (is_ours or file.fingerprint() in [record.content for record in stored.values()]):
        raise not_ours(request.output or file.path)
    if request.deal is not None and file.is_file(request.source_file):
        raise PlayshuffleError(
            "A deal into the list that --from names would leave only the dealt tracks in it."
            " Choose another file with -o."
        )
    if request.deal is not None:
        return _deck_record(opened.state, stored, file, tracks, request, now)
    return _order_record(opened, stored, file, tracks, now)


def _order_record(
    opened: OpenLibrary, stored: Mapping[int, SavedRecord], file: PlaylistFile, tracks: Tracks, now: datetime
) -> Record:
    in_state = next((record for record in stored.values() if isinstance(record, SavedOrder)), None)
    notes: tuple[Note, ...] = ()
    if in_state is None or not file.exists:
        in_file = stored.get(LAST)
    else:
        in_file, notes = _in_file(stored, in_state, file)
    saved = None if in_file is None else in_file.translated(tracks.indices_of)
    if in_state is None:
        return Record(now, _order_in_file(file, tracks), saved=saved)
    order = saved if isinstance(saved, SavedOrder) else in_state.translated(tracks.indices_of)
    forgotten: frozenset[int] = frozenset()
    if min(order.tracks, default=0) < 0:
        table = opened.whole_table()
        lost = table.lost_numbers()
        forgotten = _absent(lost | table.vanished_long_ago(int(now.timestamp())))
        if isinstance(saved, SavedOrder) and not notes:
            order = _found_again(order, file, tracks, _absent(lost))
    return Record(now, order, saved=saved, notes=notes, forgotten=forgotten)


def _absent(numbers: Iterable[int]) -> frozenset[int]:
    return frozenset(~number for number in numbers)


def _in_file(
    stored: Mapping[int, SavedRecord], order: SavedOrder, file: PlaylistFile
) -> tuple[SavedRecord | None, tuple[Note, ...]]:
    """Return the record that the file has; the newest, with a note, if another program changed the file."""
    # A large playlist is not read if nobody has written to it since.
    if file.stamp() == order.stamp:
        return order, ()
    content = file.fingerprint()
    fitting = next((record for record in stored.values() if record.content == content), None)
    if fitting is not None:
        return fitting, ()
    text = f"Another program changed {shown(file.path)}."
    text += " It is replaced, and its last order is the saved one."
    return stored.get(LAST), (Note("changed_by_another", text),)


def _found_again(order: SavedOrder, file: PlaylistFile, tracks: Tracks, lost: frozenset[int]) -> SavedOrder:
    if lost.isdisjoint(order.tracks):
        return order
    had = frozenset(order.tracks)
    new = {path: index for index, path in enumerate(tracks.paths) if index not in had}
    written = zip(order.present_then, file.entries(), strict=False)
    now = {old: new[path] for old, path in written if old in lost and path in new}
    return order._replace(tracks=array("i", [now.get(track, track) for track in order.tracks]))


def _order_in_file(file: PlaylistFile, tracks: Tracks) -> SavedOrder | None:
    in_file = tracks.indices_at(file.entries())
    return SavedOrder(array("i", in_file), frozenset(), len(in_file), 0, "", b"") if in_file else None


def _deck_record(
    state: State,
    stored: Mapping[int, SavedRecord],
    file: PlaylistFile,
    tracks: Tracks,
    request: Request,
    now: datetime,
) -> Record:
    """Return a record with the newest saved deck; without one, with a deck from the file.

    If the request writes, a pending deal that the file has is marked as written.
    """
    assert request.deal is not None
    last = stored.get(LAST)
    if (
        request.writes
        and isinstance(last, SavedDeck)
        and last.deck.deal is not None
        and last.deck.deal.is_pending
        and file.fingerprint() == last.content
    ):
        last = confirm(state, file.path, last)
    saved = None if last is None else last.translated(tracks.indices_of)
    newest = saved
    if not isinstance(newest, SavedDeck):
        decks = (record for record in stored.values() if isinstance(record, SavedDeck))
        newest = next((deck.translated(tracks.indices_of) for deck in decks), None)
    deck = _deck_in_file(file, tracks) if newest is None else newest.deck
    contents = {record.content for record in stored.values()}
    deck, has_other, notes = count_others(deck, file, tracks, contents, request.deal.every, now)
    return Record(now, deck=deck, saved=saved, notes=tuple(notes), has_other=has_other)


def confirm(state: State, playlist: bytes, pending: SavedDeck) -> SavedDeck:
    """Save a deck with its pending deal marked as written; return it. Both have numbers, not indices."""
    written = pending._replace(deck=mark_written(pending.deck))
    records.save(state, playlist, written)
    return written


def _deck_in_file(file: PlaylistFile, tracks: Tracks) -> Deck:
    if "ORDER" not in file.comments():  # not written by playshuffle
        return Deck()
    dealt = tuple(tracks.indices_at(file.entries()))
    return Deck(dealt=dealt, round=1 if dealt else 0)
