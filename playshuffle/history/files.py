"""Read play histories that are files: of Quod Libet, Rhythmbox and Rockbox, CSV, and M3U playlists.

Content is told by its first bytes, whatever the name of the file; only a playlist by its name.
"""

import csv
import math
import os
import pickle
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple
from xml.etree import ElementTree

from playshuffle.history.rows import Names, Played, Row, path_of_uri

_LATEST = 1 << 32  # Unix seconds, in 2106; what is later is no time of a play
_STARS = 5

# The plays in a log, by the path and the tags of a track: the time, and whether it was played or skipped.
_Log = dict[tuple[bytes, Names], list[tuple[int | None, bool]]]


def _number(value: object, end: float = math.inf) -> float | None:
    """Return a number from 0 to below an end; None for anything else."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number < end else None


def _time(value: object) -> int | None:
    return int(_number(value, _LATEST) or 0) or None


def _count(value: object) -> int | None:
    number = _number(value, 1e9)
    return None if number is None else int(number)


def _share(value: object, full: float = 1) -> float | None:
    """Return a rating from 0 to 1; None without one."""
    number = _number(value)
    return min(number / full, 1) if number else None


class _Songs(pickle.Unpickler):
    """Unpickles songs of Quod Libet as plain dicts, and refuses everything else."""

    class Song(dict[Any, Any]):
        pass

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith("quodlibet.formats"):
            return self.Song
        if (module, name) == ("_codecs", "encode"):
            return lambda text, _encoding="latin1": text.encode("latin1")
        if (module, name) in (("builtins", "bytes"), ("__builtin__", "bytes")):
            return lambda: b""
        raise pickle.UnpicklingError(f"{module}.{name} is not a song")


def _quod_libet(path: bytes) -> Iterator[Row]:
    with open(path, "rb") as file:
        songs = _Songs(file, encoding="bytes").load()
    for song in songs:
        values = {os.fsdecode(key): value for key, value in song.items()}
        played = Played(
            _time(values.get("~#lastplayed")),
            None,
            _count(values.get("~#playcount")),
            _count(values.get("~#skipcount")),
            _share(values.get("~#rating")),
        )
        yield Row(os.fsencode(values["~filename"]), played)


def _rhythmbox(path: bytes) -> Iterator[Row]:
    for _, entry in ElementTree.iterparse(os.fsdecode(path)):  # noqa: S314 - expat limits entities
        if entry.tag != "entry":
            continue
        texts = {child.tag: child.text or "" for child in entry}
        track = path_of_uri(os.fsencode(texts.get("location", "")))
        if entry.get("type") == "song" and track:
            played = Played(
                _time(texts.get("last-played")),
                None,
                _count(texts.get("play-count")),
                None,
                _share(texts.get("rating"), _STARS),
            )
            yield Row(track, played)
        entry.clear()


def _rockbox(path: bytes) -> Iterator[Row]:
    """Read a log with a line for each play: artist, album, title, number, seconds, L or S, time, id."""
    is_local = False
    plays: _Log = defaultdict(list)
    for line in _lines(path):
        if line.startswith("#"):
            is_local |= line.startswith("#TZ/UNKNOWN")
            continue
        fields = [*line.split("\t"), "", ""]
        if len(fields) >= 9:
            names = Names(fields[0], fields[2], fields[1], fields[7].strip())
            plays[b"", names].append((_utc(_time(fields[6]), is_local=is_local), fields[5] == "L"))
    yield from _of_log(plays)


def _of_log(plays: _Log) -> Iterator[Row]:
    for (path, names), times in plays.items():
        played = [when or 0 for when, is_play in times if is_play]
        skipped = [when or 0 for when, is_play in times if not is_play]
        latest = max(played, default=0) or None, max(skipped, default=0) or None
        yield Row(path, Played(*latest, len(played), len(skipped)), names)


def _utc(local_s: int | None, *, is_local: bool) -> int | None:
    """Return Unix seconds; a device that knows no time zone counts them in local time."""
    if local_s is None or not is_local:
        return local_s
    fields = time.gmtime(local_s)
    return int(time.mktime((*fields[:8], -1)))


# What the columns of a CSV file are called, in small letters without spaces and underscores.
_COLUMNS = {
    "path": ("path", "file", "filename", "location", "uri", "url"),
    "artist": ("artist", "artistname", "creator"),
    "title": ("title", "track", "trackname", "song", "name"),
    "album": ("album", "albumname", "releasename"),
    "recording_id": ("recordingid", "recordingmbid", "trackmbid", "mbtrackid"),
    "last_played": ("lastplayed", "playedat", "uts", "timestamp", "listenedat", "playdate", "date", "time"),
    "plays": ("plays", "playcount", "viewcount", "itimesplayed", "count"),
    "skips": ("skips", "skipcount"),
    "rating": ("rating", "userrating", "stars"),
}


def _header(line: str) -> tuple[str, dict[str, int]] | None:
    """Return the separator of a CSV file, and the position of each known column; None if it is no CSV."""
    for separator in ",;\t":
        header = next(csv.reader([line], delimiter=separator), [])
        names = [re.sub(r"#.*|[\W_]", "", name.lower()) for name in header]
        found = {
            column: next(names.index(spelling) for spelling in spellings if spelling in names)
            for column, spellings in _COLUMNS.items()
            if not set(spellings).isdisjoint(names)
        }
        if found.keys() >= {"path"} or found.keys() >= {"artist", "title"}:
            return separator, found
    return None


def _csv(path: bytes) -> Iterator[Row]:
    """Read rows of tracks, or of single plays if no column counts them."""
    lines = iter(_lines(path))
    header = _header(next(lines, ""))
    assert header is not None  # by it the file was recognised
    separator, columns = header
    is_log = "last_played" in columns and not columns.keys() & {"plays", "skips"}
    log: _Log = defaultdict(list)
    for fields in csv.reader(lines, delimiter=separator):
        values = {name: fields[at].strip() for name, at in columns.items() if at < len(fields)}
        when = _moment(values.get("last_played", ""))
        names = Names(*(values.get(name, "") for name in Names._fields))
        uri = os.fsencode(values.get("path", ""))
        uri = path_of_uri(uri) or uri
        if not uri and not names.title:
            continue
        if is_log:
            log[uri, names].append((when, True))
        else:
            counts = _count(values.get("plays")), _count(values.get("skips"))
            yield Row(uri, Played(when, None, *counts, _share(values.get("rating"), _STARS)), names)
    yield from _of_log(log)


def _playlist(path: bytes) -> Iterator[Row]:
    """Read a playlist of favourites: each of its tracks has all stars."""
    folder = os.path.dirname(path)
    for line in _lines(path):
        entry = os.fsencode(line)
        entry = path_of_uri(entry) or entry
        if entry and not entry.startswith(b"#"):
            beside = os.path.normpath(os.path.join(folder, entry))
            yield Row(beside if os.path.lexists(beside) else entry, Played(rating=1))


def _moment(text: str) -> int | None:
    """Return Unix seconds of a time in seconds, milliseconds, ISO format or that of Last.fm."""
    number = _number(text)
    if number is not None:
        return _time(number / 1000 if number >= _LATEST else number)
    for parse in (datetime.fromisoformat, lambda each: datetime.strptime(each, "%d %b %Y, %H:%M")):  # noqa: DTZ007
        try:
            return _time(parse(text).timestamp())
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _lines(path: bytes) -> Iterator[str]:
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        for line in file:
            yield line.rstrip("\r\n")


class _FileKind(NamedTuple):
    """How a file is read. begins: a pattern for its first bytes."""

    begins: Callable[[bytes], object]
    rows: Callable[[bytes], Iterable[Row]]


_READERS = (
    _FileKind(re.compile(rb"\x80[\x02-\x05]").match, _quod_libet),
    _FileKind(re.compile(rb"\s*(<\?xml[^>]*>)?\s*<rhythmdb").match, _rhythmbox),
    _FileKind(re.compile(rb"(\xef\xbb\xbf)?#AUDIOSCROBBLER/").match, _rockbox),
    _FileKind(lambda head: _header(head.partition(b"\n")[0].decode("utf-8-sig", "replace").strip()), _csv),
)
_HEAD = 4096  # bytes


def read_file(path: bytes) -> list[Row] | None:
    """Return the rows of a file; None if it is of no known program.

    Raises:
        OSError: it cannot be read.
        Exception: it is damaged; the code that unpickles it may raise anything.
    """
    with open(path, "rb") as file:
        head = file.read(_HEAD)
    rows = next((each.rows for each in _READERS if each.begins(head)), None)
    if rows is None and path.lower().endswith((b".m3u", b".m3u8")):  # M3U has no first bytes of its own
        rows = _playlist
    return None if rows is None else [row for row in rows(path) if any(row.played)]
