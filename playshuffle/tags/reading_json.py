"""Decode the readings that workers write, and believe only what has the form of a reading."""

import json
from functools import lru_cache
from typing import Any, get_type_hints

from playshuffle.tags.reading import Reading, Tags

_DECODER = json.JSONDecoder()
_FIELD_TYPES = tuple(get_type_hints(Tags).values())
_NUMBERS = tuple(place for place, type_ in enumerate(_FIELD_TYPES) if type_ is not str)
_TEXTS = tuple(place for place, type_ in enumerate(_FIELD_TYPES) if type_ is str)


def parse_readings(line: bytes) -> list[Reading] | None:
    """Return the readings in a line; None where it is not a list of one or more readings."""
    try:
        readings = [_reading(*item) for item in _DECODER.decode(line.decode())]
        if b"\\ud" in line:  # half a character may be among them: a ValueError
            for reading in readings:
                "".join(
                    (reading.reason, *(str(reading.tags[place]) for place in _TEXTS if reading.tags))
                ).encode()
    except (ValueError, TypeError, RecursionError):
        return None
    return readings or None


def _reading(tags: list[Any] | None, reason: str, *flags: bool) -> Reading:
    """Return the reading of these values; raise ValueError or TypeError where they are not sound."""
    if [type(reason), *map(type, flags)] != [str, bool, bool]:
        raise ValueError
    if tags is None:
        return Reading(None, reason, *flags)
    if not _has_field_types(tuple(map(type, tags))):
        raise ValueError
    for place in _NUMBERS:
        value = tags[place]
        if value is not None and not 0 <= value < 1 << 32:  # NaN fails it, too
            raise ValueError
    return Reading(Tags._make(tags), reason, *flags)


@lru_cache(maxsize=4096)
def _has_field_types(types: tuple[type, ...]) -> bool:
    """Return whether values of these types can be the fields of `Tags`."""
    return len(types) == len(_FIELD_TYPES) and all(map(_accepts, _FIELD_TYPES, types))


def _accepts(field: Any, type_: type) -> bool:
    return issubclass(type_, field)
