"""Load the deck of a playlist, with the names that its tracks have now."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from playshuffle.dealing.copies import join_copies
from playshuffle.dealing.deck import Deck, mark_written, rename_tracks, with_replaced
from playshuffle.library.identity import Identity, identify
from playshuffle.library.tracks import Tracks
from playshuffle.library.walk import Changes
from playshuffle.pipeline.target import Target
from playshuffle.store import decks
from playshuffle.store.state import State


@dataclass(frozen=True, slots=True)
class DeckHistory:
    """The deck of a playlist, now and before its last deal.

    deck: with the names that its tracks have now. stored: the same as it was remembered, None if
        it was not. before: as it was before its last deal. identity: which of the present tracks
        each stored one is. marks: of the stored tracks, by the names that they have now.
    """

    deck: Deck
    stored: decks.StoredDeck | None
    before: decks.StoredDeck | None
    identity: Identity | None = None
    marks: Mapping[bytes, bytes] = field(default_factory=dict)

    def with_copies(self, kept: Mapping[bytes, bytes]) -> Self:
        """Return the history with each omitted copy replaced by the copy that is kept."""
        if not kept:
            return self
        before = self.before and self.before._replace(deck=join_copies(self.before.deck, kept))
        return replace(self, deck=join_copies(self.deck, kept), before=before)

    def confirmed(self, state: State, target: Target) -> Self:
        """Return the history with a pending deal marked as dealt, if it did reach the file."""
        deck, stored = self.deck, self.stored
        if stored is None or deck.deal is None or not deck.deal.is_pending:
            return self
        if target.content != stored.content:
            return self
        decks.confirm(state, target.path)
        return replace(self, deck=mark_written(deck), stored=stored._replace(deck=mark_written(stored.deck)))


def load_history(
    state: State, target: Target, tracks: Tracks, changes: Changes, *, is_whole: bool = True
) -> DeckHistory:
    """Load the deck of a playlist; without one, make it from the file, if that is ours.

    is_whole: no root is missing.
    """
    stored, before = (decks.load(state, target.path, age) for age in (0, 1))
    if stored is None:
        return DeckHistory(_deck_from_file(target), None, before)
    identity = identify(stored.remembered(), tracks.paths, tracks.marks, changes.moved, is_whole=is_whole)
    # Tracks that only the deck before has get new names, too, if renamed ones have their paths.
    known = (before.mark_by_path() if before is not None else {}) | stored.mark_by_path()
    names = _new_names(stored, known.keys(), tracks.paths, identity)
    marks = {names.get(path, path): mark for path, mark in known.items()}
    if before is not None:
        before = before._replace(deck=rename_tracks(before.deck, names))
    return DeckHistory(rename_tracks(stored.deck, names), stored, before, identity, marks)


def _new_names(
    stored: decks.StoredDeck, known_paths: Collection[bytes], paths: Sequence[bytes], identity: Identity
) -> dict[bytes, bytes]:
    """Map the old path of each renamed track of a deck to its present path."""
    names = {
        old: paths[index]
        for old, index in zip(stored.paths, identity.now, strict=True)
        if index is not None and paths[index] != old
    }
    present = frozenset(paths)
    lost = (old for old, index in zip(stored.paths, identity.now, strict=True) if index is None)
    return with_replaced(names, known_paths, [path for path in lost if path in present])


def _deck_from_file(target: Target) -> Deck:
    """Return a deck of which nothing is known but its file: all tracks in it were dealt."""
    if target.order is None:  # not written by us
        return Deck()
    dealt = tuple(target.last_paths)
    return Deck(dealt=dealt, removed=dealt, round=1 if dealt else 0)
