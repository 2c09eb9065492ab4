"""Choose the tracks that match the queries of a request, and show what each term decided."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import compress

from playshuffle.library.tag_columns import RowsOf
from playshuffle.library.tracks import Tracks
from playshuffle.options.option_values import fields_of_queries
from playshuffle.pipeline.choice import Choice, why_no_match
from playshuffle.pipeline.request import Request
from playshuffle.selection.findings import Finding
from playshuffle.selection.no_match import advised, count_terms
from playshuffle.selection.query import Query, narrow, parse
from playshuffle.tags.cause import WHERE, Cause
from playshuffle.text import counted

_EXPLAINED = 20  # tracks, as many as `make -v` names: each needs a look into its tags


def matching(choice: Choice, request: Request, now: datetime, rows_of: RowsOf, last: Sequence[int]) -> Choice:
    """Omit the tracks that the queries do not match.

    If the drive of a track is missing, and the cache has lost its tags, no query can test it. Such a track
    stays in the list if it is one of the `last` tracks of the list, and out of it otherwise.

    Raises:
        QueryError: a text is not a query.
    """
    query, all_tracks, undecided = _query(request, now), choice.all_tracks, frozenset[int]()
    if not fields_of_queries(request.options.where) <= {"path", "today"}:
        undecided = _without_known_tags(all_tracks).intersection(choice.remaining)
    decided = (
        [index for index in choice.remaining if index not in undecided] if undecided else choice.remaining
    )
    selection = query.select(all_tracks, decided, rows_of)

    def terms(index: int) -> Sequence[Finding]:
        return query.explain(all_tracks, rows_of, index)

    left_out = sorted([*selection.left_out, *undecided.difference(last)])
    reasons = {index: why_no_match(terms(index)) for index in left_out[:_EXPLAINED]}
    reasons |= dict.fromkeys(undecided, Cause(WHERE, "its tags are unknown until its drive is back"))
    choice = choice.without(WHERE, left_out, reasons, terms)
    idle = [
        advised(term, query, all_tracks, decided, rows_of) if term.is_negated and term.near is None else term
        for term in selection.idle
    ]
    return choice._replace(lacking=selection.lacking, idle=idle, undecided=undecided)


def _without_known_tags(tracks: Tracks) -> frozenset[int]:
    if all(folder.durations_ms is not None for folder in tracks.folders):
        return frozenset()
    is_unknown = tracks.column(lambda folder: [folder.durations_ms is None] * folder.track_count)
    return frozenset(compress(range(len(tracks)), is_unknown))


def term_lines(
    request: Request, now: datetime, tracks: Tracks, indices: Sequence[int], rows_of: RowsOf
) -> Iterator[str]:
    """Yield a line for each term: how many of these tracks it matches."""
    terms = list(count_terms(_query(request, now), tracks, indices, rows_of))
    facts = [f"{term.tracks:,} of {counted(len(indices), 'track')}" for term in terms]
    widths = max(len(term.text) for term in terms), max(map(len, facts))
    for term, fact in zip(terms, facts, strict=True):
        yield f"  {term.text:{widths[0]}}  {fact:>{widths[1]}}  {term.advice}".rstrip()


def _query(request: Request, now: datetime) -> Query:
    now = now.replace(tzinfo=None)  # dates of queries are local
    return narrow([parse(text, request.roots, now) for text in request.options.where])
