r"""Split the text of a query into words, parentheses and ORs.

Quotes work as in a shell. A backslash outside of quotes escapes white space, quotes, parentheses, commas and
itself; elsewhere, and in regular expressions, it stays.
"""

import enum
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.text import short

LONGEST = 10_000  # characters of a query
_DEEPEST = 100  # nested groups; the parser is recursive


class QueryError(PlayshuffleError):
    """An invalid query. Columns count from 1; `reason` is a sentence without the column."""

    def __init__(self, column: int, reason: str) -> None:
        super().__init__(f"The query has an error in column {column}: {reason}", Exit.USAGE)
        self.column = column
        self.reason = reason


class TokenKind(enum.Enum):
    """Kinds of tokens."""

    WORD = enum.auto()
    OPEN = enum.auto()
    CLOSE = enum.auto()
    OR = enum.auto()
    NOT = enum.auto()


class Token(NamedTuple):
    """A piece of a query."""

    kind: TokenKind
    text: str
    start: int
    end: int


def split(text: str) -> list[Token]:
    """Split a query into tokens.

    Raises:
        QueryError: it is too long, a quote is not closed, or parentheses are not balanced.
    """
    if len(text) > LONGEST:
        raise QueryError(LONGEST + 1, f"queries of more than {LONGEST:,} characters are not supported.")
    return _Splitter(text).run()


class _Splitter:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[Token] = []
        self._open: list[int] = []

    def run(self) -> list[Token]:
        at = 0
        while at < len(self._text):
            at = at + 1 if self._text[at].isspace() else self._token(at)
        if self._open:
            raise QueryError(self._open[-1] + 1, "this parenthesis is not closed.")
        return self._tokens

    def _add(self, kind: TokenKind, start: int, end: int, text: str = "") -> int:
        self._tokens.append(Token(kind, text, start, end))
        return end

    def _token(self, at: int) -> int:
        character = self._text[at]
        if character == "(":
            self._open.append(at)
            if len(self._open) > _DEEPEST:
                raise QueryError(at + 1, f"more than {_DEEPEST} groups inside each other are not supported.")
            return self._add(TokenKind.OPEN, at, at + 1)
        if character == ")":
            if not self._open:
                raise QueryError(at + 1, _STRAY)
            self._open.pop()
            return self._add(TokenKind.CLOSE, at, at + 1)
        if character in "-^" and self._text[at + 1 : at + 2] == "(":
            return self._add(TokenKind.NOT, at, at + 1)
        if character == "," and self._tokens and self._tokens[-1].kind is TokenKind.CLOSE:
            return self._add(TokenKind.OR, at, at + 1)
        return self._word(at)

    def _word(self, start: int) -> int:
        pieces: list[str] = []
        inner: list[int] = []
        is_plain = True
        at = start
        while at < len(self._text) and not self._text[at].isspace():
            character = self._text[at]
            if character in "\"'":
                piece, at = self._quoted(at)
                pieces.append(piece)
                is_plain = False
                continue
            if character == "\\" and at + 1 < len(self._text):
                pieces.append(_escaped(self._text[at + 1], is_regex="::" in "".join(pieces)))
                at += 2
                continue
            if character == "(":
                inner.append(at)
            elif character == ")" and inner:
                inner.pop()
            elif character == ")" and self._open:
                break
            elif character == ")":
                raise QueryError(at + 1, _STRAY)
            pieces.append(character)
            at += 1
        if inner:
            raise QueryError(inner[-1] + 1, f"this parenthesis is not closed. {_HINT}")
        self._add_word("".join(pieces), start, at, is_plain=is_plain)
        return at

    def _add_word(self, word: str, start: int, end: int, *, is_plain: bool) -> None:
        if word == "OR" and is_plain:
            self._add(TokenKind.OR, start, end)
            return
        stem = word.removesuffix(",")
        if stem or stem == word:
            self._add(TokenKind.WORD, start, end - len(word) + len(stem), stem)
        if stem != word:
            self._add(TokenKind.OR, end - 1, end)

    def _quoted(self, start: int) -> tuple[str, int]:
        quote = self._text[start]
        pieces: list[str] = []
        at = start + 1
        while at < len(self._text):
            character = self._text[at]
            if character == quote:
                return "".join(pieces), at + 1
            if character == "\\" and quote == '"' and self._text[at + 1 : at + 2] in ('"', "\\"):
                at += 1
                character = self._text[at]
            pieces.append(character)
            at += 1
        raise QueryError(
            start + 1,
            f"the quote {quote} is not closed. It opens before: {short(self._text[start + 1 :], 30)}."
            """ The shell may have removed the other one. For a phrase, write 'title:"blue train"'""",
        )


_HINT = "Put text that has one in quotes, and a group around whole terms: (genre:a OR genre:b)."
_STRAY = f"this parenthesis was not opened. {_HINT}"


def _escaped(character: str, *, is_regex: bool) -> str:
    if character.isspace() or character in "\"'\\":
        return character
    if is_regex or character not in "(),":
        return "\\" + character
    return character
