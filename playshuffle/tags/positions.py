"""Parse the position of a track on its album: 3/12, A1 and 1A of records, 2-1 and 2.1 for the second disc."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

_POSITION = (
    r"(?ai)(?:(?:cd|lp)?(\d{1,2})(?:-|\.(?!0\b)))?"
    r"(?:([a-z]{1,2})[-. ]?(?=\d)|([a-z](?!\w)))?(\d{1,6})?([a-z])?(?!\w)"
)
_NUMBER = r"[A-Za-z#. ]{0,9}([0-9]{1,6})(?![0-9])"


class TaggedPosition(NamedTuple):
    """The position of a track on its album. Numbers start at 1.

    Attributes:
        side: side of a record; 1 for A.
        part: letter after the number; 1 for the A in 1A.
    """

    disc: int | None = None
    side: int | None = None
    number: int | None = None
    part: int | None = None


def read_position(values: Sequence[Any]) -> TaggedPosition:
    """Return the position in the first value: a text, or a pair such as (3, 12), where 0 means none."""
    value = values[0] if values else ""
    if isinstance(value, tuple):
        return TaggedPosition(number=value[0] or None)
    return _position((value.decode(errors="replace") if isinstance(value, bytes) else str(value))[:100])


@lru_cache(4096)
def _position(text: str) -> TaggedPosition:
    text = text.strip()
    if match := re.match(_POSITION, text):
        disc, before, alone, number, part = match.groups()
        if number or alone:
            return TaggedPosition(_int(disc), _letter(before or alone), _int(number), _letter(part))
    match = re.match(_NUMBER, text)  # 3rd, 3 of 12, Disc 3
    return TaggedPosition() if match is None else TaggedPosition(number=_int(match[1]))


def _int(text: str | None) -> int | None:
    return int(text) if text else None


def _letter(text: str | None) -> int | None:
    """Return 1 for A, 2 for B, and 27 for AA, which follows Z."""
    value = 0
    for letter in (text or "").upper():
        value = 26 * value + ord(letter) - ord("A") + 1
    return value or None
