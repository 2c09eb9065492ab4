"""In decks that count plays, deal unheard tracks again until the round is over.

A track is done when it was played or skipped, or after as many deals as the patience allows. A play counts
for one round only. Tracks that are unheard at the end of a round come again in the next one.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from playshuffle.dealing.amount import PATIENCE
from playshuffle.dealing.deck import Deck
from playshuffle.text import counted


def mark_heard(deck: Deck, heard: Collection[int]) -> Deck:
    """Return the deck with all heard tracks as done, even tracks not dealt.

    `heard` are tracks played or skipped since `deck.heard_from_s`.
    """
    done = frozenset(heard).difference(deck.dealt, _of_last_round(deck))
    unheard = tuple(track for track in deck.unheard if track not in heard)
    return deck.with_dealt(sorted(done))._replace(unheard=unheard)


def tracks_again(deck: Deck, patience: float = PATIENCE) -> Sequence[int]:
    """Return the unheard tracks to deal again: each was in fewer than `patience` deals so far."""
    return [track for track, deals in Counter(deck.unheard).items() if deals < patience]


def count_deal(before: Deck, after: Deck, now_s: int, patience: float = PATIENCE) -> Deck:
    """Return the deck after a deal, with the tracks of this deal as unheard.

    Args:
        now_s: time of the deal (Unix seconds).
        patience: number of deals in which an unheard track comes; if infinite, deals are not counted.
    """
    assert after.deal is not None
    deals, tracks = Counter(before.unheard), after.tracks
    # A track that stayed for all its deals no longer waits once its round is over.
    waiting = frozenset(before.dealt if after.round == before.round else ())
    kept = [
        track for track in before.unheard if track in tracks and (deals[track] < patience or track in waiting)
    ]
    unheard = (*kept, *after.deal.entries)
    # Plays of the previous round's tracks have counted for that round.
    is_new = after.round != before.round or bool(_of_last_round(before))
    return after._replace(
        unheard=tuple(dict.fromkeys(unheard)) if patience == math.inf else unheard,
        heard_from_s=now_s if is_new else before.heard_from_s,
    )


def why_dealt(deck: Deck, patience: float = PATIENCE) -> Iterator[tuple[int, str]]:
    """Yield each dealt track of this round, and why it is not upcoming."""
    deals = Counter(deck.unheard)
    done = "heard in this round" if deck.heard_from_s else "dealt before, in this round"
    for track in deck.dealt:
        text = f"dealt {counted(deals[track], 'time')}"
        text = "not heard yet, so it comes in the next deal" if deals[track] < patience else text
        yield track, f"dealt before, in this round; {text}" if deals[track] else done


def _of_last_round(deck: Deck) -> frozenset[int]:
    """Return tracks of the previous round that were in the last deal, or are still unheard."""
    entries = deck.deal.entries if deck.deal is not None else ()
    return frozenset(deck.unheard).union(entries).difference(deck.dealt)
