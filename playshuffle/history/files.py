"""Read play histories that are files: song lists of players, logs, CSV, and M3U playlists.

The readers of logs yield a row for each play or skip. `grouped` adds up the rows of a track.
"""

import csv
import glob
import json
import math
import os
import pickle
import re
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from io import TextIOWrapper
from itertools import chain
from operator import itemgetter
from typing import Any, BinaryIO, TypeVar
from xml.etree import ElementTree

from playshuffle.history.rows import Columns, HistoryRow, HistoryRows, Played, TagNames, Unread, path_of_uri
from playshuffle.system.regular_file import open_regular

T = TypeVar("T")
R = TypeVar("R")

_MOST_BYTES = 1 << 30
_END = "\x1f"
_LATEST = 1 << 32  # Unix seconds, in 2106; a later time is not the time of a play
_STARS = 5
_DAY_S = 86_400
_SKIPPED_S = 20  # mpv opened the next file sooner: a skip
_LONG_MS = 240_000  # a track heard for this time was played, by the rule of Last.fm


def _number(value: object, end: float = math.inf) -> float | None:
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
    number = _number(value)
    return min(number / full, 1) if number else None


def _totals(values: Mapping[str, object], names: str, full: float = 1) -> Played:
    """Return the values with four names: last play, plays, skips and rating. The name `-` has no value."""
    last_played, plays, skips, rating = map(values.get, names.split())
    return Played(_time(last_played), None, _count(plays), _count(skips), _share(rating, full))


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


def quod_libet(path: bytes) -> Iterator[HistoryRow | Unread]:
    """Read a pickle of all songs."""
    with _opened(path) as file:
        songs = _Songs(file, encoding="bytes").load()
    yield from _each(songs, _song, path)


def _song(song: Mapping[Any, Any]) -> HistoryRow:
    values = {os.fsdecode(key): value for key, value in song.items()}
    played = _totals(values, "~#lastplayed ~#playcount ~#skipcount ~#rating")
    return HistoryRow(os.fsencode(values["~filename"]), played)


def rhythmbox(path: bytes) -> Iterator[HistoryRow]:
    """Read an XML file with an entry for each song."""
    with _opened(path) as file:
        for _, entry in ElementTree.iterparse(file):  # noqa: S314 - expat limits entities
            if entry.tag != "entry":
                continue
            texts = {child.tag: child.text or "" for child in entry}
            track = path_of_uri(os.fsencode(texts.get("location", "")))
            if entry.get("type") == "song" and track:
                yield HistoryRow(track, _totals(texts, "last-played play-count - rating", _STARS))
            entry.clear()


def rockbox_scrobbler(path: bytes) -> Iterator[HistoryRow]:
    """Read a log of plays: artist, album, title, number, seconds, L or S, time, id."""
    is_local = False
    for line in _lines(path):
        if line.startswith("#"):
            is_local |= line.startswith("#TZ/UNKNOWN")
            continue
        fields = [*line.split("\t"), "", ""]
        if len(fields) >= 9:
            names = TagNames(fields[0], fields[2], fields[1], fields[7].strip())
            yield HistoryRow(
                b"", _event(_utc(_time(fields[6]), is_local=is_local), is_play=fields[5] == "L"), names
            )


def rockbox_playback(path: bytes) -> Iterator[HistoryRow]:
    """Read logs of plays: local time, milliseconds heard, length, path.

    Full logs have a number in their name, and are beside the current log.
    """
    stem, suffix = os.path.splitext(path)
    for log in (*sorted(glob.glob(glob.escape(stem) + b"_[0-9]*" + suffix)), path):
        for line in _lines(log):
            when, heard, length, file = [*line.split(":", 3), "", "", ""][:4]
            heard_ms, length_ms = _number(heard), _number(length)
            if heard_ms is None or length_ms is None or not file.startswith("/"):
                continue
            is_play = heard_ms >= min(length_ms / 2, _LONG_MS)
            on_card = re.sub("^/<[^/]*>", "", file)  # `/<microSD0>/` is the top folder of a card
            yield HistoryRow(
                os.fsencode(on_card[1:]), _event(_utc(_time(when), is_local=True), is_play=is_play)
            )


def mpv(path: bytes) -> Iterator[HistoryRow | Unread]:
    """Read which files mpv opened. A file soon followed by another was skipped."""
    rows = list(_each(_lines(path), _start, path))
    yield from (row for row in rows if isinstance(row, Unread))
    starts = [row for row in rows if isinstance(row, HistoryRow)]
    times = [row.played.last_played for row in starts]
    for (file, *_), when, next_s in zip(starts, times, [*times[1:], None], strict=False):
        is_skip = when is not None and next_s is not None and 0 <= next_s - when < _SKIPPED_S
        if b"://" not in file:
            yield HistoryRow(file, _event(when, is_play=not is_skip))


def _start(line: str) -> HistoryRow:
    values = json.loads(line)
    return HistoryRow(os.fsencode(values["path"]), Played(_time(values.get("time"))))


def listenbrainz(path: bytes) -> Iterator[HistoryRow | Unread]:
    """Read a line for each listen, as ListenBrainz exports them."""
    return _each(_lines(path), _listen, path)


def _listen(line: str) -> HistoryRow:
    listen = json.loads(line)
    tags = listen.get("track_metadata") or {}
    ids = {**(tags.get("additional_info") or {}), **(tags.get("mbid_mapping") or {})}
    values = (
        *(tags.get(f"{name}_name") for name in ("artist", "track", "release")),
        ids.get("recording_mbid"),
    )
    names = TagNames(*(value if isinstance(value, str) else "" for value in values))
    return HistoryRow(b"", Played(_time(listen.get("listened_at")), None, 1), names)


def _each(values: Iterable[T], read: Callable[[T], R | None], path: bytes) -> Iterator[R | Unread]:
    """Yield the row of each line or song of a file, if it has one; `Unread` if it makes no sense."""
    for number, value in enumerate(values, 1):
        try:
            row = read(value)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError, csv.Error):
            if value != "":
                yield Unread(path, number)
        else:
            if row is not None:
                yield row


def _event(when: int | None, *, is_play: bool) -> Played:
    return Played(when, None, 1, 0) if is_play else Played(None, when, 0, 1)


def grouped(log: HistoryRows, now_s: float) -> HistoryRows:
    """Return a row for each track of a log. A play dated in the future gets no time."""
    latest = now_s + _DAY_S
    times = ([when if (when or 0) <= latest else None for when in column] for column in log.played[:2])
    every = list(zip(log.paths, log.names, strict=True))
    tracks, played = Columns._make([*times, *log.played[2:]]).combined(every, is_log=True)
    paths, names = tuple(zip(*tracks, strict=True)) or ((), ())
    return log._replace(paths=paths, played=played, names=names)


def _utc(local_s: int | None, *, is_local: bool) -> int | None:
    if local_s is None or not is_local:
        return local_s
    fields = time.gmtime(local_s)
    return int(time.mktime((*fields[:8], -1)))


# Names of the columns of a CSV file, in small letters without spaces and underscores.
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
    for separator in ",;\t":
        header = next(csv.reader([line], delimiter=separator), [])
        names = [re.sub(r"#.*|[\W_]", "", name.lower()) for name in header]
        columns = {
            column: next(names.index(spelling) for spelling in spellings if spelling in names)
            for column, spellings in _COLUMNS.items()
            if not set(spellings).isdisjoint(names)
        }
        if columns.keys() >= {"path"} or columns.keys() >= {"artist", "title"}:
            return separator, columns
    return None


def csv_log(path: bytes) -> HistoryRows:
    """Read a CSV file: each row is one play, or as many as a column says."""
    return _csv_history(_csv_rows(path))


def listened(folder: bytes) -> HistoryRows:
    """Read the CSV files that `playshuffle listen` wrote on all machines.

    A play that is also in the conflict copy of a synchroniser counts once.
    """
    return _csv_history(dict.fromkeys(chain.from_iterable(map(_rows_of_machine, in_folder(folder)))))


def _rows_of_machine(path: bytes) -> Iterator[Sequence[str] | Unread]:
    try:
        yield from _csv_rows(path)
    except (OSError, ValueError):
        yield Unread(path, 0)


def _csv_rows(path: bytes) -> Iterator[Sequence[str] | Unread]:
    """Yield the texts of each row, in the order of `_COLUMNS`. A missing column has empty texts."""
    lines = _lines(path)
    header = _header(next(lines, ""))
    if header is None:
        raise ValueError("it does not name its columns")
    separator, columns = header
    missing = [""] * (max(columns.values()) + 1)
    is_log = "last_played" in columns or "rating" not in columns
    if is_log and columns.keys().isdisjoint(("plays", "skips")):
        columns["plays"] = -1  # each row is one play
    texts_in: Callable[[Sequence[str]], Sequence[str]] = itemgetter(
        *(columns.get(name, -2) for name in _COLUMNS)
    )

    def texts(line: str) -> Sequence[str]:
        if '"' not in line:
            return texts_in([*line.split(separator), *missing, "1"])
        *fields, end = next(csv.reader([f"{line}{separator}{_END}"], delimiter=separator))
        if end != _END:
            raise ValueError("a quote is open")
        return texts_in([*fields, *missing, "1"])

    for row in _each(lines, texts, path):
        yield row._replace(line=row.line + 1) if isinstance(row, Unread) else row


def _csv_history(rows: Iterable[Sequence[str] | Unread]) -> HistoryRows:
    everything = list(rows)
    unread = [row for row in everything if isinstance(row, Unread)]
    whole = [row for row in everything if not isinstance(row, Unread)] if unread else everything
    texts: Sequence[Any] = list(zip(*whole, strict=True)) or [()] * len(_COLUMNS)
    paths = list(map(_path, map(str.strip, texts[0])))
    names = _once(lambda tags: TagNames._make(map(str.strip, tags)), list(zip(*texts[1:5], strict=True)))
    parsers: Sequence[Any] = (_moment, _count, _count, partial(_share, full=_STARS))
    times, plays, skips, ratings = map(_once, parsers, texts[5:])
    is_skip = [skipped and played == 0 for played, skipped in zip(plays, skips, strict=True)]
    last_played = [None if skip else when for when, skip in zip(times, is_skip, strict=True)]
    last_skipped = [when if skip else None for when, skip in zip(times, is_skip, strict=True)]
    played = Columns(last_played, last_skipped, plays, skips, ratings)
    return HistoryRows(paths, played, names, unread).where(
        [path or name.title for path, name in zip(paths, names, strict=True)]
    )


def _once(function: Callable[[Any], Any], values: Sequence[Hashable]) -> list[Any]:
    """Return the results for all values; compute equal values once."""
    results = {value: function(value) for value in set(values)}
    return list(map(results.__getitem__, values))


def _path(text: str) -> bytes:
    path = os.fsencode(text)
    return path_of_uri(path) or path


def in_folder(folder: bytes) -> list[bytes]:
    """Return the CSV files in a folder; none if the path is a file."""
    return sorted(glob.glob(glob.escape(folder) + b"/*.csv"))


def favourites(path: bytes) -> Iterator[HistoryRow | Unread]:
    """Read a playlist of favourites: each entry has all stars."""
    folder = os.path.dirname(path)

    def favourite(line: str) -> HistoryRow | None:
        entry = _path(line)
        if not entry or entry.startswith(b"#"):
            return None
        beside = os.path.normpath(os.path.join(folder, entry))
        return HistoryRow(beside if os.path.lexists(beside) else entry, Played(rating=1))

    return _each(_lines(path), favourite, path)


def _moment(text: str) -> int | None:
    number = _number(text)
    if number is not None:
        return _time(number / 1000 if number >= _LATEST else number)
    for parse in (datetime.fromisoformat, lambda text: datetime.strptime(text, "%d %b %Y, %H:%M")):  # noqa: DTZ007
        try:
            return _time(parse(text.strip()).timestamp())
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _lines(path: bytes) -> Iterator[str]:
    with TextIOWrapper(_opened(path), encoding="utf-8-sig", errors="surrogateescape") as file:
        for line in file:
            yield line.removesuffix("\n")


def _opened(path: bytes) -> BinaryIO:
    descriptor, status = open_regular(path)
    file = open(descriptor, "rb")  # noqa: SIM115 - the caller closes it
    if status.st_size > _MOST_BYTES:
        file.close()
        raise ValueError(f"it has more than {_MOST_BYTES >> 20:,} MB")
    return file


def has_csv_header(head: bytes) -> bool:
    """Return whether the first line names the columns of a history."""
    return _header(head.partition(b"\n")[0].decode("utf-8-sig", "replace").strip()) is not None
