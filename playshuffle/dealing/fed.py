"""Deal to a player that gets the tracks of a deck one by one: what it is done with, and what comes again."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from playshuffle.dealing.deck import Deck


class Passed(NamedTuple):
    """Paths, without links to folders, of the tracks of a deal that a player is done with.

    Attributes:
        deal: round and number of that deal.
        played: they count as played.
        skipped: they come again, as often as the patience of the deck allows.
        removed: they count as not dealt.
        refused: the player does not know them; they wait until it does.
    """

    deal: tuple[int, int] = (0, 0)
    played: Sequence[bytes] = ()
    skipped: Sequence[bytes] = ()
    removed: Sequence[bytes] = ()
    refused: Sequence[bytes] = ()


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
