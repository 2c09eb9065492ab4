"""Check the values of options: a table with a function for each option whose values need a certain form."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any, get_args

from playshuffle import duration
from playshuffle.dealing.amount import Count, parse_patience
from playshuffle.dealing.period import PERIODS, Every, known_period
from playshuffle.errors import OptionError, PlayshuffleError
from playshuffle.options.table import ROWS, Options
from playshuffle.ordering.gap import parse_gap
from playshuffle.ordering.groups import KEYS
from playshuffle.ordering.limit_per_tag import parse_limit
from playshuffle.ordering.orders import ORDERS, known_order
from playshuffle.ordering.resting import parse_rest
from playshuffle.players.profiles import PLAYERS
from playshuffle.playlist import path_map
from playshuffle.playlist.m3u import PathStyle
from playshuffle.shuffle import Inside
from playshuffle.text import known

# The names that a value can be, by kind as in `text.known`.
NAMES: Mapping[str, Collection[str]] = {
    "order": ORDERS,
    "field": KEYS,
    "player": PLAYERS,
    "period": PERIODS,
    "count": tuple(Count),
    "path style": tuple(PathStyle),
    "place to shuffle": get_args(Inside),
}


def known_value(key: str, value: str, kind: str, values: Iterable[str]) -> str:
    """Return the value that a user means; `kind` as in `text.known`.

    Raises:
        OptionError: the value is unknown.
    """
    try:
        reader = {"order": known_order, "period": known_period}.get(kind)
        return known(kind, value, values) if reader is None else reader(value)
    except PlayshuffleError as error:
        raise OptionError("{problem}", key, code=error.code, problem=error) from error


def fields_of_queries(texts: tuple[str, ...]) -> set[str]:
    """Return the fields that queries name.

    Raises:
        QueryError: a text is not a query.
    """
    if not texts:
        return set()
    from playshuffle.selection.query import parse  # most lists have no query

    return {check.field.name for text in texts for term in parse(text).terms for check in term.checks}


def parse_maps(texts: tuple[str, ...]) -> tuple[tuple[bytes, bytes], ...]:
    """Return each folder of this computer and its path for the player.

    Raises:
        PlayshuffleError: a text is not FROM=TO.
    """
    return tuple(path_map.parse_map(os.fsencode(text)) for text in texts)


def parse_size(text: str) -> int:
    """Return the number of bytes in a size such as 8GB.

    Raises:
        OptionError: the text is not a size above zero.
    """
    from playshuffle.selection.values import parse_size as bytes_of  # few lists have a size

    try:
        size = int(bytes_of(text))
    except ValueError as error:
        raise OptionError("{} {text} {problem}", "size", text=text, problem=str(error)) from None
    if size < 1:
        raise OptionError("{} must be a size above zero, such as 8GB, not '{text}'.", "size", text=text)
    return size


def _check_from_one(key: str, value: int) -> None:
    if value < 1:
        raise OptionError("{} must be a number from 1, not {value}.", key, value=value)


# By field of `Options`; each raises PlayshuffleError for an invalid value.
_PARSERS: Mapping[str, Callable[[Any], object]] = {
    "where": fields_of_queries,
    "gap": parse_gap,
    "rest": parse_rest,
    "limit": partial(_check_from_one, "limit"),
    "most": parse_limit,
    "time": duration.parse,
    "size": parse_size,
    "groups": partial(_check_from_one, "groups"),
    "every": Every,
    "done_when": Count,
    "patience": parse_patience,
    "paths": PathStyle,
    "maps": parse_maps,
}


def checked(options: Options) -> Options:
    """Return options whose values are spelled as in the tables: vlc for VLC.

    Raises:
        OptionError: a value is invalid.
    """
    changes: dict[str, Any] = {}
    for row in ROWS:
        value = getattr(options, row.name)
        if value is None:
            continue
        try:
            if row.names is not None:
                value = known_value(row.key, value, row.names, NAMES[row.names])
                changes[row.name] = value
            if row.name in _PARSERS:
                _PARSERS[row.name](value)
        except OptionError:
            raise
        except PlayshuffleError as error:
            raise OptionError("{}: {problem}", row.key, code=error.code, problem=error) from error
    return options._replace(**changes)
