"""A moment and a kind of period in, the day on which that period began out."""

from datetime import date, datetime, timedelta
from enum import StrEnum


class Every(StrEnum):
    """How often a deck moves on: once a day, once a week (from Monday), or at every run."""

    DAY = "day"
    WEEK = "week"
    RUN = "run"


def begun(every: Every, now: datetime) -> date:
    """The day on which the period of a moment began, by the clock on the wall.

    A date, not a distance in hours: so days of 23 and 25 hours are days like all others.
    """
    today = now.date()
    return today - timedelta(days=today.weekday()) if every is Every.WEEK else today


def is_new(every: Every, now: datetime, last: date) -> bool:
    """Whether a deal made in the period that began on `last` is over.

    Never by a clock that was set back: the last deal then stays until time has caught up.
    """
    return every is Every.RUN or begun(every, now) > last
