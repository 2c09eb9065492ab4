"""Map ID3 frames, Vorbis comments, MP4 atoms and other names of tags to the fields of `Tags`.

A new tag needs a field of `Tags`, a row here and another `LAYOUT` of the cache.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from playshuffle.tags import stars
from playshuffle.tags.dates import read_date
from playshuffle.tags.positions import TaggedPosition, read_position
from playshuffle.tags.reading import Tags

TagValues = dict[str, list[Any]]  # values by the name of the tag in the file
_Read = Callable[[Sequence[Any]], Any]

LONGEST_TEXT = 1000  # maximum characters of a field
LONGEST_COMMENT = 200  # maximum characters of a comment: some are a whole biography

_BYTE_ORDER_MARK = "\ufeff"  # some programs begin each text with it

_LONGEST_MS = 30 * 24 * 3600 * 1000  # a longer track has a damaged header


# The names of each field in lower case: ID3 frames, then the names in all other kinds of tags, which are from
# Vorbis comments, APEv2 and free-form tags, then from MP4, then from ASF. The first name that a file has
# counts: YEAR adds nothing to DATE.
_NAMES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "title": (("tit2",), ("title", "\xa9nam")),
    "artist": (("tpe1",), ("artist", "\xa9art", "author")),
    "album": (("talb",), ("album", "\xa9alb", "wm/albumtitle")),
    "album_artist": (("tpe2",), ("albumartist", "album artist", "album_artist", "aart", "wm/albumartist")),
    "genre": (("tcon",), ("genre", "\xa9gen", "wm/genre")),
    "date": (("tdrc", "tyer", "tdrl"), ("date", "year", "\xa9day", "wm/year", "releasedate")),
    "composer": (("tcom",), ("composer", "\xa9wrt", "wm/composer")),
    "grouping": (("grp1", "tit1"), ("grouping", "contentgroup", "\xa9grp", "wm/contentgroupdescription")),
    "work": ((), ("work", "\xa9wrk", "wm/work")),
    "recording_id": (
        (),
        (
            "ufid:http://musicbrainz.org",
            "musicbrainz_trackid",
            "musicbrainz track id",
            "musicbrainz/track id",
        ),
    ),
    "release_id": ((), ("musicbrainz_albumid", "musicbrainz album id", "musicbrainz/album id")),
    "disc": (("tpos",), ("discnumber", "disc", "disk", "wm/partofset")),
    "number": (("trck",), ("tracknumber", "track", "trkn", "wm/tracknumber")),
    "comment": (("comm",), ("comment", "description", "\xa9cmt", "wm/comments")),
    "mood": (("tmoo",), ("mood", "wm/mood")),
    "language": (("tlan",), ("language", "wm/language")),
    "bpm": (("tbpm",), ("bpm", "tmpo", "wm/beatsperminute")),
    "media_kind": ((), ("stik",)),
    "original_date": (
        ("tdor", "tory"),
        ("originaldate", "originalyear", "original year", "wm/originalreleasetime", "wm/originalreleaseyear"),
    ),
    "play_count": (("pcnt",), ("fmps_playcount", "playcount", "play_count", "popm:count")),
    "explicit": ((), ("itunesadvisory", "rtng")),
}

_FIELDS = {
    name: (rank, field) for field, names in _NAMES.items() for rank, name in enumerate((*names[0], *names[1]))
}

# Values of `rtng` and `ITUNESADVISORY`: none, explicit, clean, and explicit in old files.
_ADVISORIES: Mapping[int | None, bool] = {0: False, 1: True, 2: False, 4: True}

_DAY = "tdat"  # day and month of a date of ID3v2.3; `tyer` has the year

# All names, in lower case, that add to a field.
KNOWN_NAMES = frozenset((*_FIELDS, *stars.NAMES, _DAY))

# Frames of ID3v2.3 and v2.4 that fill a field; readers never parse any other.
ID3_FRAMES = frozenset(frame.upper() for frames, _ in _NAMES.values() for frame in frames) | {
    "TXXX",
    "UFID",
    "POPM",
    _DAY.upper(),
}


class Stream(NamedTuple):
    """Properties of a file's audio; 0 or None if unknown.

    Attributes:
        bitrate: bits per second.
        sample_rate: Hz.
    """

    length_s: float
    bitrate: float = 0
    sample_rate: float = 0
    lossless: bool | None = None
    mark: int = 0


def tags_of(values: Mapping[str, Sequence[Any]], stream: Stream) -> Tags:
    """Return the `Tags` of a file, from the values of its tags by name in lower case."""
    fields: dict[str, Any] = {}
    for field, name in _best_names(values).items():
        read: _Read = _READERS.get(field, _text)
        fields[field] = read(values[name])
    for field in _DATES.intersection(fields):
        fields[field] = _first_date(values, field)
    if "grp1" in values and "tit1" in values:  # iTunes writes the work where others write the grouping
        fields.setdefault("work", _text(values["tit1"]))
    position: TaggedPosition | None = fields.pop("number", None)
    if position is not None:
        fields.update(number=position.number, side=position.side, part=position.part)
        fields["disc"] = fields.get("disc") or position.disc
    return Tags(
        _duration_ms(stream.length_s),
        rating=stars.rating_of(values),
        bitrate=_rate(stream.bitrate),
        sample_rate=_rate(stream.sample_rate),
        lossless=stream.lossless,
        **fields,
    )


def _best_names(values: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    best: dict[str, tuple[int, str]] = {}
    for name in values:
        if name in _FIELDS:
            rank, field = _FIELDS[name]
            best[field] = min(best.get(field, (rank, name)), (rank, name))
    return {field: name for field, (_, name) in best.items()}


def _text(values: Sequence[Any]) -> str:
    text = values[0] if len(values) == 1 else None
    if isinstance(text, str) and len(text) <= LONGEST_TEXT and text.isascii() and "\0" not in text:
        return text.strip()  # fast path for nearly all texts; the rest takes six times as long
    parts: dict[str, None] = {}
    for value in values:
        text = value[: 4 * LONGEST_TEXT].decode(errors="replace") if isinstance(value, bytes) else str(value)
        for part in text[:LONGEST_TEXT].replace(_BYTE_ORDER_MARK, "").split("\0"):
            if stripped := part.strip():
                parts[stripped] = None
        if len(parts) > LONGEST_TEXT:
            break
    joined = "; ".join(parts)[:LONGEST_TEXT]
    return joined if joined.isascii() else joined.encode(errors="replace").decode()


def _first_date(values: Mapping[str, Sequence[Any]], field: str) -> str:
    frames, others = _NAMES[field]
    for name in (*frames, *others):
        for value in values.get(name, ()):
            if date := read_date(_text([value])):
                day = _text(values.get(_DAY, ())) if name == "tyer" and date.isdigit() else ""
                return read_date(f"{day[:2]}.{day[2:]}.{date}") if len(day) == 4 else date
    return ""


def _number(values: Sequence[Any]) -> int | None:
    return read_position(values).number


def _rounded(values: Sequence[Any]) -> int | None:
    """Return 120 for '119.6', None for anything but a positive number."""
    try:
        number = float(values[0])
    except (IndexError, TypeError, ValueError):
        return None
    return round(number) if 0.5 < number < 1 << 31 else None


def _count(values: Sequence[Any]) -> int | None:
    texts = (value.decode(errors="replace") if isinstance(value, bytes) else str(value) for value in values)
    matches = (re.match("[0-9]{1,9}(?![0-9])", text) for text in texts)
    return max((int(match[0]) for match in matches if match), default=None)


def _rate(value: float) -> int | None:
    # A test that NaN fails, too.
    return round(value) if 0 < value < 1 << 31 else None


def _duration_ms(length_s: float) -> int | None:
    # A test that NaN fails, too.
    return round(length_s * 1000) if 0.5 < length_s * 1000 <= _LONGEST_MS else None


_DATES = frozenset(("date", "original_date"))
_READERS: Mapping[str, _Read] = {
    "disc": _number,
    "number": read_position,
    "comment": lambda values: _text(values)[:LONGEST_COMMENT].rstrip(),
    "bpm": _rounded,
    "media_kind": _number,
    "play_count": _count,
    "explicit": lambda values: _ADVISORIES.get(_count(values)),
}
