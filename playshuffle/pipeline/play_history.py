"""Read the play histories of a request, and match them to the tracks of its folders."""

import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, count
from operator import itemgetter
from typing import NamedTuple, Self
from zlib import crc32

from playshuffle.errors import Note, shown
from playshuffle.history.histories import HISTORIES
from playshuffle.history.history_reader import Content, SourceError, read_source, stamp_of
from playshuffle.history.matching import match
from playshuffle.history.rows import Columns, HistoryRows, TagNames
from playshuffle.history.sources import Source
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf, TagRows
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.open_library import OpenLibrary
from playshuffle.pipeline.request import Request
from playshuffle.store import plays as store
from playshuffle.store.plays import StoredPlays, path_keys
from playshuffle.tags.reading import Tags
from playshuffle.text import counted

_LAST, _SKIPS, _PLAYS, _RATING = map(
    Tags._fields.index, ("last_played", "skip_count", "play_count", "rating")
)
_names_of = itemgetter(*map(Tags._fields.index, TagNames._fields))
_DAY_S = 86_400  # a clock may be in another time zone
_NEVER = Columns(*[(None,)] * 5)  # a row, the last of a table, so that its index is -1
_NOT_THERE = _NEVER._replace(plays=(sys.maxsize,), skips=(sys.maxsize,))  # nothing of a new row counts as new
_BY_TITLE = {history.title: history for history in HISTORIES}


class PlayHistory(NamedTuple):
    """The plays of tracks in the history sources of a playlist."""

    indices: Sequence[int]
    played: Columns
    notes: Sequence[Note]
    titles: Sequence[str]

    @property
    def counts_skips(self) -> bool:
        """Return whether a source counts skips, so that a track without a skip has the count 0."""
        return any("skips" in _BY_TITLE[title].knows for title in self.titles) or not {
            *self.played.skips
        } <= {None}

    def with_warning(self) -> Self:
        """Add a note if no source has counted a play or a skip."""
        if any(map(any, self.played[:4])):
            return self
        text = f"{' and '.join(self.titles)} counted no play yet. Until then the same tracks are dealt again."
        advice = [advice for title in self.titles if (advice := _BY_TITLE[title].advice)]
        advice.append("To count deals instead: --count dealt")
        return self._replace(notes=[*self.notes, Note("never_played", text, advice=" ".join(advice))])

    def with_copies(self, kept: Mapping[int, int]) -> Self:
        """Return the history with plays of omitted copies counted for the kept ones, too.

        `kept` maps omitted copies to kept ones.
        """
        if not kept:
            return self
        copies = [row for row, index in enumerate(self.indices) if index in kept]
        every = [*self.indices, *(kept[self.indices[row]] for row in copies)]
        indices, played = self.played.and_rows(self.played.rows(copies)).combined(every)
        return self._replace(indices=indices, played=played)

    def heard_since(self, since_s: float, *, with_skips: bool = False) -> frozenset[int]:
        """Return tracks that were played (`with_skips`: or skipped) since this Unix time (s)."""
        times = zip(self.indices, self.played.last_played, self.played.last_skipped, strict=True)
        return frozenset(
            index
            for index, played_s, skipped_s in times
            if max(played_s or 0, (with_skips and skipped_s) or 0) >= since_s
        )


def play_history(
    opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf, now_s: int
) -> PlayHistory:
    """Read all sources of a request, once for all playlists over the same folders.

    An unchanged source is not read again. If a source cannot be read, the content that was read last counts.

    Args:
        rows_of: looks up a folder's tags, for sources without paths.

    Raises:
        SourceError: a source was never readable, or none of its tracks is in a music folder.
    """
    key = request.history, request.roots, request.files, request.options.ignore_files
    if key not in opened.histories:
        sources = [_read(source, opened, request, tracks, rows_of, now_s) for source in request.history]
        numbers: Sequence[int] = ()
        played = Columns()
        for stored in sources:
            its_numbers, its = stored.played.combined(stored.numbers, is_log=_BY_TITLE[stored.title].is_log)
            numbers, played = played.and_rows(its).combined([*numbers, *its_numbers])
        paths = (source.path for source in request.history)
        notes = [Note("history", stored.note, path) for stored, path in zip(sources, paths, strict=True)]
        titles = list(dict.fromkeys(stored.title for stored in sources))
        opened.histories[key] = PlayHistory(tracks.indices_of(numbers), played, notes, titles)
    history: PlayHistory = opened.histories[key]
    return history


def _read(
    source: Source, opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf, now_s: int
) -> StoredPlays:
    stored = opened.state.named.stored
    key = b"\0".join((stored(source.path), source.user.encode(), *map(stored, request.roots)))
    before = store.load(opened.state, key)
    try:
        # Tracks that are new here may have had rows, but no file, when the source was read.
        stamp = f"{stamp_of(source)} {crc32(tracks.numbers)}"
        if before is not None and before.stamp == stamp:
            return before
        content = read_source(source, now_s)
        read = StoredPlays(stamp, content.history.title, "", now_s)
        numbers_of = dict(zip(tracks.paths, zip(tracks.numbers, strict=True), strict=True))
        found = match(content.rows, numbers_of, request.roots, lambda: _tagged(tracks, rows_of))
        plays, missing = _matched(content, found, read, before or read)
        _check_found(source, content.rows, missing)
    except SourceError as error:
        if before is None:
            raise
        return before._replace(note=f"{error} Its content of {_time(before.read_s)} counts.")
    plays = plays._replace(note=_note(source, content, missing, now_s))
    if request.writes:
        store.save(opened.state, key, plays)
    return plays


def _matched(
    content: Content, found: Sequence[Sequence[int]], read: StoredPlays, before: StoredPlays
) -> tuple[StoredPlays, list[int]]:
    """Return the plays of the tracks that were found for the rows, and the rows without a track.

    A row whose path no longer has a track belongs to the track that had this path.

    Args:
        read: time, stamp and title of this reading, without plays.
        before: the plays in the source when it was read last.
    """
    rows, played = content.rows, content.rows.played
    named = zip(rows.paths, rows.names, strict=True)
    row_keys = path_keys([path or repr(names).encode() for path, names in named])
    if not all(found):
        played, found = _with_former_paths(played, found, row_keys, before)
    missing = [row for row, numbers in enumerate(found) if not numbers]
    known = [row for row, numbers in enumerate(found) for _ in numbers]
    numbers = array("I", chain.from_iterable(found))
    keys = array("q", map(row_keys.__getitem__, known))
    played, old = played.rows(known), before.played
    if len(set(numbers)) < len(numbers):  # else there is no need for tuples
        every = list(zip(numbers, keys, strict=True))
        pairs, played = played.combined(every, is_log=content.history.is_log)
        numbers, keys = map(array, "Iq", zip(*pairs, strict=True))
    if (numbers, keys) != (before.numbers, before.keys):
        old_row = dict(zip(zip(before.numbers, before.keys, strict=True), count()))
        there = [old_row.get(pair, -1) for pair in zip(numbers, keys, strict=True)]
        old = old.and_rows(_NOT_THERE).rows(there)
    played = _with_times(played, old, read.read_s)
    return read._replace(numbers=numbers, keys=keys, played=played), missing


def _with_former_paths(
    played: Columns, found: Sequence[Sequence[int]], row_keys: Sequence[int], before: StoredPlays
) -> tuple[Columns, Sequence[Sequence[int]]]:
    """Return the plays and tracks of rows, with tracks for rows that have a track's former path.

    A rating under the present path of a track replaces all ratings under its former paths.
    """
    renamed = dict(zip(before.keys, zip(before.numbers, strict=True), strict=True))
    now = [numbers or renamed.get(key, ()) for numbers, key in zip(found, row_keys, strict=True)]
    there = zip(found, played.rating, strict=True)
    rated = {number for numbers, stars in there if stars is not None for number in numbers}
    ratings = [
        stars if numbers or rated.isdisjoint(then) else None
        for stars, numbers, then in zip(played.rating, found, now, strict=True)
    ]
    return played._replace(rating=ratings), now


def _check_found(source: Source, rows: HistoryRows, missing: Sequence[int]) -> None:
    if missing and len(missing) == len(rows.paths):
        raise SourceError(
            source,
            f"None of its tracks is in a music folder. The first of {len(missing):,} is"
            f" {_name(rows, missing[0])}. Has the music moved?",
        )


def _with_times(played: Columns, old: Columns, now_s: int) -> Columns:
    """Return plays with the times of the last play and the last skip.

    An unknown or future time is replaced by the time when the play or skip was noticed.
    """

    def noticed(*columns: Sequence[int | None]) -> list[int | None]:
        return [
            time_s
            if time_s is not None and time_s <= now_s + _DAY_S
            else now_s
            if (number or 0) > (old_number or 0) or (time_s is not None and old_s is None)
            else old_s
            for time_s, number, old_s, old_number in zip(*columns, strict=True)
        ]

    return played._replace(
        last_played=noticed(played.last_played, played.plays, old.last_played, old.plays),
        last_skipped=noticed(played.last_skipped, played.skips, old.last_skipped, old.skips),
    )


def _tagged(tracks: Tracks, rows_of: RowsOf) -> Iterator[tuple[int, TagNames]]:
    rows = chain.from_iterable(map(rows_of, tracks.folders))
    names = [TagNames("", "") if row is None else TagNames._make(_names_of(row)) for row in rows]
    return zip(tracks.numbers, tracks.of_tracks(names), strict=True)


def _note(source: Source, content: Content, missing: Sequence[int], now_s: int) -> str:
    verb, noun = ("started", "start") if content.starts else ("played", "play")
    played = content.rows.played
    was_played = list(map(any, zip(played.plays, played.last_played, strict=True)))
    total, kind = sum(was_played), f"{verb} track"
    if total:
        missing = [row for row in missing if was_played[row]]
    else:
        total, kind = len(content.rows.paths), "track"
    if not total:
        return f"{shown(source.text)}: no tracks in it yet."
    text = f"{shown(source.text)}: {total - len(missing):,} of {counted(total, kind)} found"
    times = [time_s for time_s in played.last_played if time_s and time_s <= now_s + _DAY_S]
    if times:
        text += f", last {noun} {_time(max(times))}"
    others = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
    return f"{text}. Not found: {_name(content.rows, missing[0])}{others}" if missing else f"{text}."


def _time(unix_s: int) -> str:
    return f"{datetime.fromtimestamp(unix_s).astimezone():%Y-%m-%d %H:%M}"


def _name(rows: HistoryRows, row: int) -> str:
    path, names = rows.paths[row], rows.names[row]
    return shown(path if path or names is None else f"{names.artist} - {names.title}")


def with_plays(rows_of: RowsOf, history: PlayHistory, tracks: Tracks) -> RowsOf:
    """Return a look-up of tags to which a history's plays are added. The greater play count is used."""
    no_skips = 0 if history.counts_skips else None
    row_of = dict(zip(history.indices, count()))
    played = history.played.and_rows(_NEVER)

    def look_up(folder: Folder) -> TagRows:
        known = played.rows([row_of.get(index, -1) for index in tracks.indices_in(folder)])
        tags = rows_of(folder)
        if not isinstance(tags, TagRows) or tags.untagged:
            tags = TagRows.of([row or Tags() for row in tags])
        plays = zip(known.plays, tags.column(_PLAYS), strict=True)
        ratings = zip(known.rating, tags.column(_RATING), strict=True)
        return tags.replaced(
            {
                _LAST: list(known.last_played),
                _SKIPS: [skips or no_skips for skips in known.skips],
                _PLAYS: [max(mine or 0, its or 0) for mine, its in plays],
                _RATING: [its if mine is None else mine for mine, its in ratings],
            }
        )

    return look_up
