"""Convert the value written in a term to a test of the values of a field."""

import math
import os
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from playshuffle.selection.fields import DATE, DAY, FLAG, LENGTH, NUMBER, PATH, SIZE, TIME, Field
from playshuffle.text import composed, folded

Test = Callable[[Any], bool]

BETWEEN = "; "  # separates the values of a tag

_COMPARISONS = (">=", "<=", ">", "<")
_YES = frozenset(("1", "y", "yes", "t", "true", "on"))
_NO = frozenset(("0", "n", "no", "f", "false", "off"))
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_BYTES |= {f"{unit}ib": size for unit, size in _BYTES.items() if unit}
_BYTES |= {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}  # as sticks are sold
_RELATIVE_DAYS = {"y": 365, "m": 30, "w": 7, "d": 1}
_MONTH_DAYS = (0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DATE_FORMATS = ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dT%H", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


def containing(value: str) -> Test:
    """Return a test: does a text contain this value, ignoring case?"""
    needle = folded(value)
    return lambda text: needle in folded(text)


def equal(value: str, form: Callable[[str], str] = composed) -> Test:
    """Return a test: does a text, or one of the values in it, equal this one? `folded` ignores case."""
    whole = form(value)

    def test(text: str) -> bool:
        text = form(text)
        return text == whole or whole in text.split(BETWEEN)

    return test


def matching(value: str) -> Test:
    """Return a test: does this regular expression match a part of a text?

    Raises:
        ValueError: the value is not a regular expression.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a future Python may parse [[ differently
            search = re.compile(composed(value)).search
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"is not a regular expression: {error}.") from None

    def test(text: str) -> bool:
        text = composed(text)
        return any(map(search, {text, *text.split(BETWEEN)}))

    return test


def comparing(field: Field, value: str, now: datetime) -> Test:
    """Return a test: is a number, length, size, date or flag equal to this value, or in this range?

    Raises:
        ValueError: the value has a wrong form; the error describes the right one.
    """
    if field.kind == FLAG:
        return _flag(value)
    if field.kind == DAY:
        is_in_season = _is_in_season(value, now)
        return lambda _: is_in_season
    if field.kind in (DATE, TIME):
        test = _within(value, partial(_moments, now=now), may_be_backwards=True)
        convert = _tagged_moment if field.kind == DATE else _local_moment
        return lambda raw: (moment := _or_none(convert, raw)) is not None and test(moment)
    number = {LENGTH: _seconds, SIZE: parse_size}.get(field.kind, _number)

    def span(text: str) -> tuple[float, float]:
        if field.kind == NUMBER and (decade := _decade(text)):
            return decade, decade + 10
        return number(text), math.nextafter(number(text), math.inf)

    return _within(value, span)


def tops(value: str, roots: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the absolute paths that a path in a query means: a relative path starts at each root."""
    wanted = os.path.expanduser(os.fsencode(value))
    starts = [b""] if os.path.isabs(wanted) else roots
    return tuple(os.path.normpath(os.path.join(start, wanted)) for start in starts)


def below(paths: Iterable[bytes]) -> Test:
    """Return a test: is a path one of these paths, or below one?"""
    exact = set(map(_composed_path, paths))
    inside = tuple(top.rstrip(b"/") + b"/" for top in exact)

    def test(path: bytes) -> bool:
        path = path if path.isascii() else _composed_path(path)
        return path.startswith(inside) or path in exact

    return test


def as_text(field: Field, value: Any) -> str:
    """Return a value as a text, for the operators that compare texts."""
    if field.kind == PATH:
        return os.fsdecode(value)
    if field.kind == FLAG:
        return "yes" if value else "no"
    if field.kind == TIME:
        return _local_moment(value).isoformat(" ", "seconds")
    return str(value)


def _composed_path(path: bytes) -> bytes:
    return path if path.isascii() else os.fsencode(composed(os.fsdecode(path)))


def _flag(value: str) -> Test:
    if value.lower() not in _YES | _NO:
        raise ValueError("is neither yes nor no.")
    wanted = value.lower() in _YES
    return lambda actual: actual is wanted


def _is_in_season(value: str, now: datetime) -> bool:
    is_leap_year = now.year % 4 == 0 and (now.year % 100 != 0 or now.year % 400 == 0)

    def day(text: str) -> tuple[int, int]:
        match = re.fullmatch(r"(\d\d)-(\d\d)", text, re.ASCII)
        if not match or not 1 <= int(match[1]) <= 12 or not 1 <= int(match[2]) <= _MONTH_DAYS[int(match[1])]:
            raise ValueError("is not a day or a range of days. Write it like 12-24 or 12-01..12-26.")
        return (int(match[1]), int(match[2])) if text != "02-29" or is_leap_year else (3, 1)

    first, _, last = value.partition("..")
    low, today, high = day(first), (now.month, now.day), day(last if ".." in value else first)
    return low <= today <= high if low <= high else today >= low or today <= high


def _number(text: str) -> float:
    if not re.fullmatch(r"\s*[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})\s*", text, re.ASCII):
        raise ValueError("is not a number.")
    return float(text)


def _decade(text: str) -> int:
    """Return the first year of a decade such as 1980s, or 0."""
    return int(text[:4]) if re.fullmatch(r"[1-9]\d\d0s", text, re.ASCII) else 0


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(?:(\d{1,5}):)?(\d{1,6}):([0-5]?\d)", text, re.ASCII)
    if match:
        return int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3])
    try:
        return _number(text)
    except ValueError:
        raise ValueError("is not a length. Write it like 4:30, or in seconds.") from None


def parse_size(text: str) -> float:
    """Return the number of bytes in a size such as 10M or 8 GB. Raise ValueError with a text for users."""
    stem = text.rstrip("kKmMgGtTiIbB")
    try:
        return _number(stem) * _BYTES[text[len(stem) :].lower()]
    except (KeyError, ValueError):
        raise ValueError("is not a size. Write it in bytes, or like 10M or 8GB.") from None


def _or_none(convert: Callable[[Any], datetime | None], raw: Any) -> datetime | None:
    try:
        return convert(raw)
    except (ValueError, OverflowError, OSError):
        return None


def _local_moment(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp)  # noqa: DTZ006 - users write local times


def _tagged_moment(date: str) -> datetime | None:
    return datetime.fromisoformat(f"{date}-01-01"[:10]) if date else None


def _within(value: str, span: Callable[[str], tuple[Any, Any]], *, may_be_backwards: bool = False) -> Test:
    """Return a test for a comparison, a range or one value.

    `span` returns the start of a value, and the start of the next one. With `may_be_backwards`, 2005..1999 is
    1999..2005, as for dates in beets.
    """
    sign = next((sign for sign in _COMPARISONS if value.startswith(sign)), "")
    if sign:
        start, end = span(value[len(sign) :])
        limit = end if sign in ("<=", ">") else start
        return (lambda actual: actual >= limit) if ">" in sign else (lambda actual: actual < limit)
    first, dots, last = value.partition("..")
    begin = span(first) if first else None
    finish = begin if not dots else span(last) if last else None
    if may_be_backwards and begin is not None and finish is not None and begin[0] >= finish[1]:
        begin, finish = finish, begin
    low = None if begin is None else begin[0]
    high = None if finish is None else finish[1]
    return lambda actual: (low is None or actual >= low) and (high is None or actual < high)


def _moments(text: str, now: datetime) -> tuple[datetime, datetime]:
    """Return start and end of a date or relative date; a year ends when the next one starts."""
    try:
        match = re.match(r"([+-]?)(\d{1,6})([ymwd])", text, re.ASCII)
        if match:
            days = int(match[2]) * _RELATIVE_DAYS[match[3]]
            start = now + timedelta(days=-days if match[1] == "-" else days)
            return start, start + timedelta(seconds=1)
        if decade := _decade(text):
            return datetime(decade, 1, 1), datetime(decade + 10, 1, 1)  # noqa: DTZ001 - local time
        for precision, format_ in enumerate(_DATE_FORMATS):
            try:
                start = datetime.strptime(text.replace(" ", "T"), format_)  # noqa: DTZ007 - local time
            except ValueError:
                continue
            return start, _end(start, precision)
    except (OverflowError, ValueError):  # beyond the last year
        pass
    raise ValueError("is not a date. Write it like 2024, 2024-12-31 or -2w.")


def _end(start: datetime, precision: int) -> datetime:
    if precision == 0:
        return start.replace(year=start.year + 1)
    if precision == 1:
        return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    step = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1))[precision - 2]
    return start + step
