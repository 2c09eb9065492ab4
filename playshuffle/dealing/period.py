"""Define the periods of deals: a day, a week, a month, some days, or each run."""

import re
from datetime import date, datetime, timedelta
from typing import ClassVar

from playshuffle.text import known

PERIODS = ("day", "week", "month", "run")


class Every(str):
    """How often a deal is due, as the user wrote it.

    Once a day, a week (from Monday), a month (from its first day), some days such as `3d`, or at every run.
    """

    DAY: ClassVar["Every"]
    WEEK: ClassVar["Every"]
    MONTH: ClassVar["Every"]
    RUN: ClassVar["Every"]

    __slots__ = ()

    @property
    def days(self) -> int:
        """Return the number of days of a period such as `3d`, otherwise 0."""
        return int(self[:-1]) if self[:1].isdigit() else 0


Every.DAY, Every.WEEK, Every.MONTH, Every.RUN = map(Every, PERIODS)


def known_period(text: str) -> str:
    """Return the period that a user means.

    Raises:
        PlayshuffleError: it is unknown.
    """
    if found := re.fullmatch(r"0*([1-9]\d{0,2}) ?d(?:ays?)?", text.strip().lower(), re.ASCII):
        return f"{found[1]}d"
    return known("period", text, (*PERIODS, "2d"))


def period_start(every: Every, now: datetime) -> date:
    """Return the first day of the period that has this moment, in local time."""
    today = now.date()
    if every == Every.MONTH:
        return today.replace(day=1)
    return today - timedelta(days=today.weekday()) if every == Every.WEEK else today


def next_start(every: Every, last: date) -> date | None:
    """Return the first day after `last` that begins a period; None if each run begins one."""
    if every == Every.RUN:
        return None
    if every == Every.MONTH:
        return (last.replace(day=1) + timedelta(days=31)).replace(day=1)
    return last + timedelta(days=7 - last.weekday() if every == Every.WEEK else every.days or 1)


def is_of_the_future(now: datetime, last: date) -> bool:
    """Return whether a deal is dated more than a day ahead, by a wrong clock."""
    return last > now.date() + timedelta(days=1)


def is_new_period(every: Every, now: datetime, last: date) -> bool:
    """Return whether a new period has begun since the period that began on `last`.

    If the clock was set back, no period begins until it has caught up.
    """
    if every.days:
        return (now.date() - last).days >= every.days
    return every == Every.RUN or period_start(every, now) > last
