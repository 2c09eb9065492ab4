"""Deal the next tracks of a deck, and begin new rounds.

Tracks on a missing drive are not dealt. When the drive is back, they are inserted at random positions,
unless they were dealt in this round.
"""

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import NamedTuple

from playshuffle.dealing.deck import Deal, Deck
from playshuffle.dealing.period import Every, is_new_period
from playshuffle.dealing.rounds import Rounds
from playshuffle.dealing.sizes import Size
from playshuffle.ordering.gap import LONGEST

TAIL = LONGEST  # minimum number of plays before the round to remember, for the gap


class DealRules(NamedTuple):
    """How to deal from a deck.

    Attributes:
        present: all tracks that can be played now, at least one.
        resting: tracks to deal last in a round, as far as the gap allows.
        waiting: tracks that can be played when their drive is back.
    """

    present: Sequence[int]
    rounds: Rounds
    size: Size
    resting: Collection[int] = ()
    waiting: Sequence[int] = ()

    @property
    def gap(self) -> int:
        count = len(self.present)
        return min(self.rounds.gap(count), count)


def next_deal(
    deck: Deck,
    rules: DealRules,
    period: date,
    *,
    today: date | None = None,
    again: Sequence[int] = (),
    is_now: bool = False,
) -> Deck:
    """Deal the next tracks of the round; if it ends, fill the deal up from the next round.

    While a drive is missing, the round does not end, so the deal may be smaller. No track comes twice in one
    deal.

    If the order keeps the gap, the next round is uniform over all orders that keep the gap and fill this
    deal with other tracks. If tracks were removed since the last round, tracks that would come too soon are
    postponed.

    Args:
        again: tracks dealt earlier, but not heard, that are dealt again before all others.
        is_now: the user asked for a deal now: it has no tracks of `again`.

    Raises:
        ValueError: every track still to be dealt in this round is missing.
    """
    if waits_for_missing(deck):
        raise ValueError("all tracks still to be dealt are missing")
    today, present, open_deal = today or period, frozenset(rules.present), rules.size.begin()
    waiting = [track for track in again if track in present]
    entries = [] if is_now else list(filter(open_deal.add, waiting))
    deck = deck._replace(dealt=_at_end(deck.dealt, entries), tail=_at_end(deck.tail, entries))
    if deck.is_ended or not (deck.upcoming or open_deal.is_full()):
        deck = _next_round(deck, rules, open_deal, entries, today)
    first_round, number = deck.round, deck.number + 1
    deck, entries, is_full = _fill(deck._replace(number=number), rules, open_deal, entries)
    first_count = len(entries)
    if not is_full and len(entries) < len(present) and not deck.missing:
        deck = _next_round(deck, rules, open_deal, entries, today)
        deck, entries, _ = _fill(deck, rules, open_deal, entries)
    left = (*frozenset(waiting).difference(entries), *deck.upcoming, *deck.missing)
    deals_left = open_deal.count_deals(left)
    about = number + (deals_left if deck.round == first_round else 0)
    return deck._replace(
        since=today if deck.since == date.min else deck.since,
        deals_left=deals_left,
        deal=Deal(period, tuple(entries), first_round, number, about, of_next=len(entries) - first_count),
    )


def is_due(deck: Deck, every: Every, now: datetime, present: Collection[int]) -> bool:
    """Return whether a new deal is due; otherwise the last deal is written again.

    A deal that was saved but not written is written before another. A deal is replaced if none of its tracks
    exists. If the deck counts plays, a deal stays until one of its tracks was heard.
    """
    last = deck.deal
    if last is None or (last.entries and not any(track in present for track in last.entries)):
        return True
    return not last.is_pending and not deck.is_unheard and is_new_period(every, now, last.period)


def update_deck(deck: Deck, rules: DealRules) -> Deck:
    """Return the deck with new tracks inserted, and tracks on missing drives put aside.

    If the order has another name now, all upcoming tracks are ordered again.
    """
    present, rounds = rules.present, rules.rounds
    present_set, waiting_set = frozenset(present), frozenset(rules.waiting)
    staying = present_set | waiting_set
    upcoming = [track for track in deck.upcoming if track in present_set]
    undealt = deck.missing + deck.upcoming
    if not deck.is_ended and (deck.dealt or deck.upcoming or deck.missing):
        known_tracks = frozenset(deck.dealt).union(upcoming)
        new = [track for track in present if track not in known_tracks]
        undealt += tuple(track for track in rules.waiting if track not in known_tracks)
        if deck.order_name != rounds.name:
            upcoming = rounds.arrange(upcoming + new, {})
        else:  # even without new tracks: removals and retags can break the guarantee of the order
            before = deck.dealt[-1] if deck.dealt and deck.dealt[-1] in present_set else None
            upcoming = rounds.insert_new(upcoming, new, before)
    return deck._replace(
        upcoming=tuple(upcoming),
        missing=tuple(track for track in dict.fromkeys(undealt) if track in waiting_set),
        removed=tuple(track for track in deck.dealt if track not in staying),
        order_name=rounds.name,
    )


def _at_end(tracks: Sequence[int], moved: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(tracks, key=frozenset(moved).__contains__)) if moved else tuple(tracks)


def waits_for_missing(deck: Deck) -> bool:
    """Return whether all tracks left to deal are on missing drives."""
    return bool(deck.missing) and not deck.upcoming and not deck.is_ended


def _next_round(deck: Deck, rules: DealRules, open_deal: Size, entries: Sequence[int], today: date) -> Deck:
    present, gap = rules.present, rules.gap
    capacity = min(open_deal.capacity(), len(present) - len(entries))
    plays = deck.tail + deck.dealt
    present_set = frozenset(present)
    played = [track for track in deck.dealt if track in present_set]
    played_set = frozenset(played)
    unplayed = [track for track in present if track not in played_set]
    last = plays[-1] if plays and plays[-1] in present_set else None
    soonest: dict[int, int] = {}
    for ago, track in enumerate(reversed(plays[-max(gap, len(entries), 1) :]), 1):
        # The deal's own tracks wait for its end; all others for the gap.
        position = max(gap - ago, capacity if ago <= len(entries) else 0)
        if position > 0 and track in present_set:
            soonest.setdefault(track, position)
    return deck._replace(
        dealt=(),
        removed=(),
        missing=tuple(dict.fromkeys((*deck.missing, *rules.waiting))),
        upcoming=tuple(rules.rounds.arrange(played + unplayed, soonest, last)),
        tail=plays[-max(gap, TAIL) :],
        round=deck.round + 1,
        since=today,
        number=0,
        is_ended=False,
    )


def _fill(
    deck: Deck, rules: DealRules, open_deal: Size, entries: Sequence[int]
) -> tuple[Deck, list[int], bool]:
    """Move upcoming tracks to a deal until it is full or the round is over.

    Return the deck, the entries of the deal, and whether the deal is full.
    """
    gap = rules.gap if rules.rounds.keeps_gap else 0
    in_deal = frozenset(entries)
    moved: list[int] = []
    # Resting tracks come last; the sort is stable, so all others keep the order of the round.
    undealt = tuple(sorted(deck.upcoming, key=rules.resting.__contains__))
    is_refused = False
    # Tracks that would come too soon are postponed, but dealt in the end: a round must end. Positions
    # count from the first upcoming track, so those of earlier plays are negative.
    played_at = {
        track: position for position, track in enumerate(deck.tail, -len(deck.tail) - len(deck.dealt))
    }
    for min_gap in (gap, 0) if gap else (0,):
        postponed: list[int] = []
        if min_gap < gap:  # the second pass takes those whose last play is the longest ago
            undealt = tuple(sorted(undealt, key=lambda track: played_at.get(track, -gap)))
        for track in undealt:
            if track in in_deal or played_at.get(track, -gap) + min_gap > len(moved):
                postponed.append(track)
            elif open_deal.add(track):
                moved.append(track)
            else:
                is_refused = True  # the track comes first in the next deal
                if open_deal.is_full():
                    break
        undealt = tuple(postponed)
        if is_refused or not undealt:
            break
    # The others stay in the order of the round: else a deal of all tracks would never change.
    return deck.with_dealt(moved), [*entries, *moved], is_refused or open_deal.is_full()


def end_round(deck: Deck) -> Deck:
    """End the round early; the next deal begins a new round, which keeps the gap."""
    removed = frozenset(deck.removed)
    return deck._replace(
        dealt=(),
        # Only the next deal knows which of these are present.
        upcoming=deck.upcoming + tuple(track for track in deck.dealt if track not in removed),
        removed=(),
        tail=(deck.tail + deck.dealt)[-max(len(deck.tail), TAIL) :],
        deals_left=0,
        deal=None,
        is_ended=True,
        unheard=(),
    )
