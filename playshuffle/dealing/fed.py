"""Deal to a player that gets the tracks of a deck one by one: what it is done with, and what comes again."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from playshuffle.dealing.deck import Deck


class Outcome(StrEnum):
    """What became of a track of a deal.

    PLAYED: it counts as played.
    SKIPPED: it comes again, as often as the patience of the deck allows.
    REMOVED: it counts as not dealt.
    REFUSED: the player does not know it, so it waits until the player does.
    """

    PLAYED = "played"
    SKIPPED = "skipped"
    REMOVED = "removed"
    REFUSED = "refused"


class Fed(NamedTuple):
    """A deal to a player.

    Attributes:
        heard: number of tracks of the round that were played before it.
        tracks: number of tracks of the round.
        counts_plays: a skipped track comes again.
        paths: without links to folders.
    """

    round: int = 0
    number: int = 0
    heard: int = 0
    tracks: int = 0
    counts_plays: bool = False
    paths: Sequence[str] = ()


class Passed(NamedTuple):
    """What a player has done with the tracks of a deal.

    Attributes:
        deal: round and number of the deal.
        outcomes: by path, without links to folders.
    """

    deal: tuple[int, int] = (0, 0)
    outcomes: Mapping[bytes, Outcome] = {}


NOTHING_PASSED = Passed()


def give_back(deck: Deck, tracks: Collection[int]) -> Deck:
    """Return the deck as if these tracks were not dealt: `update_deck` inserts them like new ones."""
    left = deck.tracks.difference(tracks)
    dealt, unheard = (
        tuple(track for track in part if track not in tracks) for part in (deck.dealt, deck.unheard)
    )
    deal = None if deck.deal is None else deck.deal.only(left)
    return deck._replace(dealt=dealt, unheard=unheard, deal=deal)


def put_off(deck: Deck, tracks: Collection[int], patience: float) -> Deck:
    """Return the deck with unheard tracks at the end of the next deal, or as done after `patience` deals."""
    deals = Counter(deck.unheard)
    late = [track for track in tracks if 0 < deals[track] < patience]
    waiting = [track for track in deck.unheard if track not in tracks]
    return deck._replace(unheard=(*waiting, *(track for track in late for _ in range(deals[track] + 1))))
