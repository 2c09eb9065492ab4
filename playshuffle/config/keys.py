"""Define the keys of the configuration, check their names and types, and word errors in them."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from playshuffle.config.options import Row, rows
from playshuffle.config.toml_file import Document
from playshuffle.errors import Exit, PlayshuffleError, shown

_TOO_LARGE = 10**9  # as for the numbers of the command line that are written in texts


class Key(NamedTuple):
    """What a key takes, in words, and a check of it."""

    takes: str
    is_right: Callable[[object], bool]


def is_text(value: object) -> bool:
    """Return whether a value is a text."""
    return isinstance(value, str)


def is_number(value: object) -> bool:
    """Return whether a value is a number that is not too large."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _TOO_LARGE


def _is_number_or_text(value: object) -> bool:
    return is_number(value) or is_text(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


_TEXT = Key("a text", is_text)
_FOLDERS = Key('a list of texts, like ["~/Music"]', _is_texts)
_DURATION = Key('a text, like "90m"', is_text)
_CHECKS: Mapping[object, Key] = {
    bool: Key("true or false", lambda value: isinstance(value, bool)),
    int | None: Key("a number, in nine digits or less", is_number),
    str: _TEXT,
    str | None: _TEXT,
    tuple[str, ...]: Key("a text or a list of texts", lambda value: is_text(value) or _is_texts(value)),
}


def _key_of(type_: object, row: Row) -> Key:
    """Return what the configuration takes for an option of this type."""
    takes, is_right = _TEXT if row.is_one_key else _CHECKS[type_]
    if row.may_be_number:
        takes, is_right = "a number or a text", _is_number_or_text
    return Key(f"{takes}, like {row.example}" if row.example else takes, is_right)


TOP: Mapping[str, Key] = {"folders": _FOLDERS, "settle": _DURATION, "poll": _DURATION}

FIELDS: Mapping[str, str] = {row.key: field.name for field, row in rows() if row.has_key}

_SEVERAL = {field.name for field, _ in rows() if field.type == tuple[str, ...]}

PLAYLIST: Mapping[str, Key] = {
    "folders": _FOLDERS,
    **{row.key: _key_of(field.type, row) for field, row in rows() if row.has_key},
    "reshuffle": _TEXT,
    "deal": Key('a number or a text, like 40 or "90m"', _is_number_or_text),
    "every": _TEXT,
    "tell": Key('a list of players, like ["mpd"]', _is_texts),
}

_WHY_NOT = {
    "allow_shrink": "it would let a drive that is away empty the playlist; say it to `make`, once",
    "dry_run": "say --dry-run to `make`",
    "json": "say --json to `make`",
    "name": "a playlist has its name in [playlist.NAME]",
}
_FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


def unknown(name: str, keys: Mapping[str, Key]) -> str:
    """Say that there is no such key, and which one may have been meant."""
    problem = f"there is no key '{shown(name)}'"
    plain = name.strip().lstrip("-").lower().replace("-", "_")
    if plain in _WHY_NOT:
        return f"{problem}: {_WHY_NOT[plain]}."
    if plain.startswith("no_") and plain[3:] in keys:
        return f"{problem}; write {plain[3:]} = false."
    if plain in keys:
        return f"{problem}; write {plain}, in small letters with underscores."
    if plain in PLAYLIST:
        return f"{problem} outside of the playlists; write it below a line [playlist.NAME]."
    if plain in TOP:
        return f"{problem} in a playlist; write it at the top, before the first playlist."
    near = get_close_matches(plain, keys, 1, 0.4)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return f"{problem}; {hint}Known are {', '.join(keys)}."


def wrong(name: str, value: object, key: Key) -> str | None:
    """Say what is wrong with the type of a value; None if nothing is."""
    if key.is_right(value):
        return None
    return f"{name} takes {key.takes}."


def faults(
    document: Document, above: Sequence[str], table: Mapping[str, Any], known_keys: Mapping[str, Key]
) -> list[str]:
    """Return what is wrong with the names and types of a table: sentences with file and line."""
    found = []
    for name, value in table.items():
        key = known_keys.get(name)
        said = unknown(name, known_keys) if key is None else wrong(name, value, key)
        if said is not None:
            found.append(f"{document.at(*above, name)}: {said}")
    return found


def in_keys(text: str) -> str:
    """Say in the words of a configuration what was said in those of the command line."""
    for flag, word in (
        ("Remove --no-tags", "Remove tags = false"),
        (", or say --force to replace it", ", or write force = true to replace it"),
        (", or say -o - for standard output", ""),
    ):
        text = text.replace(flag, word)
    # Not those that begin with --no-: their key means the opposite.
    return _FLAG.sub(lambda match: _as_key(match[0]) if _as_key(match[0]) in PLAYLIST else match[0], text)


def key_of(option: str) -> str:
    """Return the key of an option, given as a flag or as a key."""
    key = _as_key(option)
    return key if key in PLAYLIST else key.removeprefix("no_")


def _as_key(option: str) -> str:
    return option.removeprefix("--").replace("-", "_")


def expanded(path: str, folder: bytes) -> bytes:
    """Make a path whole: `~` is a home, and what is relative counts from the folder.

    Raises:
        PlayshuffleError: it is empty, has a NUL, or names the home of nobody.
    """
    if not path:
        raise PlayshuffleError("the name is empty.", Exit.CONFIG)
    name = path.encode()
    if b"\0" in name:
        raise PlayshuffleError(f"'{shown(path)}': no name can have a NUL.", Exit.CONFIG)
    absolute = os.path.expanduser(name)
    if name.startswith(b"~") and absolute == name:
        raise PlayshuffleError(
            f"'{shown(path)}': there is no such user; write ./{shown(path)} if a name begins like that.",
            Exit.CONFIG,
        )
    return os.path.normpath(os.path.join(folder, absolute))


def options_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `Options` that a table gives, except for the output.

    Args:
        table: of a playlist; the types of its values are right.
    """
    return {
        FIELDS[key]: _field_value(PLAYLIST[key], value, is_several=FIELDS[key] in _SEVERAL)
        for key, value in table.items()
        if key in FIELDS and key != "output"
    }


def _field_value(key: Key, value: Any, *, is_several: bool) -> Any:
    if is_several:
        texts = [value] if isinstance(value, str) else value
        return tuple(os.fsdecode(text.encode()) for text in texts)
    return str(value) if key.is_right("") else value
