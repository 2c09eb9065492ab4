"""A deck, the tracks that are here and how much is wanted of them in, the deck after its next deal out.

A round is one time through the library. A track is named by its path, so that a deck outlives
every pass over the library. What is not here is not dealt; if it was heard in this round, and
comes back, it is not heard again before the next; if not, it comes at a drawn place.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Protocol

from playshuffle.dealing.period import Every, is_new

TAIL = 100  # plays that are remembered across a seam, at the least


class Law(Protocol):
    """How the rounds of a deck are ordered.

    name: tells one law from another.
    keeps_gap: the gap holds for each track; else as far as a few attempts allow.
    """

    name: str
    keeps_gap: bool

    def gap(self, tracks: int) -> int:
        """From one playing of a track to its next, so many plays at the least."""

    def arrange(self, tracks: Sequence[bytes], soonest: Mapping[bytes, int]) -> list[bytes]:
        """Put tracks in order: those given, as they came last time; `soonest` is the first place for some."""

    def let_in(self, to_come: Sequence[bytes], new: Sequence[bytes], before: bytes | None) -> list[bytes]:
        """Let new tracks in among those still to come; `before` was heard last."""


class Taker(Protocol):
    """How much one deal takes.

    carried_ms: playing time that was not used.
    """

    carried_ms: int

    def is_full(self) -> bool:
        """Whether what was taken is enough, if the round is over."""

    def takes(self, track: bytes) -> bool:
        """Whether the next track goes in; if so, it is in."""

    def most(self) -> int:
        """How many more may go in, at the most."""

    def deals(self, tracks: Sequence[bytes]) -> int:
        """How many deals these tracks come to."""


class Size(Protocol):
    """How large the deals are to be."""

    def begin(self, carried_ms: int) -> Taker:
        """Begin a deal, with what earlier ones left unused."""


@dataclass(frozen=True, slots=True)
class Deal:
    """What is in the file, or about to be.

    period: the day on which its period began.
    round, number, of: it is deal `number` of about `of` in this round, in which it began.
    is_pending: it is not known to have reached the file.
    """

    period: date
    entries: tuple[bytes, ...]
    round: int
    number: int
    of: int
    is_pending: bool = True


@dataclass(frozen=True, slots=True)
class Deck:
    """Where a deck stands.

    heard: what was dealt in the running round, the last one last.
    to_come: what will be, in this order.
    away: what else would be to come, but its drive is away. gone: what was heard, but is no more.
    tail: what was heard just before the round, the last one last.
    round: its number, from 1; 0 where none has begun. since: the day on which it began.
    number: how many deals have begun in it. to_go: how many more it will take, about.
    law: the name of the law by which it is ordered.
    """

    heard: tuple[bytes, ...] = ()
    to_come: tuple[bytes, ...] = ()
    away: tuple[bytes, ...] = ()
    gone: tuple[bytes, ...] = ()
    tail: tuple[bytes, ...] = ()
    round: int = 0
    since: date = date.min
    number: int = 0
    to_go: int = 0
    carried_ms: int = 0
    law: str = ""
    deal: Deal | None = None

    @property
    def library(self) -> int:
        """How many tracks there are, with those that are away."""
        return len(self.heard) - len(self.gone) + self.still

    @property
    def still(self) -> int:
        """How many of them were not heard in this round."""
        return len(self.to_come) + len(self.away)

    @property
    def known(self) -> frozenset[bytes]:
        """The tracks that there should be."""
        return frozenset(self.heard).difference(self.gone).union(self.to_come, self.away)


def deal(
    deck: Deck, here: Sequence[bytes], law: Law, size: Size, period: date, *, is_whole: bool = True
) -> Deck:
    """Deal the next tracks of the round; at its end, fill up from the next one.

    A round does not end while a drive is away: what was heard of it would be forgotten. The deal
    is then as long as what is here allows.

    No track comes twice in one deal, so that it never holds more than there is. If the law keeps
    the gap, and no track went away since the seam, the next round is uniform over all orders
    with the gap and without a track that is in this deal already; if some went, tracks that
    would come too soon are put off.

    Args:
        deck: as it stands; `Deck()` where there is none.
        here: the library: all tracks that can be played now, at least one.
        law: how new rounds are ordered, and new tracks let in.
        size: how much to deal.
        period: the day on which the period of this deal began.
        is_whole: no drive is away.

    Raises:
        ValueError: nothing that is still to come is here.

    Cost: O(n), beside what the law takes.
    """
    deck = settled(deck, here, law, is_whole=is_whole)
    if deck.away and not deck.to_come:
        raise ValueError("all that is still to come is away")
    taker = size.begin(deck.carried_ms)
    gap = min(law.gap(len(here)), len(here))
    if not deck.to_come:
        deck = _next_round(deck, here, law, gap, period, (), 0)
    began, number = deck.round, deck.number + 1
    deck = replace(deck, number=number)
    deck, entries, is_full = _taken(deck, taker, gap if law.keeps_gap else 0, ())
    if not is_full and len(entries) < len(here) and not deck.away:
        more = min(taker.most(), len(here) - len(entries))
        deck = _next_round(deck, here, law, gap, period, entries, more)
        deck, rest, _ = _taken(deck, taker, gap if law.keeps_gap else 0, entries)
        entries += rest
    to_go = taker.deals(deck.to_come + deck.away)
    return replace(
        deck,
        since=period if deck.since == date.min else deck.since,
        to_go=to_go,
        carried_ms=taker.carried_ms if len(entries) < len(here) else 0,
        deal=Deal(period, tuple(entries), began, number, number + (to_go if deck.round == began else 0)),
    )


def is_due(deck: Deck, every: Every, now: datetime, present: Collection[bytes]) -> bool:
    """Whether the next deal is to be dealt, and not the last one left, or written once more.

    Never while that has not reached the file; always if nothing of it is left.
    """
    last = deck.deal
    if last is None or not any(track in present for track in last.entries):
        return True
    return not last.is_pending and is_new(every, now, last.period)


def settled(deck: Deck, here: Sequence[bytes], law: Law, *, is_whole: bool = True) -> Deck:
    """The deck over the tracks that are here: what is not here put aside, what is new let in.

    If another law is in force now, what is still to come is put in order by that.
    """
    present = frozenset(here)
    to_come = [track for track in deck.to_come if track in present]
    if deck.heard or deck.to_come or deck.away:
        known = frozenset(deck.heard).union(to_come)
        new = [track for track in here if track not in known]
        if deck.law != law.name:
            to_come = law.arrange(to_come + new, {})
        elif new:
            before = deck.heard[-1] if deck.heard and deck.heard[-1] in present else None
            to_come = law.let_in(to_come, new, before)
    missing = deck.away + deck.to_come
    lost = deck.heard if is_whole else deck.gone
    return replace(
        deck,
        to_come=tuple(to_come),
        away=() if is_whole else tuple(track for track in missing if track not in present),
        gone=tuple(track for track in lost if track not in present),
        law=law.name,
    )


def emitted(deck: Deck) -> Deck:
    """The deck, once its deal is in the file."""
    return replace(deck, deal=deck.deal and replace(deck.deal, is_pending=False))


def renamed(deck: Deck, names: Mapping[bytes, bytes]) -> Deck:
    """The deck after files were renamed, from old path to new: they keep place and heard mark.

    What had one of the new names before was replaced, and is gone.
    """
    replaced = frozenset(names.values()).difference(names)

    def new(tracks: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return tuple(names.get(track, track) for track in tracks if track not in replaced)

    last = deck.deal
    return replace(
        deck,
        heard=new(deck.heard),
        to_come=new(deck.to_come),
        away=new(deck.away),
        gone=new(deck.gone),
        tail=new(deck.tail),
        deal=last and replace(last, entries=new(last.entries)),
    )


def ended(deck: Deck) -> Deck:
    """The deck with its round broken off, so that the next deal begins a new one, through the gap."""
    plays = deck.tail + deck.heard
    return replace(
        deck, heard=(), to_come=(), tail=plays[-max(len(deck.tail), TAIL) :], to_go=0, carried_ms=0, deal=None
    )


def _next_round(
    deck: Deck,
    here: Sequence[bytes],
    law: Law,
    gap: int,
    today: date,
    entries: Sequence[bytes],
    more: int,
) -> Deck:
    """Begin a round, in the middle of a deal that has these entries and gets at most `more`."""
    plays = deck.tail + deck.heard
    present, gone = frozenset(here), frozenset(deck.gone)
    played = [track for track in deck.heard if track in present]
    was_played = frozenset(played)
    fresh = [track for track in here if track not in was_played]
    soonest: dict[bytes, int] = {}
    for ago, track in enumerate(reversed(plays[-max(gap, len(entries), 1) :]), 1):
        # The deal's own tracks wait for its end; all others for the gap.
        place = max(gap - ago, more if ago <= len(entries) else 0)
        if place > 0 and track in present:
            soonest.setdefault(track, place)
    return replace(
        deck,
        heard=(),
        gone=(),
        away=tuple(track for track in deck.heard if track not in present and track not in gone),
        to_come=tuple(law.arrange(played + fresh, soonest)),
        tail=plays[-max(gap, TAIL) :],
        round=deck.round + 1,
        since=today,
        number=0,
    )


def _taken(deck: Deck, taker: Taker, gap: int, entries: Collection[bytes]) -> tuple[Deck, list[bytes], bool]:
    """Take from the round until the deal is full or the round is over: the deck after, what it gave."""
    in_deal = frozenset(entries)
    taken: list[bytes] = []
    left = deck.to_come
    is_refused = False
    # What would come too soon is put off; at last it comes all the same, or the round had no end.
    played_at = {track: at for at, track in enumerate(deck.tail, -len(deck.tail) - len(deck.heard))}
    for least in (gap, 0) if gap else (0,):
        put_off: list[bytes] = []
        if least < gap:
            left = tuple(sorted(left, key=lambda track: played_at.get(track, -gap)))
        for at, track in enumerate(left):
            if track in in_deal or played_at.get(track, -gap) + least > len(taken):
                put_off.append(track)
            elif taker.takes(track):
                taken.append(track)
            else:
                put_off += left[at:]
                is_refused = True
                break
        left = tuple(put_off)
        if is_refused or not left:
            break
    return (
        replace(deck, heard=(*deck.heard, *taken), to_come=left),
        taken,
        is_refused or taker.is_full(),
    )
