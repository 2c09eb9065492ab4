"""Define the configuration's keys and the types of values, and find faults."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from playshuffle.config.toml_file import Document, Fault
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.options.table import ROWS, Row
from playshuffle.text import nearest

_TOO_LARGE = 10**9  # the limit of numbers on the command line, too


class Key(NamedTuple):
    """The values that a key takes: a description, a check and an example."""

    takes: str
    is_right: Callable[[object], bool]
    example: str


def is_text(value: object) -> bool:
    """Return whether a value is a text."""
    return isinstance(value, str)


def is_number(value: object) -> bool:
    """Return whether a value is a whole number that is not too large."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _TOO_LARGE


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


_TEXT = Key("a text in quotes", is_text, "")
_NUMBER_OR_TEXT = Key("a number, or a text in quotes", lambda value: is_number(value) or is_text(value), "")
_FOLDERS = Key("a list of texts", _is_texts, '["~/Music"]')
_CHECKS: Mapping[object, Key] = {
    bool: Key("true or false", lambda value: isinstance(value, bool), "true"),
    int | None: Key("a whole number without quotes", is_number, ""),
    str: _TEXT,
    str | None: _TEXT,
    tuple[str, ...]: Key(
        "a text in quotes or a list of texts", lambda value: is_text(value) or _is_texts(value), ""
    ),
}


def _key_of(row: Row) -> Key:
    key = _NUMBER_OR_TEXT if row.may_be_number else _CHECKS[row.type]
    return key._replace(example=row.example or key.example)


# Options of playlists that also work at the top of the configuration, for all playlists.
FOR_ALL = ("where", "history", "without")
# Loaded into the fields of `Config` with `_s` behind the name, which have the defaults.
DURATIONS = ("settle", "poll")

TOP: Mapping[str, Key] = {
    "folders": _FOLDERS,
    **{row.key: _key_of(row) for row in ROWS if row.name in FOR_ALL},
    **dict.fromkeys(DURATIONS, Key("a duration in quotes", is_text, '"2s"')),
    "page": _TEXT._replace(example='"~/playshuffle.html"'),
}

PLAYLIST: Mapping[str, Key] = {
    "folders": _FOLDERS,
    **{row.key: _key_of(row) for row in ROWS if row.has_key},
    "reshuffle": _TEXT._replace(example='"daily"'),
    "tell": Key("a list of players", _is_texts, '["mpd"]'),
}


def unknown(name: str, keys: Mapping[str, Key]) -> str:
    """Return an error message about an unknown key, with the most similar key."""
    text = f"Unknown key '{shown(name)}'."
    plain = name.strip().lstrip("-").lower().replace("-", "_")
    if plain.startswith("no_") and plain[3:] in keys:
        return f"{text} Write {plain[3:]} = false."
    if plain in keys:
        return f"{text} Write {plain}, in small letters with underscores."
    if plain in PLAYLIST:
        return f"'{plain}' is a key of a playlist. Write it below a line [playlist.NAME]."
    if plain in TOP:
        return f"'{plain}' is a key of all playlists. Write it at the top, before the first playlist."
    near = nearest(plain, [*keys])
    return f"{text} Did you mean '{near}'?" if near else f"{text} For all keys: playshuffle help config"


def wrong(name: str, value: object, key: Key) -> str | None:
    """Return an error message if a value has the wrong type."""
    if key.is_right(value):
        return None
    return f"{name} must be {key.takes}" + (f": {name} = {key.example}" if key.example else ".")


def faults(
    document: Document,
    above: Sequence[str],
    table: Mapping[str, Any],
    known_keys: Mapping[str, Key],
    check: Callable[[str, Any], str | None] = lambda *_: None,
) -> list[Fault]:
    """Return the faults in the keys of a table.

    `check` returns an error message if the value of a key is invalid.
    """
    problems = []
    for name, value in table.items():
        key = known_keys.get(name)
        if key is None:
            problems.append(document.fault(unknown(name, known_keys), *above, name))
            continue
        message = wrong(name, value, key) or check(name, value)
        if message is not None:
            problems.append(document.fault(message, *above, name))
    return problems


def expanded(path: str, folder: bytes) -> bytes:
    """Make a path absolute: `~` is a home, and a relative path starts at `folder`.

    Raises:
        PlayshuffleError: the path is empty, has a NUL, or names an unknown user.
    """
    if not path:
        raise PlayshuffleError("The name is empty.", Exit.CONFIG)
    name = path.encode()
    if b"\0" in name:
        raise PlayshuffleError(f"'{shown(path)}' contains a NUL, which no name can.", Exit.CONFIG)
    absolute = os.path.expanduser(name)
    if name.startswith(b"~") and absolute == name:
        raise PlayshuffleError(
            f"'{shown(path)}' names an unknown user. For a name that begins with ~, write ./{shown(path)}.",
            Exit.CONFIG,
        )
    return os.path.normpath(os.path.join(folder, absolute))


def options_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `Options` that a playlist's table sets with values of the right types."""
    fields: dict[str, Any] = {}
    for row in ROWS:
        if not row.has_key or row.key not in table:
            continue
        value = table[row.key]
        if row.type == tuple[str, ...]:
            texts = [value] if isinstance(value, str) else value
            value = tuple(os.fsdecode(text.encode()) for text in texts)
        fields[row.name] = str(value) if row.may_be_number else value
    return fields
