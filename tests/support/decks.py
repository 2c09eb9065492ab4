"""Define simple orders for decks of any tracks, without tags."""

# ruff: noqa: ARG002 - a simple order ignores some arguments

from collections.abc import Mapping, Sequence
from datetime import date

from playshuffle.dealing.deck import Deck
from playshuffle.dealing.next_deal import DealRules, next_deal, update_deck
from playshuffle.dealing.rounds import Rounds
from playshuffle.dealing.sizes import Size
from playshuffle.shuffle import RandBelow, insert, not_before


class Uniform(Rounds):
    """The uniform order, with a gap."""

    def __init__(self, randbelow: RandBelow, gap: int | None = None) -> None:
        self.name = "random"
        self.keeps_gap = True
        self._randbelow = randbelow
        self._gap = gap

    def gap(self, tracks: int) -> int:
        return min(tracks // 4, 280) if self._gap is None else self._gap

    def arrange(
        self, tracks: Sequence[int], soonest: Mapping[int, int], _before: int | None = None
    ) -> list[int]:
        number = {track: at for at, track in enumerate(tracks)}
        firsts = {number[track]: place for track, place in soonest.items()}
        return [tracks[at] for at in not_before(range(len(tracks)), firsts, self._randbelow)]

    def insert_new(self, upcoming: Sequence[int], new: Sequence[int], before: int | None) -> list[int]:
        tracks = [*upcoming, *new]
        count = len(upcoming)
        return [tracks[at] for at in insert(range(count), range(count, len(tracks)), self._randbelow)]


class Sorted(Rounds):
    """The natural order: nothing is random, and it keeps no gap."""

    def __init__(self) -> None:
        self.name = "sorted"
        self.keeps_gap = False

    def gap(self, tracks: int) -> int:
        return 0

    def arrange(
        self, tracks: Sequence[int], soonest: Mapping[int, int], _before: int | None = None
    ) -> list[int]:
        return sorted(tracks)

    def insert_new(self, upcoming: Sequence[int], new: Sequence[int], before: int | None) -> list[int]:
        return sorted([*upcoming, *new])


def deal_next(
    deck: Deck,
    present: Sequence[int],
    order: Rounds,
    size: Size,
    period: date,
    waiting: Sequence[int] = (),
) -> Deck:
    """Return the deck, updated with these tracks, after its next deal."""
    rules = DealRules(present, order, size, waiting=waiting)
    return next_deal(update_deck(deck, rules), rules, period)


def tracks(count: int, first: int = 1) -> list[int]:
    """Return the numbers of some tracks, in order."""
    return list(range(first, first + count))


def check(deck: Deck) -> None:
    """Check that no track is in a round of the deck twice, and that removed tracks had been dealt."""
    tracks = deck.dealt + deck.upcoming + deck.missing
    assert len(frozenset(tracks)) == len(tracks), "a track is in the round twice"
    assert frozenset(deck.removed) <= frozenset(deck.dealt), "a track was removed that was not dealt"
