"""Define the periods of deals: a day, a week, or each run."""

from datetime import date, datetime, timedelta
from enum import StrEnum


class Every(StrEnum):
    """How often a deal is due: once a day, once a week (from Monday), or at every run."""

    DAY = "day"
    WEEK = "week"
    RUN = "run"


def period_start(every: Every, now: datetime) -> date:
    """Return the first day of the period that has this moment, in local time."""
    today = now.date()
    return today - timedelta(days=today.weekday()) if every is Every.WEEK else today


def next_start(every: Every, last: date) -> date | None:
    """Return the first day after `last` that begins a period; None if each run begins one."""
    if every is Every.RUN:
        return None
    return last + timedelta(days=7 - last.weekday() if every is Every.WEEK else 1)


def is_of_the_future(now: datetime, last: date) -> bool:
    """Return whether a deal is dated more than a day ahead, by a wrong clock."""
    return last > now.date() + timedelta(days=1)


def is_new_period(every: Every, now: datetime, last: date) -> bool:
    """Return whether a new period has begun since the period that began on `last`.

    If the clock was set back, no period begins until it has caught up.
    """
    return every is Every.RUN or period_start(every, now) > last
