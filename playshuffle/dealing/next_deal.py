"""Deal the next tracks of a deck, and begin new rounds.

Missing tracks are not dealt. A missing track that was dealt in this round is not dealt again in it
when it is back. One that was not dealt comes back at a random position.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Protocol

from playshuffle.dealing.deck import TAIL, Deal, Deck
from playshuffle.dealing.period import Every, is_new_period
from playshuffle.dealing.sizes import Size


class RoundOrder(Protocol):
    """How the rounds of a deck are ordered.

    Attributes:
        name: identifies the order; a deck is ordered again when the name changes.
        keeps_gap: whether the gap holds for each track, or only as far as a few attempts allow.
    """

    name: str
    keeps_gap: bool

    def gap(self, tracks: int) -> int:
        """Return the minimum number of plays before a track repeats, in a library of that size."""

    def arrange(self, tracks: Sequence[int], soonest: Mapping[int, int]) -> list[int]:
        """Order tracks, given in their last order; `soonest` maps some to their first allowed position."""

    def insert_new(self, upcoming: Sequence[int], new: Sequence[int], before: int | None) -> list[int]:
        """Insert new tracks into the upcoming ones; `before` was dealt last."""


def next_deal(
    deck: Deck,
    present: Sequence[int],
    order: RoundOrder,
    size: Size,
    period: date,
    *,
    is_whole: bool = True,
    today: date | None = None,
    resting: Collection[int] = (),
    again: Sequence[int] = (),
    is_now: bool = False,
) -> Deck:
    """Deal the next tracks of the round; at its end, fill the deal up from the next round.

    A round does not end while a drive is missing, because what was dealt from it would be
    forgotten. The deal then has as many of the present tracks as there are.

    No track comes twice in one deal, so a deal is never larger than the library. If the order keeps
    the gap, and no track was removed since the last round, then the next round is uniform over all
    orders with the gap and without a track that is in this deal already. If tracks were removed,
    those that would come too soon are postponed.

    Args:
        deck: as stored; `Deck()` if there is none.
        present: all tracks that can be played now, at least one.
        order: how new rounds are ordered, and where new tracks are inserted.
        size: how large the deal is.
        period: the day on which the period of this deal began.
        is_whole: no drive is missing.
        today: the start of a round that begins now; by default `period`.
        resting: tracks that are dealt after all others of the round, as far as the gap allows.
        again: tracks that were dealt before, and come first.
        is_now: they come first in the deal after this one.

    Raises:
        ValueError: every track that is still to be dealt in this round is missing.

    Cost: O(n), plus that of the order.
    """
    today = period if today is None else today
    deck = update_deck(deck, present, order, is_whole=is_whole)
    if waits_for_missing(deck):
        raise ValueError("all tracks still to be dealt are missing")
    open_deal = size.begin()
    gap = min(order.gap(len(present)), len(present))
    present_set = frozenset(present)
    waiting = [track for track in again if track in present_set]
    again = [] if is_now else list(filter(open_deal.add, waiting))
    deck = replace(deck, dealt=_at_end(deck.dealt, again), tail=_at_end(deck.tail, again))
    if deck.is_ended or not (deck.upcoming or open_deal.is_full()):
        capacity = min(open_deal.capacity(), len(present) - len(again))
        deck = _next_round(deck, present, order, gap, today, again, capacity)
    first_round, number = deck.round, deck.number + 1
    deck = replace(deck, number=number)
    deck, moved, is_full = _fill(deck, open_deal, gap if order.keeps_gap else 0, again, resting)
    entries = [*again, *moved]
    if not is_full and len(entries) < len(present) and not deck.missing:
        capacity = min(open_deal.capacity(), len(present) - len(entries))
        deck = _next_round(deck, present, order, gap, today, entries, capacity)
        deck, rest, _ = _fill(deck, open_deal, gap if order.keeps_gap else 0, entries, resting)
        entries += rest
    left = (*frozenset(waiting).difference(entries), *deck.upcoming, *deck.missing)
    deals_left = open_deal.count_deals(left)
    return replace(
        deck,
        since=today if deck.since == date.min else deck.since,
        deals_left=deals_left,
        deal=Deal(
            period,
            tuple(entries),
            first_round,
            number,
            number + (deals_left if deck.round == first_round else 0),
        ),
    )


def is_due(deck: Deck, every: Every, now: datetime, present: Collection[int]) -> bool:
    """Return whether a new deal is due, instead of writing the last one again.

    A deal that did not reach the file is written first. A deal without any present track is replaced. If
    plays count, a deal of which nothing was heard stays.
    """
    last = deck.deal
    if last is None or not any(track in present for track in last.entries):
        return True
    return not last.is_pending and not deck.is_unheard and is_new_period(every, now, last.period)


def update_deck(deck: Deck, present: Sequence[int], order: RoundOrder, *, is_whole: bool = True) -> Deck:
    """Return the deck with new tracks inserted and missing tracks put aside.

    If its order has changed, all upcoming tracks are ordered again.
    """
    present_set = frozenset(present)
    upcoming = [track for track in deck.upcoming if track in present_set]
    if not deck.is_ended and (deck.dealt or deck.upcoming or deck.missing):
        known_tracks = frozenset(deck.dealt).union(upcoming)
        new = [track for track in present if track not in known_tracks]
        if deck.order != order.name:
            upcoming = order.arrange(upcoming + new, {})
        else:  # also without new tracks: removals and retags can break the guarantee of the order
            before = deck.dealt[-1] if deck.dealt and deck.dealt[-1] in present_set else None
            upcoming = order.insert_new(upcoming, new, before)
    undealt = deck.missing + deck.upcoming
    may_be_removed = deck.dealt if is_whole else deck.removed
    return replace(
        deck,
        upcoming=tuple(upcoming),
        missing=() if is_whole else tuple(track for track in undealt if track not in present_set),
        removed=tuple(track for track in may_be_removed if track not in present_set),
        order=order.name,
    )


def _at_end(tracks: Sequence[int], moved: Sequence[int]) -> tuple[int, ...]:
    """Return tracks with those of some others that are among them at the end."""
    return tuple(sorted(tracks, key=frozenset(moved).__contains__)) if moved else tuple(tracks)


def waits_for_missing(deck: Deck) -> bool:
    """Return whether an updated deck has only missing tracks left to deal."""
    return bool(deck.missing) and not deck.upcoming and not deck.is_ended


def _next_round(
    deck: Deck,
    present: Sequence[int],
    order: RoundOrder,
    gap: int,
    today: date,
    entries: Sequence[int],
    capacity: int,
) -> Deck:
    """Begin a round within a deal that has these entries and gets at most `capacity`."""
    plays = deck.tail + deck.dealt
    present_set, removed = frozenset(present), frozenset(deck.removed)
    played = [track for track in deck.dealt if track in present_set]
    played_set = frozenset(played)
    unplayed = [track for track in present if track not in played_set]
    soonest: dict[int, int] = {}
    for ago, track in enumerate(reversed(plays[-max(gap, len(entries), 1) :]), 1):
        # The deal's own tracks wait for its end; all others for the gap.
        position = max(gap - ago, capacity if ago <= len(entries) else 0)
        if position > 0 and track in present_set:
            soonest.setdefault(track, position)
    lost = tuple(track for track in deck.dealt if track not in present_set and track not in removed)
    return replace(
        deck,
        dealt=(),
        removed=(),
        missing=deck.missing + lost,
        upcoming=tuple(order.arrange(played + unplayed, soonest)),
        tail=plays[-max(gap, TAIL) :],
        round=deck.round + 1,
        since=today,
        number=0,
        is_ended=False,
    )


def _fill(
    deck: Deck, open_deal: Size, gap: int, entries: Collection[int], resting: Collection[int]
) -> tuple[Deck, list[int], bool]:
    """Move upcoming tracks to the deal until it is full or the round is over.

    Returns:
        The deck, the tracks that were moved, and whether the deal is full.
    """
    in_deal = frozenset(entries)
    moved: list[int] = []
    undealt = tuple(sorted(deck.upcoming, key=resting.__contains__))
    is_refused = False
    # Tracks that would come too soon are postponed, but dealt in the end: a round must end.
    played_at = {track: at for at, track in enumerate(deck.tail, -len(deck.tail) - len(deck.dealt))}
    for min_gap in (gap, 0) if gap else (0,):
        postponed: list[int] = []
        if min_gap < gap:
            undealt = tuple(sorted(undealt, key=lambda track: played_at.get(track, -gap)))
        for at, track in enumerate(undealt):
            if track in in_deal or played_at.get(track, -gap) + min_gap > len(moved):
                postponed.append(track)
            elif open_deal.add(track):
                moved.append(track)
            else:  # it comes first in the next deal
                postponed.append(track)
                is_refused = True
                if open_deal.is_full():
                    postponed += undealt[at + 1 :]
                    break
        undealt = tuple(postponed)
        if is_refused or not undealt:
            break
    return (
        replace(deck, dealt=(*deck.dealt, *moved), upcoming=undealt),
        moved,
        is_refused or open_deal.is_full(),
    )
