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
from itertools import chain
from operator import itemgetter
from typing import Any
from xml.etree import ElementTree

from playshuffle.history.rows import Columns, HistoryRow, HistoryRows, Played, TagNames, path_of_uri

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


def quod_libet(path: bytes) -> Iterator[HistoryRow]:
    """Read a pickle of all songs."""
    with open(path, "rb") as file:
        songs = _Songs(file, encoding="bytes").load()
    for song in songs:
        values = {os.fsdecode(key): value for key, value in song.items()}
        played = _totals(values, "~#lastplayed ~#playcount ~#skipcount ~#rating")
        yield HistoryRow(os.fsencode(values["~filename"]), played)


def rhythmbox(path: bytes) -> Iterator[HistoryRow]:
    """Read an XML file with an entry for each song."""
    for _, entry in ElementTree.iterparse(os.fsdecode(path)):  # noqa: S314 - expat limits entities
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


def mpv(path: bytes) -> Iterator[HistoryRow]:
    """Read which files mpv opened. A file soon followed by another was skipped."""
    opened = [
        (_time(line.get("time")), line["path"])
        for line in _json_lines(path)
        if isinstance(line.get("path"), str)
    ]
    for (when, file), (next_s, _) in zip(opened, [*opened[1:], (None, "")], strict=True):
        is_skip = when is not None and next_s is not None and 0 <= next_s - when < _SKIPPED_S
        if "://" not in file:
            yield HistoryRow(os.fsencode(file), _event(when, is_play=not is_skip))


def listenbrainz(path: bytes) -> Iterator[HistoryRow]:
    """Read a line for each listen, as ListenBrainz exports them."""
    for listen in _json_lines(path):
        tags = listen.get("track_metadata") or {}
        ids = {**(tags.get("additional_info") or {}), **(tags.get("mbid_mapping") or {})}
        values = (
            *(tags.get(f"{name}_name") for name in ("artist", "track", "release")),
            ids.get("recording_mbid"),
        )
        names = TagNames(*(value if isinstance(value, str) else "" for value in values))
        yield HistoryRow(b"", Played(_time(listen.get("listened_at")), None, 1), names)


def _json_lines(path: bytes) -> Iterator[dict[str, Any]]:
    """Yield the object in each line; skip incomplete lines, which killed programs leave."""
    for line in _lines(path):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _event(when: int | None, *, is_play: bool) -> Played:
    return Played(when, None, 1, 0) if is_play else Played(None, when, 0, 1)


def grouped(log: HistoryRows, now_s: float) -> HistoryRows:
    """Return a row for each track of a log. A play dated in the future gets no time."""
    latest = now_s + _DAY_S
    times = ([when if (when or 0) <= latest else None for when in column] for column in log.played[:2])
    every = list(zip(log.paths, log.names, strict=True))
    tracks, played = Columns._make([*times, *log.played[2:]]).combined(every, is_log=True)
    paths, names = tuple(zip(*tracks, strict=True)) or ((), ())
    return HistoryRows(paths, played, names)


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
        found = {
            column: next(names.index(spelling) for spelling in spellings if spelling in names)
            for column, spellings in _COLUMNS.items()
            if not set(spellings).isdisjoint(names)
        }
        if found.keys() >= {"path"} or found.keys() >= {"artist", "title"}:
            return separator, found
    return None


def csv_log(path: bytes) -> HistoryRows:
    """Read a CSV file: each row is one play, or as many as a column says."""
    return _csv_history(_csv_rows(path))


def listened(folder: bytes) -> HistoryRows:
    """Read the CSV files that `playshuffle listen` wrote on all machines.

    A play that is also in the conflict copy of a synchroniser counts once.
    """
    return _csv_history(dict.fromkeys(chain.from_iterable(map(_csv_rows, in_folder(folder)))))


def _csv_rows(path: bytes) -> Iterator[Sequence[str]]:
    """Return the texts of each row, in the order of `_COLUMNS`. A missing column has empty texts."""
    lines = iter(_lines(path))
    header = _header(next(lines, ""))
    assert header is not None  # the file was recognised by it
    separator, columns = header
    missing = [""] * (max(columns.values()) + 1)
    if "last_played" in columns and columns.keys().isdisjoint(("plays", "skips")):
        columns["plays"] = -1  # each row is one play
    texts_in = itemgetter(*(columns.get(name, -2) for name in _COLUMNS))
    return (texts_in([*fields, *missing, "1"]) for fields in csv.reader(lines, delimiter=separator))


def _csv_history(rows: Iterable[Sequence[str]]) -> HistoryRows:
    texts = list(zip(*rows, strict=True)) or [()] * len(_COLUMNS)
    paths = list(map(_path, map(str.strip, texts[0])))
    names = _each(lambda tags: TagNames._make(map(str.strip, tags)), list(zip(*texts[1:5], strict=True)))
    parsers: Sequence[Any] = (_moment, _count, _count, partial(_share, full=_STARS))
    times, plays, skips, ratings = map(_each, parsers, texts[5:])
    is_skip = [skipped and played == 0 for played, skipped in zip(plays, skips, strict=True)]
    last_played = [None if skip else when for when, skip in zip(times, is_skip, strict=True)]
    last_skipped = [when if skip else None for when, skip in zip(times, is_skip, strict=True)]
    played = Columns(last_played, last_skipped, plays, skips, ratings)
    return HistoryRows(paths, played, names).where(
        [path or name.title for path, name in zip(paths, names, strict=True)]
    )


def _each(function: Callable[[Any], Any], values: Sequence[Hashable]) -> list[Any]:
    """Return the results for all values; compute equal values once."""
    results = {value: function(value) for value in set(values)}
    return list(map(results.__getitem__, values))


def _path(text: str) -> bytes:
    path = os.fsencode(text)
    return path_of_uri(path) or path


def in_folder(folder: bytes) -> list[bytes]:
    """Return the CSV files in a folder; none if the path is a file."""
    return sorted(glob.glob(glob.escape(folder) + b"/*.csv"))


def favourites(path: bytes) -> Iterator[HistoryRow]:
    """Read a playlist of favourites: each entry has all stars."""
    folder = os.path.dirname(path)
    for line in _lines(path):
        entry = _path(line)
        if entry and not entry.startswith(b"#"):
            beside = os.path.normpath(os.path.join(folder, entry))
            yield HistoryRow(beside if os.path.lexists(beside) else entry, Played(rating=1))


def _moment(text: str) -> int | None:
    number = _number(text)
    if number is not None:
        return _time(number / 1000 if number >= _LATEST else number)
    for parse in (datetime.fromisoformat, lambda each: datetime.strptime(each, "%d %b %Y, %H:%M")):  # noqa: DTZ007
        try:
            return _time(parse(text.strip()).timestamp())
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _lines(path: bytes) -> list[str]:
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
        return file.read().split("\n")


def has_csv_header(head: bytes) -> bool:
    """Return whether the first line names the columns of a history."""
    return _header(head.partition(b"\n")[0].decode("utf-8-sig", "replace").strip()) is not None
