"""Explain why no track matches a query: count the tracks of each term, and suggest similar values."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import NamedTuple

from playshuffle.library.tag_columns import RowsOf
from playshuffle.library.tracks import Tracks
from playshuffle.selection.fields import COUNT_PLAYS, FIELDS, FLAG, LENGTH, OF_HISTORY, TEXT, Field
from playshuffle.selection.findings import Idle
from playshuffle.selection.query import Query
from playshuffle.selection.terms import Term
from playshuffle.selection.values import BETWEEN
from playshuffle.text import folded, short

_CLOSENESS = 0.5
_CLOSE = 0.7  # of a value to exclude: most exclusions that change nothing are right
_MOST_VALUES = 10_000  # values to compare; more take seconds

# Terms with a meaning in other query languages, and the term to write here.
_ADVICE: Mapping[str, Callable[[re.Match[str]], str]] = {
    r"(?i:and|&&?)": lambda _: "a word to search for; all terms must match without it",
    r"(?i:or|\|\|?)": lambda _: "a word to search for; for either, write: genre:jazz , genre:rock",
    r"(?i:not)|!": lambda _: "a word to search for; to exclude, write: -genre:christmas",
    r"!([^:]+)": lambda match: f"to exclude, write: -{match[1]}",
    rf"({'|'.join(FIELDS)})==?(.+)": lambda match: f"to search a field, write: {match[1]}:{match[2]}",
    rf"({'|'.join(FIELDS)})!=(.+)": lambda match: f"to exclude, write: -{match[1]}:{match[2]}",
    r"(mtime|last_played):-?(\d+[dwmy])": lambda match: f"since then, write: {match[1]}:-{match[2]}..",
    rf"({'|'.join(FIELDS)})>=?(.+)": lambda match: f"to compare, write: {match[1]}:{match[2]}..",
    rf"({'|'.join(FIELDS)})<=?(.+)": lambda match: f"to compare, write: {match[1]}:..{match[2]}",
    r'(?:(\w+):)?(?!:)([^|,"]+(?:[|,][^|,"]+)+)': lambda match: (
        f"for either, write: {' , '.join(_in_field(match[1], part) for part in re.split('[|,]', match[2]))}"
    ),
}


def _in_field(field: str | None, part: str) -> str:
    """Return a term for a part of a value. The part may repeat the field, as in genre:jazz,genre:rock."""
    has_field = field is None or re.match(rf"[-^]?(?:{'|'.join(FIELDS)}):.", part)
    return part if has_field else f"{field}:{part}"


class TermCount(NamedTuple):
    """A term of a query, and the number of tracks that it matches.

    Attributes:
        advice: a suggestion, such as a similar value; empty if none is known.
    """

    text: str
    tracks: int
    advice: str


def count_terms(query: Query, tracks: Tracks, indices: Sequence[int], rows_of: RowsOf) -> Iterator[TermCount]:
    """Count the given tracks that match each term, seen as a query of its own."""
    values_of = partial(_values, tracks, indices, rows_of)
    for term, following in zip(query.terms, (*query.terms[1:], None), strict=True):
        alone = Query(term.text, term, (term,)).select(tracks, indices, rows_of)
        near = next((f"nearest: path:{short(idle.near)}" for idle in alone.idle if idle.near), "")
        count = len(alone.kept)
        yield TermCount(
            short(term.text, 40), count, near or _phrase(term, following) or _advice(term, count, values_of)
        )


def advised(idle: Idle, query: Query, tracks: Tracks, indices: Sequence[int], rows_of: RowsOf) -> Idle:
    """Return a term that excludes no track, with advice."""
    term = next(term for term in query.terms if term.text == idle.text)
    field, colon, value = term.text.lstrip("-^").partition(":")
    parts = re.split("[|,] *", value)
    advice = ""
    if not colon and field in FIELDS:
        example = "yes" if FIELDS[field].kind == FLAG else "VALUE"
        advice = f"To exclude by the tag, write: -{field}:{example}"
    elif colon and len(parts) > 1 and all(parts) and value[0] not in ":\"'":
        advice = (
            f"To exclude each, write: {' '.join('-' + _in_field(field, part).lstrip('-^') for part in parts)}"
        )
    elif colon:
        values, kind = _values(tracks, indices, rows_of, term.checks[0].field), term.checks[0].field.kind
        near = _nearest_value(value, values, _CLOSE) if kind == TEXT and not term.is_regex else None
        advice = "" if near is None else f"Did you mean: -{field}:{_quoted(near)}"
        advice = advice if values else "No track has this tag."
    return idle._replace(advice=advice)


def _quoted(value: str) -> str:
    return value if value.isalnum() else f'"{short(value, 40)}"'


def _phrase(term: Term, following: Term | None) -> str:
    is_word = following is not None and len(following.checks) > 1 and not following.is_negated
    if following is None or not is_word or following.text.lower() in ("and", "or", "not"):
        return ""
    field, colon, value = term.text.partition(":")
    is_next = following.column == term.column + len(term.text) + 1
    is_text = colon and term.checks[0].field.kind == TEXT and f"{value}{following.text}".isalnum()
    return f'for a phrase, write: {field}:"{value} {following.text}"' if is_next and is_text else ""


def _advice(term: Term, count: int, values_of: Callable[[Field], Counter[str]]) -> str:
    for pattern, advice in _ADVICE.items():
        if match := re.fullmatch(pattern, term.text):
            return advice(match)
    field, value = term.checks[0].field, term.text.partition(":")[2]
    if count or term.is_negated or len(term.checks) > 1:
        return ""
    values = values_of(field)
    if field.kind == TEXT and values:
        return _nearest(value, values) or f"see: playshuffle tags {field.name}"
    if field.kind == LENGTH and ":" not in value:
        in_minutes = re.sub(r"[0-9]+", r"\g<0>:00", value)
        return f"in seconds; in minutes, write: length:{in_minutes}"
    if values:
        return ""
    of_history = field.name == "plays" or field.name in OF_HISTORY
    return f"no track has it; see --history. {COUNT_PLAYS}" if of_history else f"no track has a {field.name}"


def _nearest(value: str, values: Counter[str]) -> str:
    near = _nearest_value(value, values, _CLOSENESS)
    return "" if near is None else f"nearest: {short(near, 40)} ({values[near]:,})"


def _nearest_value(value: str, values: Counter[str], closeness: float) -> str | None:
    by_case = {folded(text): text for text, _ in values.most_common(_MOST_VALUES)}
    near = get_close_matches(folded(value.strip("\"'=~")), by_case, 1, closeness)
    return by_case[near[0]] if near else None


def _values(tracks: Tracks, indices: Sequence[int], rows_of: RowsOf, field: Field) -> Counter[str]:
    rows = tracks.column(
        lambda folder: field.read(folder, rows_of(folder) if field.needs_tags else ()), indices
    )
    decoded = Counter(map(field.decode, rows))
    values: Counter[str] = Counter()
    for value, count in decoded.items():
        for part in str(value).split(BETWEEN) if value not in (None, "") else ():
            values[part] += count
    return values
