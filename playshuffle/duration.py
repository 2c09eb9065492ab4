"""Durations as people write them <-> milliseconds."""

import re

from playshuffle.errors import Exit, PlayshuffleError, shown

# Nine digits are 31 years of seconds; Python refuses to read numbers of thousands.
_PARTS = re.compile(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m(?:in)?)?(?:(\d{1,9})s)?", re.ASCII)
_UNITS_MS = (86_400_000, 3_600_000, 60_000, 1_000)
_AFTER = {"": "s", "d": "h", "h": "m", "m": "s", "n": "s"}


def parse(text: str) -> int:
    """Read '90m', '1h30', '1h30m', '2d', '45s' or bare seconds.

    A last number without a unit counts in the next smaller one.

    Returns:
        Milliseconds, at least 1000.

    Raises:
        PlayshuffleError: it is none of these, or nothing at all.
    """
    written = text.strip().lower()
    before = written.rstrip("0123456789")
    if before != written:
        written += _AFTER.get(before[-1:], "")
    found = _PARTS.fullmatch(written)
    total_ms = 0
    if found is not None:
        total_ms = sum(
            int(number or 0) * unit for number, unit in zip(found.groups(), _UNITS_MS, strict=True)
        )
    if not total_ms:
        raise PlayshuffleError(
            f"'{shown(text)}' is no duration; write it like 90m, 1h30, 2h15m or 5400 (seconds).", Exit.USAGE
        )
    return total_ms


def words(duration_ms: int) -> str:
    """Say a duration in its two largest units: '3 h 05 min', '4 min 10 s', '2 d 07 h'."""
    seconds = (duration_ms + 500) // 1000
    days, hours, minutes = seconds // 86_400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return f"{days} d {hours:02} h"
    if hours:
        return f"{hours} h {minutes:02} min"
    if minutes:
        return f"{minutes} min {seconds % 60:02} s"
    return f"{seconds} s"
