"""Compute the columns of the table from the days of one program."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from benchmarks.days.listener import Day
from benchmarks.days.music import LARGEST, TRACKS, artist_of

# On two days from an event, no track may come again of the last ones heard. Of random plays, 8 would.
_NOT_AGAIN = 100
# The first day of each.
EVENTS = {"nights": 1, "new tracks": 10, "folder missing": 30, "crash": 40, "renamed": 60, "deleted": 80}
_NEW_DAYS = 10


class Measures(NamedTuple):
    """The columns, in their order. Shares are 0 to 1.

    Attributes:
        first_days: share heard after a quarter of the days.
        all_days: share heard at the end.
        until: days until 99% was heard; None if it never was.
        again: plays of a track that was heard in the last 7 days.
        run: most tracks by one artist in a row.
        neighbours: share of tracks after another by the same artist.
        new: share of the new tracks that was heard within 10 days.
        unplayable: entries that could not be played.
        kept: events after which the order went on without a repeat or an entry that could not be played.
        spread: largest minus smallest number of plays, of the tracks that were there all the time.
    """

    first_days: float
    all_days: float
    until: int | None
    again: int
    run: int
    neighbours: float
    new: float
    unplayable: int
    kept: tuple[str, ...]
    spread: int


def shares(days: Sequence[Day]) -> list[float]:
    """Return the share of the library of each day that was heard until then."""
    heard: set[int] = set()
    result = []
    for day in days:
        heard.update(day.heard)
        result.append(len(heard & set(day.present)) / len(day.present))
    return result


def _again(days: Sequence[Day]) -> int:
    last: dict[int, int] = {}
    count = 0
    for number, day in enumerate(days):
        for track in day.played:
            count += track in last and number - last[track] < 7
            if track in day.heard:
                last[track] = number
    return count


def _is_kept(days: Sequence[Day], first: int) -> bool:
    """Return whether, from day `first`, two days repeat no recent track and have no unplayable entry."""
    before = [track for day in days[:first] for track in day.heard][-_NOT_AGAIN:]
    for track in (track for day in days[first : first + 2] for track in day.heard):
        if track in before:
            return False
        before = [*before[-_NOT_AGAIN + 1 :], track]
    return not any(day.unplayable for day in days[first : first + 2])


def _kept(days: Sequence[Day]) -> tuple[str, ...]:
    kept = {name for name, first in EVENTS.items() if len(days) > first + 1 and _is_kept(days, first)}
    kept -= {"nights"} if not all(_is_kept(days, night) for night in range(1, 9)) else set()
    # The missing folder must come back, and not at once.
    returned = {artist_of(track) for day in days[34:59] for track in day.heard}
    if LARGEST not in returned or not _is_kept(days, min(34, len(days) - 2)):
        kept -= {"folder missing"}
    return tuple(name for name in EVENTS if name in kept)


def measure(days: Sequence[Day]) -> Measures:
    """Return the columns for one program."""
    heard = shares(days)
    artists = [[artist_of(track) for track in day.played] for day in days]
    pairs = [pair for day in artists for pair in pairwise(day)]
    new = {track for day in days[10 : 10 + _NEW_DAYS] for track in day.heard if track >= TRACKS}
    counts = Counter(track for day in days for track in day.heard)
    always = [track for track in days[-1].present if track < TRACKS]
    return Measures(
        first_days=heard[len(days) // 4 - 1],
        all_days=heard[-1],
        until=next((number for number, share in enumerate(heard, 1) if share >= 0.99), None),
        again=_again(days),
        run=max(len(list(run)) for day in artists for _, run in groupby(day)),
        neighbours=sum(one == other for one, other in pairs) / len(pairs),
        new=len(new) / 50,
        unplayable=sum(day.unplayable for day in days),
        kept=_kept(days),
        spread=max(counts[track] for track in always) - min(counts[track] for track in always),
    )
