"""Test in which period of deals a moment is, and when the next period begins."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.period import Every, is_new_period, known_period, next_start, period_start
from playshuffle.errors import PlayshuffleError

MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1))  # noqa: DTZ001 - a clock on the wall


@given(MOMENTS)
def test_a_week_begins_on_its_monday_and_any_other_period_on_its_date(moment: datetime) -> None:
    monday = period_start(Every.WEEK, moment)

    assert (monday.isocalendar()[:2], monday.weekday()) == (moment.isocalendar()[:2], 0)
    assert period_start(Every.DAY, moment) == period_start(Every.RUN, moment) == moment.date()


@pytest.mark.parametrize(
    ("zone", "day"),
    [
        ("Europe/Berlin", "2026-03-29"),  # 23 hours
        ("Europe/Berlin", "2026-10-25"),  # 25 hours
        ("America/Havana", "2026-03-08"),  # without a midnight
        ("Australia/Lord_Howe", "2026-04-05"),  # half an hour
        ("Pacific/Apia", "2011-12-29"),  # followed by the 31st
    ],
)
def test_a_day_is_one_period_even_if_a_clock_change_makes_it_longer_or_shorter(zone: str, day: str) -> None:
    """Looked at each quarter of an hour, through three days."""
    noon = datetime.fromisoformat(f"{day} 12:00").replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    moments = [(noon + timedelta(minutes=15 * step)).astimezone(ZoneInfo(zone)) for step in range(-144, 144)]
    days = [period_start(Every.DAY, moment) for moment in moments]

    last, deals = days[0], 0
    for moment in moments:
        if is_new_period(Every.DAY, moment, last):
            last, deals = period_start(Every.DAY, moment), deals + 1
    assert deals == len(set(days)) - 1
    assert days == sorted(days)


@given(MOMENTS, st.timedeltas(timedelta(0), timedelta(days=9999)), st.sampled_from([Every.DAY, Every.WEEK]))
def test_setting_the_clock_back_does_not_begin_a_new_period(
    moment: datetime, back: timedelta, every: Every
) -> None:
    last = period_start(every, moment)
    earlier = max(moment - back, datetime(1970, 1, 8))  # noqa: DTZ001 - a clock on the wall

    assert not is_new_period(every, earlier, last)


@given(MOMENTS)
def test_if_deals_are_due_at_every_run_each_run_begins_a_new_period(moment: datetime) -> None:
    assert is_new_period(Every.RUN, moment, period_start(Every.RUN, moment))


@given(MOMENTS, st.sampled_from([Every.DAY, Every.WEEK, Every.RUN, Every("7d")]))
def test_a_week_after_any_moment_a_new_period_has_begun(moment: datetime, every: Every) -> None:
    assert is_new_period(every, moment + timedelta(days=7), period_start(every, moment))


_PERIODS = st.sampled_from([Every.DAY, Every.WEEK, Every("month"), Every("2d"), Every("31d")])


@given(MOMENTS, _PERIODS, _PERIODS)
def test_a_new_period_begins_at_midnight_of_the_predicted_day_and_not_a_second_before(
    moment: datetime, before: Every, every: Every
) -> None:
    """Also after the period was changed from days to weeks, or back."""
    last = period_start(before, moment)
    start = next_start(every, last)

    assert start is not None
    midnight = datetime(start.year, start.month, start.day)  # noqa: DTZ001 - a clock on the wall
    assert is_new_period(every, midnight, last)
    assert not is_new_period(every, midnight - timedelta(seconds=1), last)


@given(MOMENTS)
def test_the_period_after_a_month_is_the_next_month(moment: datetime) -> None:
    start = next_start(Every("month"), moment.date())

    assert start is not None
    assert start.day == 1
    assert (start.year * 12 + start.month) - (moment.year * 12 + moment.month) == 1


@pytest.mark.parametrize(
    ("text", "period"),
    [("Week", "week"), ("month", "month"), ("2d", "2d"), ("3 days", "3d"), ("01d", "1d"), ("1 day", "1d")],
)
def test_a_period_may_be_some_days(text: str, period: str) -> None:
    assert known_period(text) == period


@pytest.mark.parametrize("text", ["0d", "1000d", "-2d", "2", "d", "2w", "fortnight", ""])
def test_another_text_is_not_a_period(text: str) -> None:
    with pytest.raises(PlayshuffleError, match="Unknown period"):
        known_period(text)
