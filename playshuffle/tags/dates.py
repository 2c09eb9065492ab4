"""Read dates as people and programs write them into tags."""

import re
from datetime import date
from functools import lru_cache

_DIGITS = r"(?a)\D*([1-9]\d{3})(\d\d)(\d\d)(?:\d{4}|\d{6})?(?!\d)"  # a time may follow
_YEAR_FIRST = r"(?a)\D*([1-9]\d{3})(?:([-/.])(\d\d?)(?:\2(\d\d?))?)?(?!\d)"
_YEAR_LAST = r"(?a)(?<!\d)(?:(\d\d?)([-/.])(\d\d?)\2|(?P<glued>\d{4}))?(?P<year>[1-9]\d{3})\D*$"


@lru_cache(4096)
def read_date(text: str) -> str:
    """Return a date as YYYY, YYYY-MM or YYYY-MM-DD; empty if the text neither begins nor ends with a year.

    Ambiguous months and days are omitted: 07/06/2019 is in June or in July.
    """
    text = re.sub(r" ?([-/.]) ?", r"\1", " ".join(text.split()))
    if match := re.match(_DIGITS, text):
        year, month, day = match.groups()
        if whole := _date(year, month, day):
            return whole
        if day == "00":
            return _date(year, month) or year
    if match := re.match(_YEAR_FIRST, text):
        year, _, month, day = match.groups()
        return _date(year, month, day) or _date(year, month) or year
    match = re.search(_YEAR_LAST, text)
    if match is None:
        return ""
    year, glued = match["year"], match["glued"]
    first, sign, second = (glued[:2], "", glued[2:]) if glued else match.group(1, 2, 3)
    dates = {_date(year, second, first), _date(year, first, second)} - {""}
    if sign == "." and (day_first := _date(year, second, first)):  # with dots, nobody writes the month first
        return day_first
    return dates.pop() if len(dates) == 1 else year if dates or not glued else ""


def _date(year: str, month: str | None, day: str | None = None) -> str:
    """Return a date; empty if it does not exist, or has no month."""
    try:
        whole = date(int(year), int(month or 0), int(day or 1)).isoformat()
    except ValueError:
        return ""
    return whole if day else whole[:7]
