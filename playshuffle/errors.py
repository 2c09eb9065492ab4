"""Define errors as whole sentences, exit codes, and names that are safe to print."""

import enum
import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple


class Exit(enum.IntEnum):
    """Exit codes. Codes from 66 to 78 are from BSD's sysexits."""

    DONE = 0
    LOSSES = 1
    USAGE = 2
    NOTHING_TO_PLAY = 3
    NO_INPUT = 66
    CANNOT_CREATE = 73
    MISSING = 75
    CONFIG = 78
    INTERRUPTED = 130


def of_all(codes: Sequence[Exit]) -> Exit:
    """Return the exit code for these failures: DONE for none, LOSSES for several."""
    return Exit.DONE if not codes else codes[0] if len(codes) == 1 else Exit.LOSSES


class PlayshuffleError(Exception):
    """An error that the user can fix; the text names the problem, its place and what to do.

    Each function that reads or writes a file raises it if that fails. Docstrings name other reasons only. The
    default exit code is for a wrong command line.

    Attributes:
        keys: configuration keys, the likeliest cause first.
        details: lines below the text, for users at a terminal.
    """

    keys: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    def __init__(self, text: str, code: Exit = Exit.USAGE) -> None:
        super().__init__(text)
        self.code = code

    @property
    def in_configuration(self) -> str:
        return self.spelled(str)

    def spelled(self, spell: Callable[[str], str]) -> str:  # noqa: ARG002 - only an OptionError names options
        return str(self)


class OptionError(PlayshuffleError):
    """An option has a wrong value, or does not work with others.

    Args:
        text: with `{}` for each option, and `{name}` for each value.
        options: spelled as in the configuration: `gap`, `tags = false`.
        values: replace each `{name}`; bytes and texts are made safe to print.
    """

    def __init__(self, text: str, /, *options: str, code: Exit = Exit.USAGE, **values: object) -> None:
        self._text = text
        self._options = options
        self._values = {
            key: shown(value) if isinstance(value, bytes | str) else value for key, value in values.items()
        }
        super().__init__(self.spelled(flag), code)
        self.keys = tuple(option.partition(" ")[0] for option in options)

    def spelled(self, spell: Callable[[str], str]) -> str:
        return self._text.format(*map(spell, self._options), **self._values)


# Options that only the configuration has.
ONLY_KEYS = frozenset(("extinf", "ignore_files", "inside", "relative_to", "title"))


def flag(option: str, short: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return an option as the command line spells it: `--no-tags` for `tags = false`.

    `short` maps long flags to the flags to show instead, such as `--limit` to `-n`.
    """
    key, _, value = option.partition(" = ")
    if key in ONLY_KEYS:
        return option
    name = "-o" if key == "output" else f"{'--no-' if value == 'false' else '--'}{key.replace('_', '-')}"
    end = "" if value in ("", "true", "false") else " " + value.strip('"')
    return short.get(name, name) + end


class MissingError(PlayshuffleError):
    """A folder or drive seems to be missing; nothing was written.

    Attributes:
        summary: which folder, and why it seems missing; no advice.
    """

    def __init__(self, path: bytes, why: str, advice: str, summary: str | None = None) -> None:
        self.path = path
        self.why = why
        self.advice = advice
        self.summary = summary or f"{shown(path)} seems to be missing: {why}"
        super().__init__(f"{self.summary}. The playlist was not changed. {advice}", Exit.MISSING)


class Note(NamedTuple):
    """A message to the user besides the result.

    Attributes:
        text: a sentence or two.
        about: the file or folder, if several can have such a note.
    """

    code: str
    text: str
    about: bytes = b""
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.text} {self.advice}".rstrip()


# Characters that change how the rest of a line is displayed: bidi controls and marks, line
# and paragraph separators, the byte order mark, invisible tag characters, soft hyphen.
_ODD = frozenset("\xad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\ufeff") | {
    chr(code)
    for first, last in ((0x202A, 0x202E), (0x2060, 0x206F), (0xFFF9, 0xFFFB), (0xE0000, 0xE007F))
    for code in range(first, last + 1)
}


def shown(name: bytes | str | os.PathLike[str]) -> str:
    """Make a name or tag harmless to print: escape control, bidi and undecodable characters."""
    text = os.fsdecode(name)
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_harmless, text))


def _harmless(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that is not UTF-8, as os.fsdecode carries it
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"\\x{code:02x}"
    if character in _ODD or 0xD800 <= code <= 0xDFFF:
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character
