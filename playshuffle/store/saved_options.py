"""Save the options of a playlist as JSON: those that differ from their defaults."""

import json
import os
from collections.abc import Callable
from typing import Any

from playshuffle.options.table import Options, changed
from playshuffle.playlist import path_map
from playshuffle.store.home_paths import named_paths

_PATHS = ("folders", "history", "output", "source", "without", "relative_to", "maps", "pin")


def pack(options: Options | None) -> str:
    """Return options as JSON, with `~` in place of the home folder; empty for None."""
    return "" if options is None else json.dumps(changed(with_paths(options, named_paths().stored)))


def unpack(text: str) -> Options | None:
    """Return the options in this JSON; None if an option is unknown to this version."""
    try:
        values: dict[str, Any] = json.loads(text)
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return with_paths(Options(**{**values, **lists}), named_paths().absolute)
    except (ValueError, TypeError):
        return None


def with_paths(options: Options, convert: Callable[[bytes], bytes]) -> Options:
    """Return options with each path converted; in `--map`, only the path on this computer.

    Raises:
        UnicodeEncodeError: a saved path is damaged.
    """

    def converted(value: str) -> str:
        path = os.fsencode(value)
        return os.fsdecode(path_map.with_folder(path, convert) if name == "maps" else convert(path))

    values: dict[str, Any] = {}
    for name in _PATHS:
        value = getattr(options, name)
        if isinstance(value, tuple):
            values[name] = tuple(map(converted, value))
        elif value:
            values[name] = converted(value)
    return options._replace(**values)
