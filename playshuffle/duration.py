"""Convert durations between the way people write them and milliseconds."""

import re
from collections.abc import Sequence

from playshuffle.errors import PlayshuffleError, shown

# At most nine digits, 31 years of seconds: Python refuses to parse numbers with thousands of digits.
_PARTS = (
    r"(?:(\d{1,9}) ?(?:d|days?))?(?: ?(\d{1,9}) ?(?:h|hours?))?"
    r"(?: ?(\d{1,9}) ?(?:m|min|minutes?))?(?: ?(\d{1,9}) ?(?:s|sec|seconds?))?"
)
_CLOCK = r"(\d{1,9}):([0-5]\d):([0-5]\d)"
_UNITS_MS = (86_400_000, 3_600_000, 60_000, 1_000)
_NEXT_UNIT = {"d": "h", "h": "m", "m": "s", "n": "s"}  # unit of a last number without one: 1h30, 5min30


def parse(text: str) -> int:
    """Return milliseconds, at least 1000, for '90m', '1h30', '2 hours', '1:30:00', '2d' or '45s'.

    A last number without a unit has the next smaller unit.

    Raises:
        PlayshuffleError: the text is not a duration, is zero, or has no unit.
    """
    plain = text.strip().lower()
    if re.fullmatch(r"[0-9]{1,9}", plain):
        raise PlayshuffleError(f"'{plain}' has no unit. Write {plain}m (minutes) or {plain}h (hours).")
    before = plain.rstrip("0123456789")
    if before != plain and ":" not in plain:
        plain += _NEXT_UNIT.get(before[-1:], "")
    total_ms = 0
    if match := re.fullmatch(_CLOCK, plain, re.ASCII):
        total_ms = _total_ms(("0", *match.groups()))
    elif match := re.fullmatch(_PARTS, plain, re.ASCII):
        total_ms = _total_ms(match.groups())
    if not total_ms:
        raise PlayshuffleError(f"'{shown(text)}' is not a duration. Write it like 90m, 2h, 1h30 or 1:30:00.")
    return total_ms


def _total_ms(numbers: Sequence[str | None]) -> int:
    return sum(int(number or 0) * unit for number, unit in zip(numbers, _UNITS_MS, strict=True))


def words(duration_ms: int) -> str:
    """Return a duration in its two largest units: '3 h 5 min', '4 min 10 s', '2 days 7 h'."""
    seconds = (duration_ms + 500) // 1000
    days, hours, minutes = seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60
    day = "day" if days == 1 else "days"
    parts = [(days, day), (hours, "h"), (minutes, "min"), (seconds % 60, "s")]
    first = next((index for index, (number, _) in enumerate(parts) if number), len(parts) - 1)
    largest, *second = parts[first : first + 2]
    return " ".join(f"{number} {unit}" for number, unit in (largest, *(part for part in second if part[0])))
