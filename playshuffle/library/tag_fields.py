"""What a file calls its tags and how it writes them, in; the fields of `Tags`, out."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from playshuffle.library.folder import Tags

LONGEST_TEXT = 1000  # characters of a field that are kept

_LONGEST_MS = 30 * 24 * 3600 * 1000  # a longer track is a damaged header

# What a field may be called: in ID3; in Vorbis comments, APEv2 and free-form tags; in MP4; in
# ASF. All in lower case. The first name that a file has counts: YEAR adds nothing to DATE.
_NAMES = {
    "title": ("tit2", "title", "\xa9nam"),
    "artist": ("tpe1", "artist", "\xa9art", "author"),
    "album": ("talb", "album", "\xa9alb", "wm/albumtitle"),
    "album_artist": ("tpe2", "albumartist", "album artist", "album_artist", "aart", "wm/albumartist"),
    "genre": ("tcon", "genre", "\xa9gen", "wm/genre"),
    "date": ("tdrc", "tyer", "date", "year", "\xa9day", "wm/year"),
    "composer": ("tcom", "composer", "\xa9wrt", "wm/composer"),
    "grouping": ("tit1", "grp1", "grouping", "contentgroup", "\xa9grp", "wm/contentgroupdescription"),
    "work": ("work", "\xa9wrk", "wm/work"),
    "recording_id": (
        "ufid:http://musicbrainz.org",
        "musicbrainz_trackid",
        "musicbrainz track id",
        "musicbrainz/track id",
    ),
    "release_id": ("musicbrainz_albumid", "musicbrainz album id", "musicbrainz/album id"),
    "artist_id": ("musicbrainz_artistid", "musicbrainz artist id", "musicbrainz/artist id"),
    "disc": ("tpos", "discnumber", "disc", "disk", "wm/partofset"),
    "number": ("trck", "tracknumber", "track", "trkn", "wm/tracknumber"),
}

_FIELDS = {name: (rank, field) for field, names in _NAMES.items() for rank, name in enumerate(names)}
_NUMBERS = ("disc", "number")

# What a rating may be called, and the best it can be.
_RATING_NAMES = {"fmps_rating": 1, "popm": 255, "rate": 100, "wm/shareduserrating": 99}


def tags_of(found: Mapping[str, Sequence[Any]], length_s: float) -> Tags:
    """Gather the fields from what was found in a file: names in lower case, and their values."""
    best: dict[str, tuple[int, str]] = {}
    for name in found:
        if name in _FIELDS:
            rank, field = _FIELDS[name]
            best[field] = min(best.get(field, (rank, name)), (rank, name))
    fields: dict[str, Any] = {
        field: (_number if field in _NUMBERS else _text)(found[name]) for field, (_, name) in best.items()
    }
    return Tags(_duration_ms(length_s), rating=_rating(found), **fields)


def _text(values: Sequence[Any]) -> str:
    """Several values as one text that fits into UTF-8; each value once, the whole cut to a length."""
    text = values[0] if len(values) == 1 else None
    if isinstance(text, str) and len(text) <= LONGEST_TEXT and text.isascii() and "\0" not in text:
        return text.strip()  # nearly always; the rest takes six times as long
    parts: dict[str, None] = {}
    for value in values:
        text = value[: 4 * LONGEST_TEXT].decode(errors="replace") if isinstance(value, bytes) else str(value)
        for part in text[:LONGEST_TEXT].split("\0"):
            if stripped := part.strip():
                parts[stripped] = None
        if len(parts) > LONGEST_TEXT:
            break
    joined = "; ".join(parts)[:LONGEST_TEXT]
    return joined if joined.isascii() else joined.encode(errors="replace").decode()


def _number(values: Sequence[Any]) -> int | None:
    """3 from '3/12', or from the pair (3, 12), where 0 means that there is none."""
    for value in values:
        if isinstance(value, tuple):
            return value[0] or None
        match = re.match(r"\s*([0-9]{1,6})(?![0-9])", str(value)[:LONGEST_TEXT])
        return int(match[1]) if match else None
    return None


def _rating(found: Mapping[str, Sequence[Any]]) -> float | None:
    for name, best in _RATING_NAMES.items():
        for value in found.get(name, ()):
            # For POPM, 0 stands for unknown.
            if (rating := _share(value, best)) is not None and (rating or name != "popm"):
                return rating
    for value in found.get("rating", ()):  # up to five stars, or per cent
        if (rating := _share(value, 5)) is not None or (rating := _share(value, 100)) is not None:
            return rating
    return None


def _share(value: Any, best: int) -> float | None:
    try:
        rating = float(value)
    except ValueError:
        return None
    return rating / best if 0 <= rating <= best else None


def _duration_ms(length_s: float) -> int | None:
    # Written so that NaN fails it, too.
    return round(length_s * 1000) if 0.5 < length_s * 1000 <= _LONGEST_MS else None
