"""Compute the columns of the tables from the days of one program."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from benchmarks.days.listener import Day
from benchmarks.days.music import EVENTS, TRACKS, artist_of

_RECENT, _NEW_DAYS, _WEEK = 100, 10, 7


class Measures(NamedTuple):
    """The columns. Shares are 0 to 1.

    Attributes:
        first_days: share heard after a quarter of the days.
        all_days: share heard at the end.
        until: days until 99% was heard; None if it never was.
        again: plays of a track that was heard in the last 7 days.
        quiet: of the last 100 heard, how many are played again on two days without an event; the mean.
        after: the same from each event, by its name.
        neighbours: share of tracks after another by the same artist.
        new: share of the new tracks that was heard within 10 days.
        silent: plays that were wanted, and entries that could not be played.
        minutes: work by hand.
    """

    first_days: float
    all_days: float
    until: int | None
    again: int
    quiet: float
    after: Mapping[str, int]
    neighbours: float
    new: float
    silent: int
    minutes: int


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
            count += track in last and number - last[track] < _WEEK
            if track in day.heard:
                last[track] = number
    return count


def _again_after(days: Sequence[Day], first: int) -> int:
    """Return how many of the last 100 tracks heard before day `first`, or its kill, come within two days."""
    today = days[first]
    before_kill, after_kill = today.played[: today.before_kill], today.played[today.before_kill :]
    heard = [track for day in days[:first] for track in day.heard]
    heard += [track for track in before_kill if track in today.heard]
    following = [*after_kill, *(days[first + 1].played if first + 1 < len(days) else ())]
    return len({*heard[-_RECENT:]}.intersection(following))


def measure(days: Sequence[Day]) -> Measures:
    """Return the columns for one program."""
    heard = shares(days)
    pairs = [pair for day in days for pair in pairwise(map(artist_of, day.played))]
    new = {track for day in days[EVENTS["new"] :][:_NEW_DAYS] for track in day.heard if track >= TRACKS}
    busy = {day + later for day in EVENTS.values() for later in (-1, 0, 1)}
    quiet = [_again_after(days, day) for day in range(1, len(days) - 1) if day not in busy]
    return Measures(
        first_days=heard[len(days) // 4 - 1],
        all_days=heard[-1],
        until=next((number for number, share in enumerate(heard, 1) if share >= 0.99), None),
        again=_again(days),
        quiet=sum(quiet) / max(len(quiet), 1),
        after={name: _again_after(days, day) for name, day in EVENTS.items() if day < len(days)},
        neighbours=sum(one == other for one, other in pairs) / len(pairs),
        new=len(new) / 50,
        silent=sum(day.silent for day in days),
        minutes=sum(day.minutes for day in days),
    )
