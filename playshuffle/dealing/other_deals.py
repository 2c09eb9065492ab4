"""Count the deals of other computers that deal the same list in a synchronised folder.

The comments of a list name its deal. A computer that reads a deal of a later round begins that round, too.
"""

import os
import re
from collections.abc import Sequence
from datetime import date, datetime
from zlib import crc32

from playshuffle.dealing.deck import Deal, Deck, end_round
from playshuffle.dealing.period import Every, is_new_period, is_of_the_future, period_start

KEY = "DEAL"
_COMMENT = r"(\d{4}-\d\d-\d\d) round=(\d+) deal=(\d+)/(\d+) next=(\d+) names=([0-9a-f]{8})"


def deal_comment(deal: Deal, paths: Sequence[bytes]) -> tuple[str, str]:
    """Return key and text of the comment that names a deal in a list; `paths` are the list's entries."""
    facts = f"{deal.period} round={deal.round} deal={deal.number}/{deal.of} next={deal.of_next}"
    return KEY, f"{facts} names={_checksum(paths)}"


def read_comment(comment: str, paths: Sequence[bytes]) -> Deal | None:
    """Return the deal that a comment names, without entries.

    None if the comment names no deal, or if the list was edited.
    """
    found = re.fullmatch(_COMMENT, comment)
    if found is None or found[6] != _checksum(paths):
        return None
    round_, number, of, of_next = map(int, found.group(2, 3, 4, 5))
    try:
        return Deal(date.fromisoformat(found[1]), (), round_, number, of, is_pending=False, of_next=of_next)
    except ValueError:  # not a date
        return None


def _checksum(paths: Sequence[bytes]) -> str:
    """Return a checksum of the file names: the music may have another path on another computer."""
    return f"{crc32(b'/'.join(map(os.path.basename, paths))):08x}"


def count_other(deck: Deck, other: Deal) -> Deck:
    """Return the deck with another computer's deal counted as dealt in its round.

    A deal of an earlier round counts only if it was made after this round began. Counting a deal twice
    changes nothing. A pending deal of this deck loses the tracks of the other deal.
    """
    last, cut = deck.deal, len(other.entries) - other.of_next
    if last is not None and last.is_pending:
        left = last.only(frozenset(last.entries).difference(other.entries))
        deck = deck._replace(deal=left if left.entries else None)
    deck = _count(deck, other, other.round, other.entries[:cut])
    return _count(deck, other, other.round + 1, other.entries[cut:])


def _count(deck: Deck, other: Deal, number_of_round: int, tracks: Sequence[int]) -> Deck:
    if not tracks or (number_of_round < deck.round and other.period <= deck.since):
        return deck
    if number_of_round > deck.round:
        # Without the name of its order, the next deal orders the tracks again.
        deck = end_round(deck)._replace(deal=deck.deal, is_ended=False, order_name="", heard_from_s=0)
        deck = deck._replace(round=number_of_round, since=other.period, number=0)
    known = frozenset(deck.dealt)
    new = tuple(track for track in tracks if track not in known)
    number = max(deck.number, other.number) if number_of_round == other.round else deck.number
    since = other.period if deck.since == date.min else deck.since
    return deck.with_dealt(new)._replace(number=number, since=since, unheard=deck.unheard + new)


def take_over(deck: Deck, other: Deal, every: Every, now: datetime) -> tuple[Deck, bool]:
    """Return the deck with another computer's deal as the last, and whether this is of the current period.

    The list already has this deal. A pending deal of this deck stays the last deal.
    """
    last, is_of_future = deck.deal, is_of_the_future(now, other.period)
    facts = other.round, other.number, other.entries
    is_known = last is not None and (last.round, last.number, last.entries) == facts
    if is_of_future:  # it counts as made when it was first seen
        seen_on = last.period if last is not None and is_known else period_start(every, now)
        other = other._replace(period=seen_on)
    stands = bool(other.entries) and not is_new_period(every, now, other.period)
    if last is not None and last.is_pending:
        return deck, stands and not is_of_future
    if (
        last is None
        or is_of_the_future(now, last.period)
        or other.period > last.period
        or (other.period == last.period and not is_known)
    ):
        deck = deck._replace(deal=other._replace(every=every), deals_left=max(other.of - other.number, 0))
    return deck, stands
