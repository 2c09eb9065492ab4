"""Choose tracks by a query: beets' grammar with OR, parentheses and comparisons.

Columns are compared some thousand rows at a time, and each distinct value once, so that a query
over a large library costs little. Every term can explain which values it saw in a track.
"""

import operator
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from itertools import compress
from typing import Any, NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library.folder import Folder
from playshuffle.library.tracks import Tracks
from playshuffle.selection import values, words
from playshuffle.selection.deadline import TooSlowError, time_limit
from playshuffle.selection.fields import PATH, TIME, Field, Rows
from playshuffle.selection.idle_terms import Idle, idle_terms
from playshuffle.selection.terms import Builder, Group, Node, Not, Term

# Looks up the tags of a folder. Rows as the cache keeps them are enough, and take half the time.
TagsOf = Callable[[Folder], Rows]

REGEX_LIMIT_S = 5.0  # processor time of all regular expressions of a query, over the whole library
_BLOCK_ROWS = 4096


class Finding(NamedTuple):
    """What a term says about one track.

    text, column: the term as written, and where. holds: whether it does, negation included.
    values: name and text of each field that it looked at, empty where the tag is missing.
    """

    text: str
    column: int
    holds: bool
    values: tuple[tuple[str, str], ...]


class Lacking(NamedTuple):
    """A term that decided on tracks without the tag. is_kept: those hold, for the term is negated."""

    text: str
    field: str
    track_count: int
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """The tracks that match a query and the others, as indices, ascending.

    lacking: terms that decided on tracks without the tag. idle: terms that change nothing.
    """

    kept: Sequence[int]
    left_out: Sequence[int]
    lacking: Sequence[Lacking]
    idle: Sequence[Idle] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. text: as written. terms: of the tree, from left to right."""

    text: str
    tree: Node
    terms: tuple[Term, ...]

    @property
    def needs_tags(self) -> bool:
        """Return whether the query needs more than the packed columns."""
        return any(check.field.needs_tags for term in self.terms for check in term.checks)

    def select(self, tracks: Tracks, tags_of: TagsOf | None) -> Selection:
        """Return which tracks match.

        Args:
            tracks: the library.
            tags_of: looks up the tags of a folder; None where there are none.

        Raises:
            PlayshuffleError: the regular expressions take too long.
        """
        run = _Run(self, tags_of if self.needs_tags else None)
        flags: list[bool] = []
        counted = _chosen_flags(tracks)
        for block in run.blocks(tracks.folders):
            flags += run.matches(block, counted and counted[len(flags) : len(flags) + block.count])
        if tracks.chosen is not None:
            flags = [flags[row] for row in tracks.chosen]
        kept = [index for index, is_match in enumerate(flags) if is_match]
        left_out = [index for index, is_match in enumerate(flags) if not is_match]
        lacking = [
            Lacking(self.terms[number].text, field, count, self.terms[number].is_negated)
            for (number, field), count in run.lacking.items()
            if count
        ]
        hits = {number: run.hits[id(term)] for number, term in enumerate(self.terms)}
        idle = idle_terms(self.terms, hits, (folder.path for folder in tracks.folders))
        return Selection(kept, left_out, lacking, idle)

    def explain(self, tracks: Tracks, tags_of: TagsOf | None, index: int) -> list[Finding]:
        """Return what each term says about one track, and the values that it saw.

        Raises:
            PlayshuffleError: a regular expression takes too long.
        """
        folder, row = _place(tracks, index)
        run = _Run(self, tags_of if self.needs_tags else None)
        block = run.block([folder])
        return [
            Finding(
                term.text,
                term.column,
                run.of_term(term, block)[row],
                tuple(
                    (check.field.name, shown_value(check.field, block.column(check.field)[row]))
                    for check in term.checks
                ),
            )
            for term in self.terms
        ]


def parse(text: str, roots: Sequence[bytes] = (), now: datetime | None = None) -> Query:
    """Parse a query.

    Args:
        text: as the user wrote it; an empty one matches everything, as in beets.
        roots: folders in which relative paths begin.
        now: local time for relative dates.

    Raises:
        QueryError: it is not a query; says in which column, and which field is the nearest.
    """
    local = datetime.fromtimestamp(time.time()) if now is None else now  # noqa: DTZ006 - users write local times
    tree = Builder(words.split(text), text, roots, local).build()
    return Query(text, tree, tuple(_terms(tree)))


def narrow(queries: Sequence[Query]) -> Query:
    """Return a query for what matches all of these; the terms keep their columns."""
    if len(queries) == 1:
        return queries[0]
    tree = Group(is_any=False, nodes=tuple(query.tree for query in queries))
    return Query(" ".join(f"({query.text})" for query in queries), tree, tuple(_terms(tree)))


def _terms(node: Node) -> Iterator[Term]:
    if isinstance(node, Term):
        yield node
    elif isinstance(node, Not):
        yield from _terms(node.node)
    else:
        for each in node.nodes:
            yield from _terms(each)


def _chosen_flags(tracks: Tracks) -> list[bool] | None:
    """Return which rows of the folders are tracks; None if all are."""
    if tracks.chosen is None:
        return None
    flags = [False] * sum(folder.names.count(b"/") + 1 for folder in tracks.folders)
    for row in tracks.chosen:
        flags[row] = True
    return flags


class _Block:
    """Some folders, of which each column is put together when it is asked for."""

    def __init__(self, folders: Sequence[Folder], tags_of: TagsOf | None) -> None:
        self._folders = folders
        self._tags_of = tags_of
        self._tags: list[Rows] | None = None
        self._columns: dict[str, list[Any]] = {}
        self.count = sum(folder.names.count(b"/") + 1 for folder in folders)

    def column(self, field: Field) -> list[Any]:
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

    def __init__(self, block: "_Block | _Part", flags: Sequence[bool], count: int) -> None:
        self._block = block
        self._flags = flags
        self._columns: dict[str, list[Any]] = {}
        self.count = count

    def column(self, field: Field) -> list[Any]:
        if field.name not in self._columns:
            whole = self._block.column(field) if self.count else ()
            self._columns[field.name] = list(compress(whole, self._flags))
        return self._columns[field.name]


class _Run:
    """One evaluation of a query.

    lacking: tracks without a tag, by the term's number and the field. hits: tracks that pass the checks of a
    term, of those that it looks at, by the identity of the term.
    """

    def __init__(self, query: Query, tags_of: TagsOf | None) -> None:
        self._query = query
        self._tags_of = tags_of
        self._left_s = REGEX_LIMIT_S
        self.lacking: defaultdict[tuple[int, str], int] = defaultdict(int)
        self.hits: defaultdict[int, int] = defaultdict(int)

    def block(self, folders: Sequence[Folder]) -> _Block:
        return _Block(folders, self._tags_of)

    def blocks(self, folders: Iterable[Folder]) -> Iterator[_Block]:
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

    def matches(self, block: _Block, counted: Sequence[bool] | None = None) -> list[bool]:
        """Return which rows match. counted: rows that count as lacking a tag; None for all."""
        flags = self._of_node(self._query.tree, block)
        for number, term in enumerate(self._query.terms):
            if len(term.checks) == 1:
                self._count_lacking(number, term, block, flags, counted)
        return flags

    def _count_lacking(
        self, number: int, term: Term, block: _Block, flags: Sequence[bool], counted: Sequence[bool] | None
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

    def _of_node(self, node: Node, block: "_Block | _Part") -> list[bool]:
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

    def _of_all(self, nodes: Sequence[Node], block: "_Block | _Part") -> list[bool]:
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

    def of_term(self, term: Term, block: "_Block | _Part") -> list[bool]:
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
                f"{shown(term.text)}. All of them together may take {REGEX_LIMIT_S:g} seconds. "
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


def _place(tracks: Tracks, index: int) -> tuple[Folder, int]:
    """Return the folder of a track, and its row there."""
    row = index if tracks.chosen is None else tracks.chosen[index]
    for folder in tracks.folders:
        count = folder.names.count(b"/") + 1
        if row < count:
            return folder, row
        row -= count
    raise ValueError(f"no track has the index {index}")


def shown_value(field: Field, raw: Any) -> str:
    """Return a raw value of a field as text, empty where it is missing."""
    value = field.decode(raw)
    if value is None:
        return ""
    if field.kind in (PATH, TIME):
        return values.as_text(field, value)
    if isinstance(value, bytes):
        return os.fsdecode(value)
    return values.as_text(field, value)
