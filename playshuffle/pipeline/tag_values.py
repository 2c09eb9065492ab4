"""List the values of tags in a library, so that users can write queries for them."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.library.cache import Cache
from playshuffle.library.scan import survey
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.tag_rows import RowsOf, rows_of
from playshuffle.pipeline.tools import Tools
from playshuffle.selection.fields import FIELDS, OF_TRACKS, TEXT, Field
from playshuffle.selection.query import shown_value
from playshuffle.selection.values import BETWEEN


class Coverage(NamedTuple):
    """How many tracks have a field, and how many of them each value; a track may have several."""

    track_count: int
    values: Counter[str]


def coverage(
    roots: Sequence[bytes], tools: Tools, names: Sequence[str] = OF_TRACKS
) -> tuple[int, dict[str, Coverage]]:
    """Return the number of tracks below some folders, and the coverage of each field."""
    with Cache() as cache:
        library = survey(roots, cache, tools.read_all, tools.progress)
        look_up = rows_of(cache, tools.read_all)
        return len(library.tracks), {name: _coverage(library.tracks, FIELDS[name], look_up) for name in names}


def _coverage(tracks: Tracks, field: Field, look_up: RowsOf) -> Coverage:
    column = tracks.column(lambda folder: field.read(folder, look_up(folder) if field.needs_tags else ()))
    count = 0
    values: Counter[str] = Counter()
    for raw, tracks_with in Counter(column).items():
        text = shown_value(field, raw)
        if text:
            count += tracks_with
            for part in text.split(BETWEEN) if field.kind == TEXT else [text]:
                values[part] += tracks_with
    return Coverage(count, values)
