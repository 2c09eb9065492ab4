"""Lay out the output of commands: verdicts, tables, bars, times and short paths.

A terminal gets marks, colours, tables and relative times. A pipe, or a terminal too narrow for a table, gets
plain lines with words and dates.
"""

import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple, TextIO
from unicodedata import category, east_asian_width

from playshuffle.errors import shown
from playshuffle.text import shell_word

_NARROW = 40  # columns; below, nothing is aligned
_USUAL_WIDTH = 80
_INDENT = 2
_LABEL = 9
_LEAST_COLUMN, _LEAST_END = 16, 10  # minimum widths of a table's first and last column
_OPTION = r"(--[a-z][a-z-]+|(?<!\S)-[a-z]|\bplayshuffle(?: [a-z]+)?|\bList:|\bsudo) (?=[\w~<-])"
# A command to copy: after a colon or at the start, up to the word that ends with a punctuation mark.
_WORD = r"""(?:'[^']*'|"'+"|[^\s'"])+"""
_COMMAND = rf"(?:^|(?<=: ))(?:playshuffle|sudo|systemctl|beet|mpv|mv) (?:{_WORD}(?<![.,;:)]) )*{_WORD}"
_KEPT = "\x1f"  # a non-breaking space
_ESCAPE = r"\x1b\[[0-9;]*m"


class Mark(Enum):
    """A verdict: its sign, the word for ASCII and pipes, and its colour."""

    GOOD = ("✓", "ok", "32")
    WARNING = ("!", "warning", "33")
    BAD = ("✗", "error", "31")
    RUNNING = ("●", "ok", "32")


Fact = tuple[Mark | str, str]
"""A line of a result: a verdict with its mark, a text with its label, or a name in a list with neither."""


class Screen(NamedTuple):
    """What an output stream can show.

    Attributes:
        width: columns; None for a pipe or file.
    """

    width: int | None = None
    has_colour: bool = False
    has_unicode: bool = False
    now_s: float = 0

    @property
    def is_terminal(self) -> bool:
        return self.width is not None and self.width >= _NARROW

    def verdict(self, mark: Mark, text: str) -> str:
        """Return a text behind its verdict's sign or word; wrapped on a terminal."""
        sign, word, colour = mark.value
        start = sign if self.is_terminal and self.has_unicode else f"{word}:"
        first, *others = self.hanging(text, f"{start} ", _INDENT)
        return "\n".join([f"{self.coloured(start, colour)}{first[len(start) :]}", *others])

    def facts(self, facts: Iterable[Fact]) -> Iterator[str]:
        for label, text in facts:
            if isinstance(label, Mark):
                yield self.verdict(label, text)
            else:
                yield from self.detail(label, text) if label else self.hanging(text, "    ")

    def coloured(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self.has_colour and text else text

    def detail(self, label: str, text: str) -> list[str]:
        """Return a line with a label, to print below the verdict; wrapped on a terminal."""
        if not self.is_terminal:
            return self.wrapped(text, f"{label}: ")
        return self.wrapped(text, f"{'':{_INDENT}}{label:<{_LABEL}} ")

    def wrapped(self, text: str, start: str = "") -> list[str]:
        """Return a wrapped text behind `start`, indented by the width of `start`.

        Paths below the home folder begin with `~`, and commands as the user can type them.
        """
        text = as_typed(_from_home(text))
        if not self.is_terminal:
            return [f"{start}{text}".replace(_KEPT, " ")]

        assert self.width is not None
        text = re.sub(_COMMAND, lambda command: command[0].replace(" ", _KEPT), text)
        lines, line = [], start
        for blank, word in re.findall("( *)([^ ]+)", re.sub(_OPTION, rf"\1{_KEPT}", text)):
            if line != start and columns(line + blank + word) > self.width:
                lines.append(line)
                line = start = " " * columns(start)
            line += word if lines and line == start else blank + word
        return [text.replace(_KEPT, " ") for text in (*lines, line.rstrip())]

    def hanging(self, text: str, start: str = "", indent: int = 2 * _INDENT) -> list[str]:
        """Return wrapped text that begins with `start`; further lines have a small indent."""
        first, *others = self.wrapped(text, start)
        if others:
            blanks = " " * (len(start) - len(start.lstrip()) + indent)
            others = self.wrapped(" ".join(line.strip() for line in others), blanks)
        return [first, *others]

    def table(
        self, header: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int] = ()
    ) -> list[str]:
        """Return rows aligned below their header; in a pipe, plain lines that repeat the titles.

        Args:
            header: titles of the columns; the first cell of a row names the row.
            rows: for each title, a cell; empty columns are omitted.
        """
        filled = [column for column in range(len(header)) if column == 0 or any(row[column] for row in rows)]
        right = {filled.index(column) for column in right if column in filled}
        header, *rows = [[row[column] for column in filled] for row in (header, *rows)]
        widths = [max(columns(row[column]) for row in (header, *rows)) for column in range(len(header))]
        overflow = sum(widths) + 2 * (len(widths) - 1) - (self.width or 0)
        cuts = [max(0, min(overflow, widths[0] - _LEAST_COLUMN))]
        cuts.append(max(0, min(overflow - cuts[0], widths[-1] - _LEAST_END)))
        if self.is_terminal and overflow > 0 and sum(cuts) == overflow:
            widths[0] -= cuts[0]
            widths[-1] -= cuts[1]
            overflow = 0
            for row in rows:
                row[0], row[-1] = self.tail(row[0], widths[0]), self.head(row[-1], widths[-1])
        if not self.is_terminal or overflow > 0:
            return [line for row in rows for line in self._plain(header, row)]
        return [
            "  ".join(
                _aligned(cell, widths[index], index in right) for index, cell in enumerate(row)
            ).rstrip()
            for row in ([name.upper() for name in header], *rows)
        ]

    def _plain(self, header: Sequence[str], row: Sequence[str]) -> list[str]:
        facts = [f"{name} {cell}".strip() for name, cell in zip(header[1:], row[1:], strict=True) if cell]
        text = ": ".join(filter(None, [f"{header[0]} {row[0]}".lstrip(), "; ".join(facts)]))
        return self.hanging(text, indent=_INDENT) if self.is_terminal else [text]

    def tail(self, text: str, width: int) -> str:
        """Return a text, such as a path; if it is too wide, only its end."""
        cut = "…" if self.has_unicode else "~"
        while columns(text) > width:
            text = f"{cut}{text[2:] if text.startswith(cut) else text[1:]}"
        return text

    def head(self, text: str, width: int) -> str:
        return self.tail(text[::-1], width)[::-1]

    def bar(self, part: int, total: int, width: int = 14) -> str:
        if not self.is_terminal:
            return ""
        filled = width * part // total if total else 0
        full, empty = "█░" if self.has_unicode else "#."
        return full * filled + empty * (width - filled)

    def when(self, seconds: float) -> str:
        """Return words for a past moment: '2 min ago', 'yesterday 08:12'; in a pipe, date and time."""
        then = time.localtime(seconds)
        if not self.is_terminal:
            return time.strftime("%Y-%m-%d %H:%M", then)
        ago = self.now_s - seconds
        if 0 <= ago < 60:
            return "just now"
        if 0 <= ago < 3600:
            return f"{ago // 60:.0f} min ago"
        days = _day(self.now_s) - _day(seconds)
        if days == 0:
            return time.strftime("today %H:%M", then)
        if days == 1:
            return time.strftime("yesterday %H:%M", then)
        return f"{days} days ago" if 1 < days < 7 else time.strftime("%Y-%m-%d", then)


def screen_of(stream: TextIO | None) -> Screen:
    """Return the width, colours and characters of a stream; None counts as a pipe."""
    if stream is None or not stream.isatty():
        return Screen(now_s=time.time())
    is_dumb = os.environ.get("TERM") == "dumb"
    return Screen(
        _width(stream),
        has_colour=not is_dumb and not os.environ.get("NO_COLOR"),
        has_unicode=not is_dumb and _is_unicode(stream),
        now_s=time.time(),
    )


def unbroken(command: str) -> str:
    """Return a command whose spaces never end a line."""
    return command.replace(" ", _KEPT)


def home_path(path: bytes | str) -> str:
    """Return a path for display, with `~` for the home folder."""
    text, home = os.fsdecode(path), os.environ.get("HOME", "").rstrip("/")
    if home and (text == home or text.startswith(f"{home}/")):
        text = f"~{text[len(home) :]}"
    return shown(text)


def _from_home(text: str) -> str:
    home = os.environ.get("HOME", "").rstrip("/")
    return re.sub(rf"(?<![^\s(]){re.escape(home)}(?=/|[.,:;)]*(?:\s|$))", "~", text) if home else text


def as_typed(text: str) -> str:
    """Return a text whose commands begin as bin/playshuffle was typed, while no PATH has the program."""
    typed = os.environ.get("PLAYSHUFFLE_TYPED")
    return (
        re.sub(r"(?<![\w./~-])playshuffle(?= [a-z-])", lambda _: shell_path(typed), text) if typed else text
    )


def shell_path(path: bytes | str) -> str:
    """Return a path quoted for a shell, with `~` for the home folder."""
    text, home = os.fsdecode(path), os.environ.get("HOME", "").rstrip("/")
    is_below = home and text.startswith(f"{home}/") and text != f"{home}/"
    return f"~/{shell_word(text[len(home) + 1 :])}" if is_below else shell_word(text)


def columns(text: str) -> int:
    """Return the number of terminal columns of a text."""
    if text.isascii() and "\x1b" not in text:
        return len(text)

    text = re.sub(_ESCAPE, "", text)
    drawn = (sign for sign in text if category(sign) not in ("Mn", "Me", "Cf"))
    return sum(1 + (east_asian_width(sign) in "WF") for sign in drawn)


def _width(stream: TextIO) -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and len(columns) < 6:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except OSError:
        return _USUAL_WIDTH


def _is_unicode(stream: TextIO) -> bool:
    """Return whether the locale has more than ASCII; Python writes UTF-8 in any locale."""
    locales = [os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")]
    if locales[1] == "C.UTF-8" and locales[2] in {"", "C", "POSIX"}:
        locales[1] = ""  # Python itself sets this in the C locale (PEP 538)
    locale = next(filter(None, locales), "C")
    return locale not in {"C", "POSIX"} and (stream.encoding or "").lower().startswith("utf")


def _day(seconds: float) -> int:
    then = time.localtime(seconds)
    return int(seconds + then.tm_gmtoff) // 86_400


def _aligned(cell: str, width: int, is_right: bool) -> str:
    padding = " " * (width - columns(cell))
    return padding + cell if is_right else cell + padding
