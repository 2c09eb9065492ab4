"""Read a TOML file, and find the line of a key."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.text import counted

_BYTES_MAX = 64 * 1024  # hundreds of playlists; to find a line, the text is parsed several times
_AT = r" \(at (?:line (\d+), column \d+|end of document)\)$"
_BARE = r"""=\s*[^\s"'\[{\d+-]"""  # a value without quotes, or with typographic ones


class Fault(NamedTuple):
    """A fault of a configuration, and its place.

    Attributes:
        line: its number, from 1; None for the whole file.
        name: the broken playlist, or `player.NAME`; empty if the whole file is broken.
    """

    path: bytes
    message: str
    line: int | None = None
    name: str = ""

    @property
    def text(self) -> str:
        place = shown(self.path) if self.line is None else f"{shown(self.path)}, line {self.line}"
        return f"{place}: {self.message}"


class ConfigError(PlayshuffleError):
    """A configuration that cannot be used; `faults` are all of its faults."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        first, *others = faults
        more = f" And {counted(len(others), 'more fault')}: playshuffle config check" if others else ""
        super().__init__(first.text + more, Exit.CONFIG)
        self.faults = tuple(faults)


class Document(NamedTuple):
    """The path, text and content of a TOML file."""

    path: bytes
    text: str
    table: Mapping[str, Any]

    def line(self, *keys: str) -> int | None:
        """Return the line, from 1, of the last key in the table that the other keys name; None if missing.

        Python's TOML parser reports no lines. The key is on the line after the longest start of the text
        that parses and lacks the key.
        """
        if not _has(self.table, keys):
            return None
        lines = self.text.split("\n")
        name = keys[-1]  # it may have escapes in the file
        may_be = [number for number, line in enumerate(lines, 1) if name in line or "\\" in line]
        found_line, low, high = 0, 0, len(may_be)
        # It begins on no line of may_be before `low` but the one found, and on none from `high` on.
        while low < high:
            middle = index = (low + high) // 2
            while index >= low and (before := _parsed_start(lines, may_be[index] - 1)) is None:
                index -= 1
            if index >= low and _has(before, keys):
                high = index
            else:
                found_line = may_be[index] if index >= low else found_line
                low = middle + 1
        return found_line or self.line(*keys[:-1])  # inside a value of several lines

    def fault(self, message: str, *keys: str) -> Fault:
        line = None
        while keys and (line := self.line(*keys)) is None:
            keys = keys[:-1]
        return Fault(self.path, message, line)


def read(path: bytes) -> Document:
    """Read a TOML file.

    Raises:
        PlayshuffleError: the file is not readable TOML.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(_BYTES_MAX + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else "no file can have that name"
        raise PlayshuffleError(f"Cannot read the configuration {shown(path)}: {why}.", Exit.CONFIG) from error
    if len(content) > _BYTES_MAX:
        raise PlayshuffleError(
            f"{shown(path)} is not a configuration: it is larger than {_BYTES_MAX // 1024} KiB.", Exit.CONFIG
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError([Fault(path, "This line is not UTF-8. Save the file as UTF-8.", line)]) from error
    return parsed(path, text)


def parsed(path: bytes, text: str) -> Document:
    """Return the document with this text.

    Raises:
        PlayshuffleError: the text is not TOML.
    """
    import tomllib  # most users have no configuration

    try:
        return Document(path, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        match = re.search(_AT, message)
        line = int(match[1]) if match and match[1] else text.count("\n") + 1
        why = message[: match.start()] if match else message
        bad = "".join(text.split("\n")[line - 1 : line])
        why += '. Text needs straight quotes, such as "spread"' if re.search(_BARE, bad) else ""
        raise ConfigError([Fault(path, f"This is not TOML: {shown(why)}.", line)]) from error
    except ValueError as error:  # a number with thousands of digits
        raise PlayshuffleError(f"{shown(path)} has a number that is too long.", Exit.CONFIG) from error
    except RecursionError as error:
        raise PlayshuffleError(f"{shown(path)} is nested too deeply.", Exit.CONFIG) from error


def _parsed_start(lines: Sequence[str], count: int) -> Mapping[str, Any] | None:
    import tomllib  # as above

    try:
        return tomllib.loads("".join(f"{line}\n" for line in lines[:count]))
    except (ValueError, RecursionError):
        return None


def _has(table: object, keys: Sequence[str]) -> bool:
    for key in keys:
        if not isinstance(table, dict) or key not in table:
            return False
        table = table[key]
    return True
