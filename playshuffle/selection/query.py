"""Choose tracks by a query: beets' grammar with OR, parentheses and comparisons."""

import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple

from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf
from playshuffle.library.tracks import Tracks
from playshuffle.selection import tokens, values
from playshuffle.selection.evaluation import Evaluation
from playshuffle.selection.fields import Field
from playshuffle.selection.findings import Finding, Idle, Lacking
from playshuffle.selection.idle_terms import idle_terms
from playshuffle.selection.terms import Builder, Group, Node, Not, Term


class Selection(NamedTuple):
    """The tracks that match a query, and all other tracks, as ascending indices."""

    kept: Sequence[int]
    left_out: Sequence[int]
    lacking: Sequence[Lacking]
    idle: Sequence[Idle] = ()


class Query(NamedTuple):
    """A parsed query, with the terms of its tree from left to right.

    Its methods raise a PlayshuffleError if regular expressions take too long.
    """

    text: str
    tree: Node
    terms: tuple[Term, ...]

    def select(self, tracks: Tracks, indices: Sequence[int], rows_of: RowsOf) -> Selection:
        """Divide tracks, given as ascending indices, into matching tracks and others."""
        run = Evaluation(rows_of)
        flags: list[bool] = []
        for block in run.blocks(tracks.folders):
            flags += run.matches(self.tree, block)
        flags = tracks.of_tracks(flags)
        kept = [index for index in indices if flags[index]]
        left_out = [index for index in indices if not flags[index]]
        lacking = []
        for term, untagged in run.untagged.items():
            lacks = tracks.of_tracks(untagged)
            if count := sum(lacks[index] and flags[index] is term.is_negated for index in indices):
                lacking.append(Lacking(term.text, term.checks[0].field.name, count, term.is_negated))
        idle = idle_terms(self.terms, run.hits, (folder.path for folder in tracks.folders))
        return Selection(kept, left_out, lacking, idle)

    def explain(self, tracks: Tracks, rows_of: RowsOf, index: int) -> list[Finding]:
        """Return the result of each term for one track, with the compared values."""
        folder, row = _place(tracks, index)
        run = Evaluation(rows_of)
        [block] = run.blocks([folder])

        def compared(field: Field) -> tuple[str, str]:
            return field.name, shown_value(field, block.column(field)[row])

        return [
            Finding(
                term.text,
                term.column,
                run.matches(term, block)[row],
                tuple(compared(check.field) for check in term.checks),
            )
            for term in self.terms
        ]


def parse(text: str, roots: Sequence[bytes] = (), now: datetime | None = None) -> Query:
    """Parse a query; an empty one matches everything, as in beets.

    Relative paths start at the roots, relative dates count from `now` (local time).

    Raises:
        QueryError: the text is not a query; the error names the column.
    """
    local = datetime.fromtimestamp(time.time()) if now is None else now  # noqa: DTZ006 - users write local times
    tree = Builder(tokens.split(text), text, roots, local).build()
    terms = tuple(_terms(tree))
    for term, following in pairwise(terms):
        if term.text.lower() in ("and", "not", "or") and ":" in following.text:  # beets searches for the word
            how = "To exclude, write -genre:jazz. For either, write genre:jazz , genre:rock"
            raise tokens.QueryError(
                term.column, f"'{term.text}' is a word to search for only in quotes. {how}"
            )
    return Query(text, tree, terms)


def with_new_paths(text: str, new_place: Callable[[bytes], bytes]) -> str:
    """Replace each absolute path in the text of a query by the path that `new_place` returns for it.

    Regular expressions stay as they are, and so does a text that is not a query.
    """
    try:
        words = [token for token in tokens.split(text) if token.kind is tokens.TokenKind.WORD]
    except tokens.QueryError:
        return text
    for word in reversed(words):
        match = re.fullmatch(r"([-^]?(?:\w+:)?(?:=~(?=/)|=)?)([/~].*)", word.text, re.DOTALL)
        if match is None:
            continue
        before = os.path.expanduser(os.fsencode(match[2]))
        path = os.fsdecode(after := new_place(before))
        if after != before:
            quoted = path.replace("\\", "\\\\").replace('"', '\\"')
            quoted += "/" if path[-1:].isspace() else ""  # a term loses spaces at its end
            path = f'"{quoted}"' if re.search(r"""[\s"'\\(),]""", path) else path
            is_bare = match[1] in ("", "-", "^") and ":" in path  # the path would be a field and its value
            start = f"{match[1]}path:" if is_bare else match[1]
            text = text[: word.start] + start + path + text[word.end :]
    return text


def narrow(queries: Sequence[Query]) -> Query:
    """Return a query for tracks that match all queries. Each term keeps the column in its own query."""
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
        for child in node.nodes:
            yield from _terms(child)


def _place(tracks: Tracks, index: int) -> tuple[Folder, int]:
    row = index if tracks.rows is None else tracks.rows[index]
    for folder in tracks.folders:
        if row < folder.track_count:
            return folder, row
        row -= folder.track_count
    raise ValueError(f"no track has the index {index}")


def shown_value(field: Field, raw: Any) -> str:
    """Return a raw value of a field as text, which is empty for a missing value."""
    value = field.decode(raw)
    return "" if value is None else values.as_text(field, value)
