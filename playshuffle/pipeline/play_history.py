"""Read the play histories of a request, and match them to the tracks of its folders."""

import sys
from array import array
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, compress, count
from operator import itemgetter
from typing import NamedTuple, Self

from playshuffle.errors import Note, shown
from playshuffle.history.histories import HISTORIES
from playshuffle.history.history_reader import Content, SourceError, read_source, stamp_of
from playshuffle.history.matching import match
from playshuffle.history.rows import Columns, HistoryRows, TagNames, Unread
from playshuffle.history.sources import Source
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf, TagRows
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.open_library import OpenLibrary, place_of
from playshuffle.pipeline.request import Request
from playshuffle.store import plays as store
from playshuffle.store.plays import NO_TRACK, StoredPlays, path_keys
from playshuffle.tags.reading import Tags
from playshuffle.text import counted

_LAST, _SKIPS, _PLAYS, _RATING = map(
    Tags._fields.index, ("last_played", "skip_count", "play_count", "rating")
)
_names_of = itemgetter(*map(Tags._fields.index, TagNames._fields))
_DAY_S = 86_400  # a clock may be in another time zone
_NEVER = Columns(*[(None,)] * 5)  # a row, the last of a table, so that its index is -1
_NOT_READ = _NEVER._replace(plays=(sys.maxsize,), skips=(sys.maxsize,))  # no count is greater
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
        if any(map(any, self.played[:4])) or not self.titles:
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

    def played_since(self, since_s: float) -> frozenset[int]:
        """Return tracks that were played since this Unix time (s)."""
        return self._since(since_s, self.played.last_played)

    def heard_since(self, since_s: float) -> frozenset[int]:
        """Return tracks that were played or skipped since this Unix time (s)."""
        return self.played_since(since_s) | self._since(since_s, self.played.last_skipped)

    def _since(self, since_s: float, times_s: Sequence[int | None]) -> frozenset[int]:
        pairs = zip(self.indices, times_s, strict=True)
        return frozenset(index for index, time_s in pairs if (time_s or 0) >= since_s)


def play_history(opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf) -> PlayHistory:
    """Read all sources of a request, once for all playlists over the same folders.

    An unchanged source is not read again. If a source cannot be read, the content that was read last counts.

    Args:
        rows_of: looks up a folder's tags, for sources without paths.

    Raises:
        SourceError: a source was never readable, or none of its tracks is in a music folder.
    """
    key = request.history, place_of(request)
    if key not in opened.histories:
        read = [_read(source, opened, request, tracks, rows_of) for source in request.history]
        sources = [each for each in read if isinstance(each, StoredPlays)]
        numbers: Sequence[int] = ()
        played = Columns()
        for stored in sources:
            its_numbers, its = stored.with_tracks()
            its_numbers, its = its.combined(its_numbers, is_log=_BY_TITLE[stored.title].is_log)
            numbers, played = played.and_rows(its).combined([*numbers, *its_numbers])
        texts = [each.note if isinstance(each, StoredPlays) else each for each in read]
        paths = (source.path for source in request.history)
        notes = [Note("history", text, path) for text, path in zip(texts, paths, strict=True)]
        titles = list(dict.fromkeys(stored.title for stored in sources))
        opened.histories[key] = PlayHistory(tracks.indices_of(numbers), played, notes, titles)
    history: PlayHistory = opened.histories[key]
    return history


def _read(
    source: Source, opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf
) -> StoredPlays | str:
    """Return the plays of a source, or why there are none if the service goes on without it."""
    stored, now_s = opened.state.named.stored, opened.now_s
    name = b"\0".join((stored(source.path), source.user.encode(), b""))
    kind = b"files" if request.files is not None else b"all" if request.options.ignore_files else b""
    key = name + b"\0".join((kind, *map(stored, request.roots)))
    before = store.load(opened.state, key)
    try:
        # A track may fit a row since it was renamed or tagged.
        stamp = f"{stamp_of(source)} {tracks.digest(range(len(tracks))).decode()}"
        if before is not None and before.stamp == stamp:
            return before
        content = read_source(source, now_s)
        played, matches = _tracks_of(content.rows, opened, request, tracks, rows_of)
        _check_found(source, content.rows, matches)
    except SourceError as error:
        before = before or store.load_latest(opened.state, name)
        if before is None and request.is_kept:
            return f"{error} The playlist goes on without it."
        if before is None:
            raise
        return before._replace(note=f"{error} Its content of {_time(before.read_s)} counts.")
    before = before or store.load_latest(opened.state, name)
    named = zip(content.rows.paths, content.rows.names, strict=True)
    keys = path_keys([path or repr(names).encode() for path, names in named])
    played = _with_times(played, keys, before, now_s)
    rows = [row for row, numbers in enumerate(matches) for _ in numbers or (NO_TRACK,)]
    if len(rows) > len(keys):
        keys, played = array("q", map(keys.__getitem__, rows)), played.rows(rows)
    numbers = array("I", chain.from_iterable(numbers or (NO_TRACK,) for numbers in matches))
    note = _note(source, content, matches, now_s)
    if content.rows.unread:
        note = f"{note}. {_unread(content.rows.unread)}"
    plays = StoredPlays(stamp, content.history.title, note, now_s, numbers, keys, played)
    if request.writes:
        store.save(opened.state, key, plays)
    return plays


def _tracks_of(
    rows: HistoryRows, opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf
) -> tuple[Columns, Sequence[Sequence[int]]]:
    """Return the plays of the rows, and the numbers of the tracks of each row.

    A row whose path has no track belongs to the track that had this path. A rating under the present path of
    a track replaces all ratings under its former paths.
    """
    by_path = dict(zip(tracks.paths, zip(tracks.numbers, strict=True), strict=True))
    matches = match(rows, by_path, request.roots, lambda: _tagged(tracks, rows_of))
    if all(matches):
        return rows.played, matches
    present = frozenset(tracks.numbers)
    former = {path: (number,) for path, number in opened.former_paths().items() if number in present}
    lost = [row for row, numbers in enumerate(matches) if not numbers]
    ratings = list(rows.played.rating)
    rated = {number for row, numbers in enumerate(matches) if ratings[row] is not None for number in numbers}
    of_lost = match(rows.where([not numbers for numbers in matches]), former, request.roots, tuple)
    for row, numbers in zip(lost, of_lost, strict=True):
        matches[row] = numbers
        if not rated.isdisjoint(numbers):
            ratings[row] = None
    return rows.played._replace(rating=ratings), matches


def _check_found(source: Source, rows: HistoryRows, matches: Sequence[Sequence[int]]) -> None:
    if matches and not any(matches):
        raise SourceError(
            source,
            f"None of its tracks is in a music folder. The first of {len(matches):,} is {_name(rows, 0)}. Has"
            " the music moved?",
        )


def _with_times(played: Columns, keys: Sequence[int], before: StoredPlays | None, now_s: int) -> Columns:
    """Return plays with the times of the last play and the last skip.

    An unknown or future time is replaced by the time when the play or skip was noticed. When a history is
    read first, none is noticed, only future ones.
    """
    if before is None:
        old = _NOT_READ.rows([0] * len(keys))
    elif before.keys == keys:
        old = before.played
    else:
        row_of = dict(zip(before.keys, count()))
        old = before.played.and_rows(_NEVER).rows([row_of.get(key, -1) for key in keys])

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


def _note(source: Source, content: Content, matches: Sequence[Sequence[int]], now_s: int) -> str:
    verb, noun = ("started", "start") if content.starts else ("played", "play")
    played = content.rows.played
    was_played = map(any, zip(played.plays, played.last_played, strict=True))
    rows = list(compress(range(len(matches)), was_played))
    kind = f"{verb} track" if rows else "track"
    rows = rows or list(range(len(matches)))
    if not rows:
        return f"{shown(source.text)}: no tracks in it yet"
    missing = [row for row in rows if not matches[row]]
    text = f"{shown(source.text)}: {len(rows) - len(missing):,} of {counted(len(rows), kind)} found"
    times = [time_s for time_s in played.last_played if time_s and time_s <= now_s + _DAY_S]
    if times:
        text += f", last {noun} {_time(max(times))}"
    others = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
    return f"{text}. Not found: {_name(content.rows, missing[0])}{others}" if missing else f"{text}."


def _unread(places: Sequence[Unread]) -> str:
    path, line = places[0]
    place = f"line {line:,} of {shown(path)}" if line else shown(path)
    others = f" and {len(places) - 1:,} more" if len(places) > 1 else ""
    return f"Cannot be read: {place}{others}"


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
        of_folder = played.rows([row_of.get(index, -1) for index in tracks.indices_in(folder)])
        tags = rows_of(folder)
        if not isinstance(tags, TagRows) or tags.untagged:
            tags = TagRows.of([row or Tags() for row in tags])
        plays = zip(of_folder.plays, tags.column(_PLAYS), strict=True)
        ratings = zip(of_folder.rating, tags.column(_RATING), strict=True)
        return tags.replaced(
            {
                _LAST: list(of_folder.last_played),
                _SKIPS: [skips or no_skips for skips in of_folder.skips],
                _PLAYS: [max(mine or 0, its or 0) for mine, its in plays],
                _RATING: [its if mine is None else mine for mine, its in ratings],
            }
        )

    return look_up
