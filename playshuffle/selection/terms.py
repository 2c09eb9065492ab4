"""Build the tree of a query from groups and terms."""

import os
import re
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, NamedTuple

from playshuffle.selection import values
from playshuffle.selection.fields import ANYWHERE, DATE, FIELDS, PATH, TEXT, Field
from playshuffle.selection.tokens import QueryError, Token, TokenKind
from playshuffle.selection.values import Test
from playshuffle.text import ALIASES, folded, short

_PART = r"(?s)([-^])?(?:(\S+?)(?<!\\):)?(.*)"  # as in beets
_DASHED = r"([0-9][0-9:.]{0,9})-([0-9][0-9:.]{0,9})"  # a range as people write it
_LONGEST_SHOWN = 60
_MEMORY = 1 << 14  # cached results; raw values repeat from track to track


class Check(NamedTuple):
    """A test of one field. `passes` returns whether a raw value passes the test."""

    field: Field
    passes: Test

    @classmethod
    def of(cls, field: Field, test: Test, *, wants_text: bool) -> "Check":
        """Return a check that decodes and tests a value. A missing value fails, an empty text may pass."""

        @lru_cache(_MEMORY)
        def passes(raw: Any) -> bool:
            value = field.decode(raw)
            if value is None:
                return False
            return test(values.as_text(field, value) if wants_text else value)

        return cls(field, passes)


class Term(NamedTuple):
    """A test of one or more fields. It matches if a check passes, or, if negated, if none passes.

    Attributes:
        column: where the term begins in the query, from 1.
        is_regex: may take long to evaluate.
        tops: the absolute paths that a path term means; empty for all other terms.
        relative: the path as written, if it is relative to the roots.
    """

    text: str
    column: int
    is_negated: bool
    is_regex: bool
    checks: tuple[Check, ...]
    tops: tuple[bytes, ...] = ()
    relative: bytes = b""


class Not(NamedTuple):
    """A node that matches if its child does not."""

    node: "Node"


class Group(NamedTuple):
    """A node that matches if all children match, or, with `is_any`, if one child does."""

    is_any: bool
    nodes: tuple["Node", ...]


Node = Term | Not | Group

EVERYTHING = Group(is_any=False, nodes=())


class Builder:
    """Builds the tree from tokens. Relative paths start at `roots`."""

    def __init__(self, tokens: Sequence[Token], source: str, roots: Sequence[bytes], now: datetime) -> None:
        self.tokens = tokens
        self.source = source
        self.roots = roots
        self.now = now
        self._next = 0

    def build(self) -> Node:
        return self._any() if self.tokens else EVERYTHING

    def _any(self) -> Node:
        nodes = [self._all()]
        while self._kind() is TokenKind.OR:
            self._next += 1
            nodes.append(self._all())
        return nodes[0] if len(nodes) == 1 else Group(is_any=True, nodes=tuple(nodes))

    def _all(self) -> Node:
        nodes = []
        while self._kind() not in (None, TokenKind.OR, TokenKind.CLOSE):
            nodes.append(self._node())
        if not nodes:
            raise QueryError(self._column(), "a term is missing. An OR needs one on both sides.")
        return nodes[0] if len(nodes) == 1 else Group(is_any=False, nodes=tuple(nodes))

    def _node(self) -> Node:
        token = self.tokens[self._next]
        self._next += 1
        if token.kind is TokenKind.NOT:
            return Not(self._node())
        if token.kind is TokenKind.OPEN:
            node = self._any()
            self._next += 1
            return node
        return self._term(token)

    def _kind(self) -> TokenKind | None:
        return self.tokens[self._next].kind if self._next < len(self.tokens) else None

    def _column(self) -> int:
        return 1 + (self.tokens[self._next].start if self._next < len(self.tokens) else len(self.source))

    def _term(self, token: Token) -> Node:
        if not token.text:
            return EVERYTHING
        column = token.start + 1
        word = token.text.strip()
        match = re.match(_PART, word)
        assert match is not None, "the last part matches anything"
        name, value = match[2], match[3].replace("\\:", ":")
        if name is None and ":" not in word and len(word) > 1 and word[-1] in "+-":
            raise QueryError(
                column,
                f"'{_short(word)}' would sort in beets, but the order is another option."
                f" To look for that text, name a field, like title:{_short(word)}",
            )
        if name is None and value.startswith(("/", "~/")):
            name = "path"
        if name is not None and name.lower() == "not":
            raise QueryError(column, f"there is no field 'not'. To exclude, write -{_short(value)}")
        fields = ANYWHERE if name is None else (self._field(name.replace("\\:", ":"), column),)
        try:
            checks = tuple(self._check(field, value) for field in fields)
        except ValueError as error:
            ends = re.fullmatch(_DASHED, value)
            hint = f" For a range, write {name}:{ends[1]}..{ends[2]}" if ends is not None else ""
            operand = value.lstrip(":=~<>") or "an empty value"
            raise QueryError(column, f"'{_short(word)}': {_short(operand)} {error}{hint}") from None
        term = Term(
            self.source[token.start : token.end], column, bool(match[1]), value.startswith(":"), checks
        )
        if fields[0].kind != PATH or value.startswith((":", "=")):
            return term
        relative = b"" if value.startswith(("/", "~")) else os.path.normpath(os.fsencode(value))
        return term._replace(tops=values.tops(value, self.roots), relative=relative)

    def _field(self, name: str, column: int) -> Field:
        wanted = ALIASES["field"].get(name.lower(), name.lower())
        if wanted in FIELDS:
            return FIELDS[wanted]
        near = get_close_matches(wanted[:40], [*FIELDS, *ALIASES["field"]], 1, 0.5)
        if wanted == "added":
            hint = " When a file was added is not known. For files of the last 30 days, write mtime:-30d.."
        elif wanted.lstrip("!") in FIELDS:
            hint = f" To exclude, write -{_short(wanted.lstrip('!'))}:"
        elif near:
            hint = rf" Did you mean '{near[0]}'? To look for a text with a colon, write \: for it."
        else:
            hint = rf" To look for a text with a colon, write \: for it. Fields are {', '.join(FIELDS)}."
        raise QueryError(column, f"there is no field '{_short(name)}'.{hint}")

    def _check(self, field: Field, value: str) -> Check:
        exact = value.removeprefix("=")
        test = None
        if value.startswith(":"):
            test = values.matching(value[1:])
        elif value.startswith("=~"):
            test = values.equal(value[2:], folded)
        elif value != exact and field.kind in (TEXT, PATH, DATE):
            test = values.equal(exact)
        elif field.kind == TEXT:
            test = values.containing(value)
        if test is not None:
            return Check.of(field, test, wants_text=True)
        if field.kind == PATH:
            return Check.of(field, values.below(values.tops(value, self.roots)), wants_text=False)
        return Check.of(field, values.comparing(field, exact, self.now), wants_text=False)


def _short(text: str) -> str:
    return short(text, _LONGEST_SHOWN)
