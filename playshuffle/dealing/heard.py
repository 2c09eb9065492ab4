"""End a round when its tracks were heard: deal tracks again that were dealt but not heard.

A track is done when it was played or skipped, or after three deals. The last deal of a round is filled from
the next round, so its unheard tracks return during that round. A play counts for one round.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from playshuffle.dealing.deck import Deck

_MOST_DEALS = 3  # deals of a track in a round


def mark_heard(deck: Deck, heard: Collection[int]) -> Deck:
    """Return the deck with tracks marked as done, dealt or not.

    `heard` are tracks that were played or skipped since `deck.heard_from_s`.
    """
    done = frozenset(heard).difference(deck.dealt, _of_last_round(deck))
    return deck._replace(
        dealt=(*deck.dealt, *sorted(done)),
        upcoming=tuple(track for track in deck.upcoming if track not in done),
        missing=tuple(track for track in deck.missing if track not in done),
        unheard=tuple(track for track in deck.unheard if track not in heard),
    )


def tracks_again(deck: Deck) -> Sequence[int]:
    """Return the tracks that come first in the next deal, since nobody heard them."""
    return [track for track, deals in Counter(deck.unheard).items() if deals < _MOST_DEALS]


def count_deal(before: Deck, after: Deck, now_s: int) -> Deck:
    """Return the deck after a deal, with the new deal's tracks unheard.

    Args:
        before: the deck before the deal, marked.
        after: the deck after it.
        now_s: time of the deal (Unix seconds).
    """
    assert after.deal is not None
    deals, known = Counter(before.unheard), after.tracks
    # A track that was dealt three times no longer waits once its round is over.
    waiting = frozenset(before.dealt if after.round == before.round else ())
    kept = [
        track
        for track in before.unheard
        if track in known and (deals[track] < _MOST_DEALS or track in waiting)
    ]
    # Plays of the previous round's tracks have counted for that round.
    is_new = after.round != before.round or bool(_of_last_round(before))
    return after._replace(
        unheard=(*kept, *after.deal.entries),
        heard_from_s=now_s if is_new else before.heard_from_s,
    )


def why_dealt(deck: Deck) -> Iterator[tuple[int, str]]:
    """Yield the tracks of this round that are not upcoming, and why."""
    again, unheard = frozenset(tracks_again(deck)), frozenset(deck.unheard)
    done = "heard in this round" if deck.heard_from_s else "dealt before, in this round"
    for track in deck.dealt:
        text = "not heard yet, so it comes in the next deal" if track in again else "dealt three times"
        yield track, f"dealt before, in this round; {text}" if track in unheard else done


def _of_last_round(deck: Deck) -> frozenset[int]:
    """Return tracks of the previous round that were in the last deal, or were not heard yet."""
    entries = deck.deal.entries if deck.deal is not None else ()
    return frozenset(deck.unheard).union(entries).difference(deck.dealt)
