"""The keys of a configuration: what each takes, and what is wrong with one -> said in its words."""

import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown

EVERY = ("day", "week", "run")
_TOO_LARGE = 10**9  # as for the numbers of the command line that are written in texts


class Key(NamedTuple):
    """What a key takes, in words, and a check of it."""

    takes: str
    is_right: Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _TOO_LARGE


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


_TEXT = Key("a text", _is_text)
_NUMBER = Key("a number, in nine digits or less", _is_number)
_YES = Key("true or false", lambda value: isinstance(value, bool))
_FILE = Key('a text, like "~/Music/calm.m3u"', _is_text)
_FOLDERS = Key('a list of texts, like ["~/Music"]', _is_texts)
_DURATION = Key('a text, like "90m"', _is_text)

TOP: Mapping[str, Key] = {"folders": _FOLDERS, "quiet": _DURATION, "poll": _DURATION}

# Of these, those that are fields of `Options` are handed on under their names.
PLAYLIST: Mapping[str, Key] = {
    "folders": _FOLDERS,
    "output": _FILE,
    "order": _TEXT,
    "by": _TEXT,
    "block_size": _NUMBER,
    "inside": _TEXT,
    "part": _TEXT,
    "gap": Key('a number or a text, like 50 or "25%"', lambda value: _is_number(value) or _is_text(value)),
    "pin": Key(
        'a text or a list of texts, like "intro.mp3@first"', lambda value: _is_text(value) or _is_texts(value)
    ),
    "limit": _NUMBER,
    "time": _DURATION,
    "seed": _TEXT,
    "for": _TEXT,
    "paths": _TEXT,
    "root_as": _TEXT,
    "relative_to": Key('a text, like "/mnt/stick"', _is_text),
    "replace_prefix": Key(
        'a text or a list of texts, like "/srv/music=/music"',
        lambda value: _is_text(value) or _is_texts(value),
    ),
    "part_size": _NUMBER,
    "strict": _YES,
    "extinf": _YES,
    "tags": _YES,
    "ignore_files": _YES,
    "force": _YES,
    "reshuffle": _TEXT,
    "deal": Key('a number or a text, like 40 or "90m"', lambda value: _is_number(value) or _is_text(value)),
    "every": _TEXT,
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
    said = f"there is no key '{shown(name)}'"
    plain = name.strip().lstrip("-").lower().replace("-", "_")
    if plain in _WHY_NOT:
        return f"{said}: {_WHY_NOT[plain]}."
    if plain.startswith("no_") and plain[3:] in keys:
        return f"{said}; write {plain[3:]} = false."
    if plain in keys:
        return f"{said}; write {plain}, in small letters with underscores."
    if plain in PLAYLIST:
        return f"{said} outside of the playlists; write it below a line [playlist.NAME]."
    if plain in TOP:
        return f"{said} in a playlist; write it at the top, before the first playlist."
    near = get_close_matches(plain, keys, 1, 0.4)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return f"{said}; {hint}Known are {', '.join(keys)}."


def wrong(name: str, value: object, key: Key) -> str | None:
    """Say what is wrong with the type of a value; None if nothing is."""
    if key.is_right(value):
        return None
    return f"{name} takes {key.takes}."


def in_keys(text: str) -> str:
    """Say in the words of a configuration what was said in those of the command line."""
    for flag, word in (
        (" leave --no-tags away", " leave tags = false away"),
        (", or say --force to replace it", ", or write force = true to replace it"),
        (", or say -o - for standard output", ""),
    ):
        text = text.replace(flag, word)
    return _FLAG.sub(lambda found: _key(found[1]) or found[0], text)


def _key(flag: str) -> str | None:
    key = flag.replace("-", "_")
    return key if key in PLAYLIST else None


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
    whole = os.path.expanduser(name)
    if name.startswith(b"~") and whole == name:
        raise PlayshuffleError(
            f"'{shown(path)}': there is no such user; write ./{shown(path)} if a name begins like that.",
            Exit.CONFIG,
        )
    return os.path.normpath(os.path.join(folder, whole))


def options_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `Options`, but folders and output, that a table of right types gives."""
    given = {
        name: value
        for name, value in table.items()
        if name not in ("folders", "output", "reshuffle", "deal", "every")
    }
    if "gap" in given:
        given["gap"] = str(given["gap"])
    if "for" in given:
        given["player"] = given.pop("for")
    for name in {"pin", "replace_prefix"} & given.keys():
        texts = given[name]
        given[name] = tuple(
            os.fsdecode(text.encode()) for text in ([texts] if isinstance(texts, str) else texts)
        )
    return given
