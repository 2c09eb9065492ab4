"""Define decks: the dealt and upcoming tracks of a round, and the last deal."""

from collections.abc import Callable, Collection, Container, Iterable
from datetime import date
from typing import Any, NamedTuple, Self

from playshuffle.dealing.period import Every

PARTS = ("dealt", "upcoming", "missing", "removed", "tail", "unheard")  # fields with tracks


class Deal(NamedTuple):
    """The tracks of the last deal.

    Attributes:
        entries: empty if the first deal was undone.
        of: approximate number of deals in the round.
        is_pending: the deal may not have reached the file.
        every: how often deals were due when this deal was made.
        of_next: number of entries at the end that belong to the next round.
        is_fed: a player gets the tracks one by one, so the unheard ones are still to be played.
    """

    period: date
    entries: tuple[int, ...]
    round: int
    number: int
    of: int
    is_pending: bool = True
    every: Every = Every.DAY
    of_next: int = 0
    is_fed: bool = False

    def only(self, tracks: Container[int]) -> Self:
        kept = [track in tracks for track in self.entries]
        entries = tuple(track for track, is_kept in zip(self.entries, kept, strict=True) if is_kept)
        return self._replace(entries=entries, of_next=sum(kept[len(kept) - self.of_next :]))


class Deck(NamedTuple):
    """The state of one dealt playlist.

    Attributes:
        dealt: tracks dealt in this round, the last one at the end.
        upcoming: present tracks still to be dealt in this round, in this order.
        missing: tracks on a missing drive, still to be dealt in this round.
        removed: tracks in `dealt` that no longer exist.
        tail: tracks dealt just before this round, the last one at the end.
        round: number of this round, from 1; 0 if none has begun.
        is_ended: the round was ended early; until the next deal, `upcoming` has all tracks.
        unheard: dealt tracks without a known play, each once for every deal that had it. Tracks that are not
            in `dealt` are from the previous round.
        heard_from_s: plays since this Unix time (s) count for this round; 0 if plays do not count.
    """

    dealt: tuple[int, ...] = ()
    upcoming: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    tail: tuple[int, ...] = ()
    round: int = 0
    since: date = date.min
    number: int = 0
    deals_left: int = 0
    order_name: str = ""
    deal: Deal | None = None
    is_ended: bool = False
    unheard: tuple[int, ...] = ()
    heard_from_s: int = 0

    @property
    def has_deal(self) -> bool:
        """Whether the last deal exists and was not undone."""
        return self.deal is not None and bool(self.deal.entries)

    @property
    def is_fed(self) -> bool:
        return self.deal is not None and self.deal.is_fed

    @property
    def track_count(self) -> int:
        """Number of tracks, including those on missing drives."""
        return len(self.dealt) - len(self.removed) + self.undealt_count

    @property
    def undealt_count(self) -> int:
        return len(self.upcoming) + len(self.missing)

    @property
    def heard_count(self) -> int:
        """Number of tracks of this round that were heard, or count as heard."""
        return len(frozenset(self.dealt).difference(self.removed, self.unheard))

    @property
    def is_unheard(self) -> bool:
        """Whether no track of the last deal was heard, so that no new deal is due."""
        entries = self.deal.entries if self.deal is not None else ()
        return self.has_deal and frozenset(self.unheard).issuperset(entries)

    def with_dealt(self, tracks: Iterable[int]) -> Self:
        dealt = (*self.dealt, *tracks)
        in_dealt = frozenset(dealt)
        upcoming, missing = (
            tuple(track for track in part if track not in in_dealt) for part in (self.upcoming, self.missing)
        )
        return self._replace(dealt=dealt, upcoming=upcoming, missing=missing)

    @property
    def tracks(self) -> frozenset[int]:
        """All tracks, including those on missing drives."""
        return frozenset(self.dealt).difference(self.removed).union(self.upcoming, self.missing)


def translated(deck: Deck, translate: Callable[[Collection[int]], Iterable[int]]) -> Deck:
    """Return the deck with numbers in place of indices, or the reverse."""
    parts: dict[str, Any] = {part: tuple(translate(getattr(deck, part))) for part in PARTS}
    if deck.deal is not None:
        parts["deal"] = deck.deal._replace(entries=tuple(translate(deck.deal.entries)))
    return deck._replace(**parts)


def mark_written(deck: Deck) -> Deck:
    """Return the deck with its deal no longer pending."""
    return deck if deck.deal is None else deck._replace(deal=deck.deal._replace(is_pending=False))
