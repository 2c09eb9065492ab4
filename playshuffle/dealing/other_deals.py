"""Count the deals of other computers that deal the same list in a synchronised folder.

The comments of a list name its deal, and the tracks that were dealt in the round, for computers that were off
meanwhile. A computer that reads a deal of a later round begins that round, too.
"""

import os
import re
from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple
from zlib import crc32

from playshuffle.dealing.deck import Deal, Deck
from playshuffle.dealing.next_deal import end_round
from playshuffle.dealing.period import Every, is_new_period, is_of_the_future, period_start

KEY = "DEAL"
_COMMENT = r"(\d{4}-\d\d-\d\d) round=(\d+) deal=(\d+)/(\d+) next=(\d+) names=([0-9a-f]{8})"

DEALT_KEY = "DEALT"
_DEALT = r"(\d{1,9}) (\d{4}-\d\d-\d\d) (\d{1,3}) (\d{1,15}) ([0-9a-f]{8})"
_LINE = 900  # characters
_BITS = 15  # a number takes 2.8 characters, and one track of 30,000 has the number of another one
_MOST_SALTS = 20


class DealtTracks(NamedTuple):
    """The tracks that a list counts as dealt in a round, which began on the day `since`."""

    round: int
    since: date
    tracks: Sequence[int]


def deal_comment(deal: Deal, paths: Sequence[bytes]) -> tuple[str, str]:
    """Return key and text of the comment that names a deal in a list; `paths` are the list's entries."""
    facts = f"{deal.period} round={deal.round} deal={deal.number}/{deal.of} next={deal.of_next}"
    return KEY, f"{facts} names={_checksum(paths)}"


def dealt_comments(
    round_number: int, since: date, dealt: Sequence[bytes], others: Sequence[bytes]
) -> list[tuple[str, str]]:
    """Return the comments that name the tracks dealt in a round.

    Each track has a number, made from its name. With the chosen salt, none of `others`, the other tracks of
    the library, has the number of a dealt one, if possible. Sorted, the numbers are written as differences in
    a Rice code: the quotient by 2**_BITS as ones, a zero, and the rest.
    """
    size = len(dealt) << _BITS
    numbers = set[int]()
    for salt in range(_MOST_SALTS):
        numbers = set(_numbers(dealt, salt, size))
        if numbers.isdisjoint(_numbers(others, salt, size)):
            break
    bits, last = [], 0
    for number in sorted(numbers):
        quotient, rest = divmod(number - last, 1 << _BITS)
        bits += ["1" * quotient, f"0{rest:0{_BITS}b}"]
        last = number
    text = "".join(bits)
    text += "1" * (-len(text) % 24)
    code = b2a_base64(int(text or "0", 2).to_bytes(len(text) // 8), newline=False).decode()
    lines = [code[start : start + _LINE] for start in range(0, len(code), _LINE)]
    facts = f"{round_number} {since} {salt} {size} {crc32(code.encode()):08x}"
    return [(DEALT_KEY, facts), *((f"{DEALT_KEY}-{number}", line) for number, line in enumerate(lines))]


def read_dealt(comments: Mapping[str, str], names: Sequence[bytes]) -> DealtTracks | None:
    """Return the tracks with these names that comments name as dealt; None if they name none."""
    facts = re.fullmatch(_DEALT, comments.get(DEALT_KEY, ""))
    lines: list[str] = []
    while (line := comments.get(f"{DEALT_KEY}-{len(lines)}")) is not None:
        lines.append(line)
    code = "".join(lines).encode()
    if facts is None or facts[5] != f"{crc32(code):08x}":
        return None
    try:
        packed, since = a2b_base64(code), date.fromisoformat(facts[2])
    except (Error, ValueError):
        return None
    bits = f"{int.from_bytes(packed):0{8 * len(packed)}b}"
    numbers, number, start = set[int](), 0, 0
    while (zero := bits.find("0", start)) >= 0 and zero + _BITS < len(bits):
        number += (zero - start << _BITS) + int(bits[zero + 1 : zero + 1 + _BITS], 2)
        numbers.add(number)
        start = zero + 1 + _BITS
    here = _numbers(names, int(facts[3]), int(facts[4]))
    tracks = [index for index, own in enumerate(here) if own in numbers]
    return DealtTracks(int(facts[1]), since, tracks)


def _numbers(names: Iterable[bytes], salt: int, size: int) -> Iterable[int]:
    return (crc32(name, salt) * size >> 32 for name in names)


def names_below(folder: bytes, paths: Iterable[bytes]) -> list[bytes]:
    """Return names of files that are the same on each computer: paths below a folder, or else their ends."""
    top = folder.rstrip(b"/") + b"/"
    return [path[len(top) :] if path.startswith(top) else b"/".join(path.split(b"/")[-3:]) for path in paths]


def read_comment(comment: str, paths: Sequence[bytes]) -> Deal | None:
    """Return the deal that a comment names, without entries.

    None if the comment names no deal, or if the list was edited.
    """
    match = re.fullmatch(_COMMENT, comment)
    if match is None or match[6] != _checksum(paths):
        return None
    try:
        round_, number, of, of_next = map(int, match.group(2, 3, 4, 5))
        return Deal(date.fromisoformat(match[1]), (), round_, number, of, is_pending=False, of_next=of_next)
    except ValueError:  # not a date, or too many digits
        return None


def _checksum(paths: Sequence[bytes]) -> str:
    """Return a checksum of the file names: the music may have another path on another computer."""
    return f"{crc32(b'/'.join(map(os.path.basename, paths))):08x}"


def count_other(deck: Deck, other: Deal, dealt: DealtTracks | None = None) -> Deck:
    """Return the deck with another computer's deal counted as dealt in its round.

    A deal of an earlier round counts only if it was made after this round began. Counting a deal twice
    changes nothing. A pending deal of this deck loses the tracks of the other deal. `dealt` are the tracks
    of the round that any computer had dealt before.
    """
    last, cut = deck.deal, len(other.entries) - other.of_next
    if last is not None and last.is_pending:
        theirs = frozenset(other.entries)
        if dealt is not None and dealt.round == last.round:
            theirs = theirs.union(dealt.tracks)
        left = last.only(frozenset(last.entries).difference(theirs))
        deck = deck._replace(deal=left if left.entries else None)
    deck = _count(deck, other, other.round, other.entries[:cut])
    deck = _count(deck, other, other.round + 1, other.entries[cut:])
    if dealt is None or dealt.round < deck.round:
        return deck
    # That computer deals its own unheard tracks again.
    unheard = deck.unheard if dealt.round == deck.round else ()
    deck = _count(deck, other, dealt.round, dealt.tracks)._replace(unheard=unheard)
    return deck._replace(since=min(deck.since, dealt.since))


def _count(deck: Deck, other: Deal, number_of_round: int, tracks: Sequence[int]) -> Deck:
    if not tracks or (number_of_round < deck.round and other.period <= deck.since):
        return deck
    if number_of_round > deck.round:
        # Without the name of its order, the next deal orders the tracks again.
        deck = end_round(deck)._replace(deal=deck.deal, is_ended=False, order_name="", heard_from_s=0)
        deck = deck._replace(round=number_of_round, since=other.period, number=0)
    in_dealt = frozenset(deck.dealt)
    new = tuple(track for track in tracks if track not in in_dealt)
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
