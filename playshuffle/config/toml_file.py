"""Read a TOML file, and find the line of each key."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playshuffle.errors import Exit, PlayshuffleError, shown

_BYTES_MAX = 64 * 1024  # hundreds of playlists; to find a line, the text is read again and again
_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


@dataclass(frozen=True, slots=True)
class Document:
    """A TOML file, read."""

    path: bytes
    text: str
    table: Mapping[str, Any]

    def line(self, *keys: str) -> int | None:
        """The line, from 1, on which the last of these keys begins in the table of the others.

        Python's reader of TOML tells no lines. But a key begins behind the longest beginning
        of the text that is whole and does not have it yet.

        Returns:
            None for a key that is not there.
        """
        if not _has(self.table, keys):
            return None
        lines = self.text.split("\n")
        name = keys[-1]  # which may be written with escapes
        may_be = [number for number, line in enumerate(lines, 1) if name in line or "\\" in line]
        found_line, low, high = 0, 0, len(may_be)
        # It begins on no line of may_be before `low` but the one found, and on none from `high` on.
        while low < high:
            middle = at = (low + high) // 2
            while at >= low and (before := _parsed_start(lines, may_be[at] - 1)) is None:
                at -= 1
            if at >= low and _has(before, keys):
                high = at
            else:
                found_line = may_be[at] if at >= low else found_line
                low = middle + 1
        if found_line:
            return found_line
        return self.line(*keys[:-1])  # within a value of several lines

    def at(self, *keys: str) -> str:
        """Where a key stands, or else its table, to be said before what is wrong with it."""
        line = None
        while keys and (line := self.line(*keys)) is None:
            keys = keys[:-1]
        return shown(self.path) if line is None else f"{shown(self.path)}, line {line}"


def read(path: bytes) -> Document:
    """Read a TOML file.

    Raises:
        PlayshuffleError: it cannot be read, or is no TOML.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(_BYTES_MAX + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = error.strerror if isinstance(error, OSError) else "no file can have that name"
        raise PlayshuffleError(
            f"{shown(path)}: the configuration cannot be read: {why}.", Exit.CONFIG
        ) from error
    if len(content) > _BYTES_MAX:
        raise PlayshuffleError(
            f"{shown(path)} is larger than {_BYTES_MAX // 1024} KiB, so it is no configuration.", Exit.CONFIG
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PlayshuffleError(
            f"{shown(path)}, line {line}: this is not UTF-8; save the file as UTF-8.", Exit.CONFIG
        ) from error
    return Document(path, text, _table(path, text))


def _table(path: bytes, text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        match = _AT.search(message)
        line = int(match[1]) if match and match[1] else text.count("\n") + 1
        why = message[: match.start()] if match else message
        raise PlayshuffleError(
            f"{shown(path)}, line {line}: this is no TOML: {shown(why)}.", Exit.CONFIG
        ) from error
    except ValueError as error:  # a number of thousands of digits
        raise PlayshuffleError(f"{shown(path)} has a number that is too long.", Exit.CONFIG) from error
    except RecursionError as error:
        raise PlayshuffleError(f"{shown(path)} is nested too deeply.", Exit.CONFIG) from error


def _parsed_start(lines: Sequence[str], count: int) -> Mapping[str, Any] | None:
    """The table that the first lines make, if they are whole."""
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
