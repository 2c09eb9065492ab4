"""Define the fields of queries, and the source of their values.

Many tracks have the same raw value, so a term decodes and tests each value only once.
"""

import os
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import Rows, TagRows
from playshuffle.tags.audio_formats import BY_SUFFIX
from playshuffle.tags.reading import Tags
from playshuffle.text import ALIASES

STARS = 5

# The tags of all files of a folder, as `Tags` or in the order of its fields; None for a file without tags.
Read = Callable[[Folder, Rows], Iterable[Any]]

_KINDS = "text number length size date time day path flag"
TEXT, NUMBER, LENGTH, SIZE, DATE, TIME, DAY, PATH, FLAG = _KINDS.split()


class Field(NamedTuple):
    """A field of a query.

    Attributes:
        read: returns the raw value of each file of a folder.
        decode: converts a raw value. A missing value becomes None, or in a text field an empty text.
    """

    name: str
    kind: str
    read: Read
    decode: Callable[[Any], Any]
    needs_tags: bool = True


def as_it_is(raw: Any) -> Any:
    """Return a raw value that needs no decoding."""
    return raw


def tag(name: str) -> Read:
    """Return a function that reads one tag of each file of a folder."""
    index = Tags._fields.index(name)
    empty = Tags()

    def read(_: Folder, tags: Rows) -> Iterable[Any]:
        if isinstance(tags, TagRows) and not tags.untagged:
            return tags.column(index)
        return [(row or empty)[index] for row in tags]

    return read


def _tagged(name: str, kind: str = TEXT, source: str = "", decode: Callable[[Any], Any] = as_it_is) -> Field:
    return Field(name, kind, tag(source or name), decode)


def _year(date: str) -> int | None:
    return int(date[:4]) if date else None


def _stars(share: float | None) -> float | None:
    return None if share is None else round(share * STARS * 2) / 2


def _packed(
    name: str, kind: str, column: Callable[[Folder], Iterable[Any]], decode: Callable[[Any], Any] = as_it_is
) -> Field:
    return Field(name, kind, lambda folder, _: column(folder), decode, needs_tags=False)


def _today(folder: Folder) -> Iterable[str]:
    """Return today's local date as MM-DD for each file."""
    return [time.strftime("%m-%d")] * folder.track_count


_LOSSLESS = Tags._fields.index("lossless")
# Names in beets of formats that are not their letters in capitals.
_FORMATS = {
    "asf": "Windows Media", "matroska": "Matroska", "mp4": "AAC", "musepack": "Musepack",
    "optimfrog": "OptimFROG", "opus": "Opus", "shorten": "Shorten", "speex": "Speex", "vorbis": "OGG",
    "wavpack": "WavPack",
}  # fmt: skip


def _formats(folder: Folder, tags: Rows) -> Iterable[str]:
    """Yield the format of each file as beets names it; only tags distinguish Apple Lossless from AAC."""
    for name, row in zip(folder.file_names(), tags, strict=True):
        format_ = BY_SUFFIX.get(os.path.splitext(name)[1].lower(), "mp3")
        is_alac = format_ == "mp4" and row is not None and row[_LOSSLESS]
        yield "ALAC" if is_alac else _FORMATS.get(format_, format_.upper())


_ALL = (
    _tagged("title"),
    _packed("artist", TEXT, Folder.all_artists, lambda raw: raw.decode(errors="replace")),
    _tagged("album"),
    _tagged("albumartist", source="album_artist"),
    *map(_tagged, ("genre", "composer", "grouping", "work", "comment", "mood", "language")),
    _tagged("date", DATE),
    _tagged("year", NUMBER, "date", _year),
    _tagged("original_date", DATE),
    _tagged("original_year", NUMBER, "original_date", _year),
    _tagged("disc", NUMBER),
    _tagged("track", NUMBER, "number"),
    _tagged("bpm", NUMBER),
    _tagged("rating", NUMBER, "rating", _stars),
    _tagged("plays", NUMBER, "play_count"),
    _tagged("skips", NUMBER, "skip_count"),
    _tagged("last_played", TIME),
    _tagged("media_kind", NUMBER),
    _packed("length", LENGTH, Folder.all_durations_ms, lambda raw: raw / 1000 if raw else None),
    _packed("path", PATH, Folder.file_paths),
    Field("format", TEXT, _formats, as_it_is),
    _tagged("bitrate", NUMBER),
    _tagged("samplerate", NUMBER, "sample_rate"),
    _tagged("lossless", FLAG),
    _tagged("explicit", FLAG),
    _packed("size", SIZE, lambda folder: folder.stamp_column(0), lambda raw: raw if raw >= 0 else None),
    _packed("mtime", TIME, lambda folder: folder.stamp_column(1), lambda raw: raw / 1e9),
    _packed("today", DAY, _today),
    *map(_tagged, ("recording_id", "release_id")),
)
FIELDS = {field.name: field for field in _ALL}
OF_TRACKS = tuple(field.name for field in _ALL if field.kind != DAY)


def is_query(text: str) -> bool:
    """Return whether a text begins like a query, such as `genre:jazz`."""
    field, colon, value = text.lstrip("-^").partition(":")
    return bool(colon and value) and field in {*FIELDS, *ALIASES["field"]}


# Known only from a play history.
OF_HISTORY = frozenset(("last_played", "skips"))
COUNT_PLAYS = "To begin one: playshuffle service install --listen"

# Fields that a word without a field is searched in, as in beets.
ANYWHERE = tuple(FIELDS[name] for name in ("artist", "title", "comment", "album", "albumartist", "genre"))
