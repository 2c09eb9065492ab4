"""Read the play histories of a request, and match them to the tracks of its folders."""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Self

from playshuffle.errors import Note, shown
from playshuffle.history.matching import match
from playshuffle.history.rows import Names, Played, Row
from playshuffle.history.sources import Source, SourceError, read_rows, stamp_of
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf, TagRows
from playshuffle.library.track_table import TrackTable
from playshuffle.library.tracks import Tracks
from playshuffle.pipeline.open_library import OpenLibrary
from playshuffle.pipeline.request import Request
from playshuffle.store import plays as store
from playshuffle.store.plays import StoredPlays, path_key
from playshuffle.tags.reading import Tags
from playshuffle.text import counted

_LAST, _SKIPS, _PLAYS, _RATING, _ARTIST, _TITLE, _ALBUM, _ID = map(
    Tags._fields.index,
    ("last_played", "skip_count", "play_count", "rating", "artist", "title", "album", "recording_id"),
)
_NEVER = Played()


class PlayHistory(NamedTuple):
    """What the sources of a playlist know of tracks, by number. notes: for the user."""

    played: Mapping[int, Played]
    notes: Sequence[Note]

    def with_copies(self, kept: Mapping[int, int]) -> Self:
        """Return the history with the plays of each omitted copy counted for the kept one, too.

        kept: the number of the kept copy, by that of each omitted one.
        """
        played = dict(self.played)
        for number in kept.keys() & self.played.keys():
            best = kept[number]
            played[best] = _merged(played[best], played[number]) if best in played else played[number]
        return self._replace(played=played)

    def heard_since(self, since_s: float, *, with_skips: bool = False) -> frozenset[int]:
        """Return the tracks that were played, or also skipped, at this time (Unix seconds) or later."""
        return frozenset(
            number
            for number, each in self.played.items()
            if max(each.last_played or 0, (with_skips and each.last_skipped) or 0) >= since_s
        )


def play_history(opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf) -> PlayHistory:
    """Read all sources of a request, at most once for all playlists over the same folders.

    A source that has not changed is not read again. One that cannot be read counts as it was.

    Args:
        opened: the library, opened for this request.
        request: the playlist.
        tracks: all tracks of its folders.
        rows_of: looks up the tags of a folder, for sources that have no paths.

    Raises:
        SourceError: a source cannot be read, and never was; or none of its tracks is in a music folder.
    """
    key = request.history, request.roots, request.files
    if key not in opened.histories:
        played: dict[int, Played] = {}
        notes = []
        for source in request.history:
            stored = _read(source, opened, request, tracks, rows_of)
            notes.append(Note("history", stored.note, source.path))
            for (number, _), row in stored.rows.items():
                played[number] = _merged(played[number], row) if number in played else row
        opened.histories[key] = PlayHistory(played, notes)
    history: PlayHistory = opened.histories[key]
    return history


def _merged(first: Played, second: Played) -> Played:
    """Return the latest times and the greatest counts of two sources, and the first rating.

    Never a sum: both may have counted the same plays.
    """
    *latest, ratings = zip(first, second, strict=True)
    known = ([value for value in pair if value is not None] for pair in latest)
    rating = ratings[1] if ratings[0] is None else ratings[0]
    return Played._make([*(max(values, default=None) for values in known), rating])


def _read(
    source: Source, opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf
) -> StoredPlays:
    stored = opened.state.named.stored
    key = b"\0".join((stored(source.path), source.user.encode(), *map(stored, request.roots)))
    before = store.load(opened.state, key)
    try:
        # New tracks may be those that had no file when the source was read.
        stamp = f"{stamp_of(source)} {opened.table.next_number}"
        if before is not None and before.stamp == stamp:
            return before
        plays = _matched(source, stamp, before, tracks, request.roots, rows_of)
    except SourceError as error:
        if before is None:
            raise
        return before._replace(note=f"{error} Its content of {_time(before.read_s)} counts.")
    if request.writes:
        store.save(opened.state, key, plays)
    return plays


def _matched(
    source: Source,
    stamp: str,
    before: StoredPlays | None,
    tracks: Tracks,
    roots: Sequence[bytes],
    rows_of: RowsOf,
) -> StoredPlays:
    """Read a source, and return what it knows of these tracks.

    A row at a path where no track is any more belongs to the track that was there.

    Raises:
        SourceError: it cannot be read, or has none of the tracks.
    """
    found = read_rows(source)
    number_of = dict(zip(tracks.paths, tracks.numbers, strict=True))
    renamed = {key: number for number, key in before.rows} if before is not None else {}
    known: dict[tuple[int, int], Played] = {}
    missing, now_s = [], int(time.time())
    for row, matching in match(found, number_of, roots, lambda: _tagged(tracks, rows_of)):
        key = path_key(row.path or repr(row.names).encode())
        numbers = matching or ([renamed[key]] if key in renamed else ())
        for number in numbers:
            old = before.rows.get((number, key)) if before is not None else None
            known[number, key] = _with_skip_time(row.played, old, now_s)
        if not numbers:
            missing.append(row)
    if missing and not known:
        raise SourceError(
            source,
            f"None of its {len(found):,} tracks is in a music folder. The first is {_name(missing[0])}."
            " Has the music moved?",
        )
    return StoredPlays(stamp, _note(source, found, missing), now_s, known)


def _with_skip_time(played: Played, old: Played | None, now_s: int) -> Played:
    """Return plays with the time of the last skip. If skips are only counted, it was when one was noticed."""
    if played.last_skipped is not None or old is None:
        return played
    is_new = (played.skips or 0) > (old.skips or 0)
    return played._replace(last_skipped=now_s if is_new else old.last_skipped)


def _tagged(tracks: Tracks, rows_of: RowsOf) -> Iterator[tuple[int, Names]]:
    names = tracks.column(
        lambda folder: [
            Names("", "") if row is None else Names(row[_ARTIST], row[_TITLE], row[_ALBUM], row[_ID])
            for row in rows_of(folder)
        ]
    )
    return zip(tracks.numbers, names, strict=True)


def _note(source: Source, rows: Sequence[Row], missing: Sequence[Row]) -> str:
    latest = max((row.played.last_played or 0 for row in rows), default=0)
    text = f"{shown(source.text)}: {len(rows) - len(missing):,} of {counted(len(rows), 'played track')} found"
    if latest:
        text += f", last play {_time(latest)}"
    others = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
    return f"{text}. Not found: {_name(missing[0])}{others}" if missing else f"{text}."


def _time(unix_s: int) -> str:
    return f"{datetime.fromtimestamp(unix_s).astimezone():%Y-%m-%d %H:%M}"


def _name(row: Row) -> str:
    if row.path or row.names is None:
        return shown(row.path)
    return shown(f"{row.names.artist} - {row.names.title}")


def with_plays(rows_of: RowsOf, history: PlayHistory, table: TrackTable) -> RowsOf:
    """Add what a history knows to the tags of a folder. Counters are the greatest of it and the tags."""

    def look_up(folder: Folder) -> TagRows:
        numbers = table.numbers_of(Tracks([folder]))
        known = [history.played.get(number, _NEVER) for number in numbers]
        tags = rows_of(folder)
        if not isinstance(tags, TagRows) or tags.untagged:
            tags = TagRows.of([row or Tags() for row in tags])
        plays, ratings = tags.column(_PLAYS), tags.column(_RATING)
        return tags.replaced(
            {
                _LAST: [each.last_played for each in known],
                _SKIPS: [each.skips or 0 for each in known],
                _PLAYS: [max(each.plays or 0, count or 0) for each, count in zip(known, plays, strict=True)],
                _RATING: [
                    share if each.rating is None else each.rating
                    for each, share in zip(known, ratings, strict=True)
                ],
            }
        )

    return look_up
