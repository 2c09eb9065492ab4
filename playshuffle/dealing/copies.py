"""Count all copies of a recording as one track of a deck."""

from collections.abc import Iterable, Iterator, Mapping

from playshuffle.dealing.deck import Deck


def join_copies(deck: Deck, kept: Mapping[int, int]) -> Deck:
    """Return the deck with the kept copy of each recording in place of its other copies.

    If any copy was dealt in this round, the kept copy counts as dealt. Otherwise it has the position of the
    first upcoming copy. `kept` maps omitted copies to kept ones.
    """
    before = frozenset(deck.dealt)
    # A dealt copy stays, so that it is not dealt if it stops being a copy.
    pairs = ((track, kept.get(track, track)) for track in deck.dealt)
    dealt = dict.fromkeys(
        track for pair in pairs for track in pair if track == pair[0] or track not in before
    )
    in_dealt = frozenset(dealt)
    upcoming = [track for track in _joined(deck.upcoming, kept) if track not in in_dealt]
    elsewhere = in_dealt.union(upcoming)
    deal = deck.deal
    if deal is not None:
        deal = deal._replace(entries=tuple(_joined(deal.entries, kept)))
    return deck._replace(
        dealt=tuple(dealt),
        upcoming=tuple(upcoming),
        missing=tuple(track for track in deck.missing if track not in elsewhere),
        tail=tuple(_joined(deck.tail, kept)),
        unheard=tuple(kept.get(track, track) for track in deck.unheard),
        deal=deal,
    )


def _joined(tracks: Iterable[int], kept: Mapping[int, int]) -> Iterator[int]:
    return iter(dict.fromkeys(kept.get(track, track) for track in tracks))
