"""Load the record of a deck."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from playshuffle.dealing.copies import join_copies
from playshuffle.dealing.deck import Deck, mark_written
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.target import Target
from playshuffle.store import decks


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

    def with_copies(self, kept: Mapping[int, int]) -> Self:
        """Return the record with each omitted copy replaced by the copy that is kept."""
        if not kept:
            return self
        before = self.before and self.before._replace(deck=join_copies(self.before.deck, kept))
        return replace(self, deck=join_copies(self.deck, kept), before=before)

    def confirmed(self, target: Target) -> Self:
        """Return the record with a pending deal marked as dealt, if it did reach the file."""
        deck, stored = self.deck, self.stored
        if stored is None or deck.deal is None or not deck.deal.is_pending:
            return self
        if target.content != stored.content:
            return self
        decks.confirm(target.state, target.path)
        return replace(self, deck=mark_written(deck), stored=stored._replace(deck=mark_written(stored.deck)))


def load_deck(target: Target, tracks: Tracks) -> DeckRecord:
    """Load the deck of a playlist; without one, make it from the file, if that is ours."""
    stored, before = (decks.load(target.state, target.path, age) for age in (0, 1))
    if stored is not None:
        return DeckRecord(stored.deck, stored, before)
    return DeckRecord(_deck_in_file(target, tracks), None, before)


def _deck_in_file(target: Target, tracks: Tracks) -> Deck:
    """Return a deck of which nothing is known but its file: all tracks in it were dealt."""
    if target.order is None:  # not written by us
        return Deck()
    number_of = dict(zip(tracks.paths, tracks.numbers, strict=True))
    dealt = tuple(number_of[path] for path in target.entries() if path in number_of)
    return Deck(dealt=dealt, round=1 if dealt else 0)
