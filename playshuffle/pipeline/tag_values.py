"""List the values of tags in a library, so that users can write queries for them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.errors import Note
from playshuffle.history.sources import Source
from playshuffle.library.tag_columns import RowsOf
from playshuffle.library.tracks import Tracks
from playshuffle.options.contradictions import check_history
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.play_history import play_history, with_plays
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tag_rows import cached_rows
from playshuffle.pipeline.tools import Tools
from playshuffle.selection.fields import FIELDS, OF_HISTORY, OF_TRACKS, TEXT, Field
from playshuffle.selection.query import shown_value
from playshuffle.selection.values import BETWEEN
from playshuffle.text import composed


class Coverage(NamedTuple):
    """The number of tracks with a field, and with each value of it. A track may have several values."""

    track_count: int
    values: Counter[str]


def coverage(
    roots: Sequence[bytes], tools: Tools, names: Sequence[str] = (), history: Sequence[Source] = ()
) -> tuple[int, dict[str, Coverage], Sequence[Note]]:
    """Return the number of tracks below the roots, the coverage of each field, and notes.

    `names` are the fields; empty for all.

    Raises:
        PlayshuffleError: a field needs a history, but none is given.
    """
    check_history(names, has_history=bool(history))
    names = names or [name for name in OF_TRACKS if history or name not in OF_HISTORY]
    request = Request(tuple(roots), None, history=tuple(history))
    with open_library([request], tools) as opened:
        tracks = opened.library(request).tracks
        assert opened.cache is not None, "tags are read"
        rows_of = cached_rows(opened.cache, tools.read_all)
        notes: Sequence[Note] = ()
        if history:
            plays = play_history(opened, request, tracks, rows_of)
            rows_of, notes = with_plays(rows_of, plays, tracks), plays.notes
        return len(tracks), {name: _coverage(tracks, FIELDS[name], rows_of) for name in names}, notes


def _coverage(tracks: Tracks, field: Field, rows_of: RowsOf) -> Coverage:
    column = tracks.column(lambda folder: field.read(folder, rows_of(folder) if field.needs_tags else ()))
    count = 0
    values: Counter[str] = Counter()
    for raw, tracks_with in Counter(column).items():
        text = shown_value(field, raw)
        if text:
            count += tracks_with
            for part in text.split(BETWEEN) if field.kind == TEXT else [text]:
                values[composed(part) if field.kind == TEXT else part] += tracks_with
    return Coverage(count, values)
