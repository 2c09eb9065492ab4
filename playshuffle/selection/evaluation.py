"""Evaluate a query over folders of tracks.

Columns are compared some thousand rows at a time, and each distinct value once, so that a query over a
large library costs little.
"""

import operator
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import compress
from typing import Any

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.folder import Folder
from playshuffle.selection.deadline import TooSlowError, time_limit
from playshuffle.selection.fields import Field, Rows
from playshuffle.selection.terms import Node, Not, Term
from playshuffle.text import short

# Looks up the tags of a folder. Rows as the cache keeps them are enough, and take half the time.
TagsOf = Callable[[Folder], Rows]

REGEX_LIMIT_S = 5.0  # processor time of all regular expressions of a query, over the whole library
_BLOCK_ROWS = 4096


class Block:
    """Some folders, of which each column is put together when it is asked for."""

    def __init__(self, folders: Sequence[Folder], tags_of: TagsOf | None) -> None:
        self._folders = folders
        self._tags_of = tags_of
        self._tags: list[Rows] | None = None
        self._columns: dict[str, list[Any]] = {}
        self.count = sum(folder.names.count(b"/") + 1 for folder in folders)

    def column(self, field: Field) -> list[Any]:
        """Return the raw values of a field, by row."""
        if field.name not in self._columns:
            column: list[Any] = []
            rows = self._rows() if field.needs_tags else [()] * len(self._folders)
            for folder, tags in zip(self._folders, rows, strict=True):
                column += field.read(folder, tags)
            self._columns[field.name] = column
        return self._columns[field.name]

    def _rows(self) -> Sequence[Rows]:
        if self._tags is None:
            self._tags = [
                [None] * (folder.names.count(b"/") + 1) if self._tags_of is None else self._tags_of(folder)
                for folder in self._folders
            ]
        return self._tags


class _Part:
    """Some rows of a block. count: how many."""

    def __init__(self, block: "Block | _Part", flags: Sequence[bool], count: int) -> None:
        self._block = block
        self._flags = flags
        self._columns: dict[str, list[Any]] = {}
        self.count = count

    def column(self, field: Field) -> list[Any]:
        if field.name not in self._columns:
            whole = self._block.column(field) if self.count else ()
            self._columns[field.name] = list(compress(whole, self._flags))
        return self._columns[field.name]


class Evaluation:
    """One evaluation of a query, given as its tree and the terms of that from left to right.

    lacking: tracks without a tag, by the term's number and the field. hits: tracks that pass the checks of a
    term, of those that it looks at, by the identity of the term.
    """

    def __init__(self, tree: Node, terms: Sequence[Term], tags_of: TagsOf | None) -> None:
        self._tree = tree
        self._terms = terms
        self._tags_of = tags_of
        self._left_s = REGEX_LIMIT_S
        self.lacking: defaultdict[tuple[int, str], int] = defaultdict(int)
        self.hits: defaultdict[int, int] = defaultdict(int)

    def block(self, folders: Sequence[Folder]) -> Block:
        """Return some folders to look at."""
        return Block(folders, self._tags_of)

    def blocks(self, folders: Iterable[Folder]) -> Iterator[Block]:
        """Divide folders into blocks of some thousand rows."""
        part: list[Folder] = []
        count = 0
        for folder in folders:
            part.append(folder)
            count += folder.names.count(b"/") + 1
            if count >= _BLOCK_ROWS:
                yield self.block(part)
                part, count = [], 0
        if part:
            yield self.block(part)

    def matches(self, block: Block, counted: Sequence[bool] | None = None) -> list[bool]:
        """Return which rows match. counted: rows that count as lacking a tag; None for all."""
        flags = self._of_node(self._tree, block)
        for number, term in enumerate(self._terms):
            if len(term.checks) == 1:
                self._count_lacking(number, term, block, flags, counted)
        return flags

    def _count_lacking(
        self, number: int, term: Term, block: Block, flags: Sequence[bool], counted: Sequence[bool] | None
    ) -> None:
        """Count the tracks without the tag that the term itself kept, if negated, or left out."""
        field = term.checks[0].field
        if not field.needs_tags:
            return
        column = block.column(field)
        if counted is not None:
            column, flags = list(compress(column, counted)), list(compress(flags, counted))
        missing = "" if "" in column else None
        count = column.count(missing)
        if count:
            kept = list(compress(column, flags)).count(missing)
            self.lacking[number, field.name] += kept if term.is_negated else count - kept

    def _of_node(self, node: Node, block: "Block | _Part") -> list[bool]:
        if isinstance(node, Term):
            return self.of_term(node, block)
        if isinstance(node, Not):
            return list(map(operator.not_, self._of_node(node.node, block)))
        if not node.nodes:
            return [True] * block.count
        if not node.is_any:
            return self._of_all(node.nodes, block)
        parts = [self._of_node(each, block) for each in node.nodes]
        return list(reduce(lambda one, other: map(operator.or_, one, other), parts[1:], iter(parts[0])))

    def _of_all(self, nodes: Sequence[Node], block: "Block | _Part") -> list[bool]:
        """Look at each node only where all before it match; at the cheapest first."""
        result = [False] * block.count
        left: Sequence[int] = range(block.count)
        for node in sorted(nodes, key=_cost):
            flags = self._of_node(node, block)
            if all(flags):
                continue
            left = list(compress(left, flags))
            block = _Part(block, flags, len(left))
        for row in left:
            result[row] = True
        return result

    def of_term(self, term: Term, block: "Block | _Part") -> list[bool]:
        """Return in which rows a term holds.

        Raises:
            PlayshuffleError: its regular expression takes too long.
        """
        columns = [block.column(check.field) for check in term.checks]
        flags = self._in_time(term, columns) if term.is_regex else _any_of(term, columns)
        self.hits[id(term)] += flags.count(True)
        return list(map(operator.not_, flags)) if term.is_negated else flags

    def _in_time(self, term: Term, columns: Sequence[Sequence[Any]]) -> list[bool]:
        """Compare with a regular expression, in the time that is left for all of them."""
        began_s = time.process_time()
        try:
            with time_limit(max(self._left_s, 0.01)):
                flags = _any_of(term, columns)
        except TooSlowError:
            raise PlayshuffleError(
                f"The regular expression in column {term.column} of the query takes too long: "
                f"{short(term.text)}. All of them together may take {REGEX_LIMIT_S:g} seconds. "
                "The usual reason is a repeated group that repeats, like (a+)+.",
                Exit.USAGE,
            ) from None
        self._left_s -= time.process_time() - began_s
        return flags


def _cost(node: Node) -> int:
    """Rank nodes by what a look at them costs; equal ones stay in the order of the text."""
    if not isinstance(node, Term):
        return 2
    return 3 if node.is_regex else len(node.checks) > 1


def _any_of(term: Term, columns: Sequence[Sequence[Any]]) -> list[bool]:
    parts = [check.run(column) for check, column in zip(term.checks, columns, strict=True)]
    return list(reduce(lambda one, other: map(operator.or_, one, other), parts))
