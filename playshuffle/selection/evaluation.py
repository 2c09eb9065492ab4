"""Evaluate a query over folders of tracks.

Blocks of folders are read one at a time, so that the tags of a large library are never all in memory.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from playshuffle.errors import PlayshuffleError
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import Rows, RowsOf
from playshuffle.selection.deadline import TooSlowError, time_limit
from playshuffle.selection.fields import Field
from playshuffle.selection.terms import Node, Not, Term
from playshuffle.text import short

REGEX_LIMIT_S = 5.0  # processor time of all regular expressions of a query, over the whole library
_BLOCK_FOLDERS = 256


class Block:
    """The values of the tracks in some folders: a column for each field, made on demand."""

    def __init__(self, folders: Sequence[Folder], rows_of: RowsOf) -> None:
        self._folders = folders
        self._rows_of = rows_of
        self._tags: list[Rows] = []
        self._columns: dict[str, list[Any]] = {}
        self.count = sum(folder.track_count for folder in folders)

    def column(self, field: Field) -> list[Any]:
        if field.name not in self._columns:
            if field.needs_tags and not self._tags:
                self._tags = list(map(self._rows_of, self._folders))
            rows = self._tags or [()] * len(self._folders)
            columns = map(field.read, self._folders, rows)
            self._columns[field.name] = [value for column in columns for value in column]
        return self._columns[field.name]


class Evaluation:
    """One evaluation of a query.

    Attributes:
        untagged: for each term about a single tag, flags: whether each track lacks the tag.
    """

    def __init__(self, rows_of: RowsOf) -> None:
        self._rows_of = rows_of
        self._left_s = REGEX_LIMIT_S
        self.hits: Counter[Term] = Counter()
        self.untagged: defaultdict[Term, list[bool]] = defaultdict(list)

    def blocks(self, folders: Sequence[Folder]) -> Iterator[Block]:
        for start in range(0, len(folders), _BLOCK_FOLDERS):
            yield Block(folders[start : start + _BLOCK_FOLDERS], self._rows_of)

    def matches(self, node: Node, block: Block) -> list[bool]:
        """Return, for each track of a block, whether it matches a node of the query."""
        if isinstance(node, Term):
            return self._of_term(node, block)
        if isinstance(node, Not):
            return [not is_match for is_match in self.matches(node.node, block)]
        parts = [self.matches(child, block) for child in node.nodes] or [[True] * block.count]
        return list(map(any if node.is_any else all, zip(*parts, strict=True)))

    def _of_term(self, term: Term, block: Block) -> list[bool]:
        columns = [block.column(check.field) for check in term.checks]
        if len(columns) == 1 and term.checks[0].field.needs_tags:
            self.untagged[term] += [raw in ("", None) for raw in columns[0]]
        flags = self._in_time(term, columns) if term.is_regex else _any_of(term, columns)
        self.hits[term] += flags.count(True)
        return [not is_hit for is_hit in flags] if term.is_negated else flags

    def _in_time(self, term: Term, columns: Sequence[Sequence[Any]]) -> list[bool]:
        began_s = time.process_time()
        try:
            with time_limit(max(self._left_s, 0.01)):
                flags = _any_of(term, columns)
        except TooSlowError:
            raise PlayshuffleError(
                f"The regular expression in column {term.column} of the query takes too long: "
                f"{short(term.text)}. All of them together may take {REGEX_LIMIT_S:g} seconds. "
                "The usual reason is a repeated group that repeats, like (a+)+."
            ) from None
        self._left_s -= time.process_time() - began_s
        return flags


def _any_of(term: Term, columns: Sequence[Sequence[Any]]) -> list[bool]:
    parts = [map(check.passes, column) for check, column in zip(term.checks, columns, strict=True)]
    return list(map(any, zip(*parts, strict=True)))
