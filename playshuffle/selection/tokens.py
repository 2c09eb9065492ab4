r"""Split the text of a query into words, parentheses and ORs.

Quotes work as in a shell. A backslash outside of quotes escapes white space, quotes and itself, and except in
regular expressions also parentheses and commas. Before other characters it stays.
"""

import enum
import re
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.text import short

LONGEST = 10_000  # characters of a query
_DEEPEST = 100  # nested groups; the parser is recursive
# A part of a word: a text in quotes, an escape, or one character.
_PIECE = re.compile(r"""(?s)"(?P<quoted>(?:\\["\\]|[^"])*+)"|'(?P<literal>[^']*)'|\\(?P<escaped>.)|\S""")


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
    """A word, parenthesis, OR or NOT of a query."""

    kind: TokenKind
    text: str
    start: int
    end: int


def split(text: str) -> list[Token]:
    """Split a query into tokens.

    Raises:
        QueryError: the query is too long, a quote is not closed, or parentheses are not balanced.
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
        position = 0
        while position < len(self._text):
            position = position + 1 if self._text[position].isspace() else self._token(position)
        if self._open:
            raise QueryError(self._open[-1] + 1, "this parenthesis is not closed.")
        return self._tokens

    def _add(self, kind: TokenKind, start: int, end: int, text: str = "") -> int:
        self._tokens.append(Token(kind, text, start, end))
        return end

    def _token(self, start: int) -> int:
        character = self._text[start]
        if character == "(":
            self._open.append(start)
            if len(self._open) > _DEEPEST:
                problem = f"more than {_DEEPEST} groups inside each other are not supported."
                raise QueryError(start + 1, problem)
            return self._add(TokenKind.OPEN, start, start + 1)
        if character == ")":
            if not self._open:
                raise QueryError(start + 1, _STRAY)
            self._open.pop()
            return self._add(TokenKind.CLOSE, start, start + 1)
        if character in "-^" and self._text[start + 1 : start + 2] == "(":
            return self._add(TokenKind.NOT, start, start + 1)
        if character == "," and self._tokens and self._tokens[-1].kind is TokenKind.CLOSE:
            return self._add(TokenKind.OR, start, start + 1)
        return self._word(start)

    def _word(self, start: int) -> int:
        word, position, last = "", start, ""
        inner: list[int] = []
        while match := _PIECE.match(self._text, position):
            text = _unescaped(match, is_regex="::" in word)
            if text is None:
                text = match[0]
                if text in "\"'":
                    raise QueryError(position + 1, _unclosed(text, self._text[position + 1 :]))
                if text == ")" and not inner:
                    break
                if text == "(":
                    inner.append(position)
                elif text == ")":
                    inner.pop()
            word += text
            position, last = match.end(), match[0]
        if self._text[position : position + 1] == ")" and not self._open:
            raise QueryError(position + 1, _STRAY)
        if inner:
            raise QueryError(inner[-1] + 1, f"this parenthesis is not closed. {_HINT}")
        return self._add_word(word, start, position, is_or=last == ",")

    def _add_word(self, word: str, start: int, end: int, *, is_or: bool) -> int:
        """Add a word; with `is_or`, its last character is a comma that is neither quoted nor escaped."""
        if self._text[start:end] == "OR":
            return self._add(TokenKind.OR, start, end)
        if not is_or:
            return self._add(TokenKind.WORD, start, end, word)
        if word != ",":
            self._add(TokenKind.WORD, start, end - 1, word[:-1])
        return self._add(TokenKind.OR, end - 1, end)


_HINT = "Put text that has one in quotes, and a group around whole terms: (genre:a OR genre:b)."
_STRAY = f"this parenthesis was not opened. {_HINT}"


def _unclosed(quote: str, rest: str) -> str:
    return (
        f"the quote {quote} is not closed. It opens before: {short(rest, 30)}."
        """ The shell may have removed the other one. For a phrase, write 'title:"blue train"'"""
    )


def _unescaped(piece: re.Match[str], *, is_regex: bool) -> str | None:
    """Return the text of a piece in quotes, or of an escape; None for any other character."""
    if piece["quoted"] is not None:
        return re.sub(r'\\(["\\])', r"\1", piece["quoted"])
    character = piece["escaped"]
    if character is None or character.isspace() or character in "\"'\\":
        return character or piece["literal"]
    return character if character in "()," and not is_regex else "\\" + character
