"""Read the play histories of a request, and match them to the tracks of its folders."""

from collections.abc import Iterator, Mapping, Sequence, Sized
from datetime import datetime
from typing import NamedTuple, Self
from zlib import crc32

from playshuffle.errors import Note, shown
from playshuffle.history.histories import HISTORIES
from playshuffle.history.history_reader import Content, SourceError, read_source, stamp_of
from playshuffle.history.matching import match
from playshuffle.history.rows import HistoryRow, Played, TagNames, merged, summed
from playshuffle.history.sources import Source
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf, TagRows
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
_DAY_S = 86_400  # a clock may be in another time zone
_BY_TITLE = {history.title: history for history in HISTORIES}


class PlayHistory(NamedTuple):
    """The plays of tracks in the sources of a playlist, by the index of the track."""

    played: Mapping[int, Played]
    notes: Sequence[Note]
    titles: Sequence[str]

    @property
    def counts_skips(self) -> bool:
        """Return whether a source counts skips, so that a track without any has none."""
        return any("skips" in _BY_TITLE[title].knows for title in self.titles) or any(
            each.skips is not None for each in self.played.values()
        )

    def with_warning(self) -> Self:
        """Add a note if no source has counted a play or a skip."""
        if any(any(each[:4]) for each in self.played.values()):
            return self
        text = (
            f"{' and '.join(self.titles)} never counted a play. Until then the same tracks are dealt again."
        )
        advice = [advice for title in self.titles if (advice := _BY_TITLE[title].advice)]
        advice.append("Or let deals count: --count dealt")
        return self._replace(notes=[*self.notes, Note("never_played", text, advice=" ".join(advice))])

    def with_copies(self, kept: Mapping[int, int]) -> Self:
        """Return the history with the plays of each omitted copy counted for the kept one, too.

        `kept` maps the former to the latter.
        """
        played = dict(self.played)
        for index in kept.keys() & self.played.keys():
            best = kept[index]
            played[best] = merged(played[best], played[index]) if best in played else played[index]
        return self._replace(played=played)

    def heard_since(self, since_s: float, *, with_skips: bool = False) -> frozenset[int]:
        """Return tracks that were played, or also skipped, since this Unix time (s)."""
        return frozenset(
            index
            for index, each in self.played.items()
            if max(each.last_played or 0, (with_skips and each.last_skipped) or 0) >= since_s
        )


def play_history(
    opened: OpenLibrary, request: Request, tracks: Tracks, rows_of: RowsOf, now_s: int
) -> PlayHistory:
    """Read all sources of a request, at most once for all playlists over the same folders.

    An unchanged source is not read again. If a source cannot be read, its last content counts.

    Args:
        rows_of: looks up a folder's tags, for sources without paths.

    Raises:
        SourceError: a source cannot be read, and never was; or none of its tracks is in a music folder.
    """
    key = request.history, request.roots, request.files, request.options.ignore_files
    if key not in opened.histories:
        played: dict[int, Played] = {}
        sources = [_read(source, opened, request, tracks, rows_of, now_s) for source in request.history]
        for stored in sources:
            for number, row in _by_number(stored).items():
                played[number] = merged(played[number], row) if number in played else row
        notes = [
            Note("history", stored.note, source.path)
            for source, stored in zip(request.history, sources, strict=True)
        ]
        titles = list(dict.fromkeys(stored.title for stored in sources))
        by_index = dict(zip(tracks.indices_of(played), played.values(), strict=True))
        opened.histories[key] = PlayHistory(by_index, notes, titles)
    history: PlayHistory = opened.histories[key]
    return history


def _by_number(stored: StoredPlays) -> dict[int, Played]:
    """Return the sum of a source's events, or the greatest of its totals."""
    combine = summed if _BY_TITLE[stored.title].is_log else merged
    played: dict[int, Played] = {}
    for (number, _), row in stored.rows.items():
        played[number] = combine(played[number], row) if number in played else row
    return played


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
        known, missing = _matched(content, before, tracks, request.roots, rows_of, now_s)
        _check_found(source, content, known, missing)
    except SourceError as error:
        if before is None:
            raise
        return before._replace(note=f"{error} Its content of {_time(before.read_s)} counts.")
    plays = StoredPlays(stamp, content.history.title, _note(source, content, missing, now_s), now_s, known)
    if request.writes:
        store.save(opened.state, key, plays)
    return plays


def _matched(
    content: Content,
    before: StoredPlays | None,
    tracks: Tracks,
    roots: Sequence[bytes],
    rows_of: RowsOf,
    now_s: int,
) -> tuple[dict[tuple[int, int], Played], list[HistoryRow]]:
    """Return the plays of these tracks in a source, and the rows of other tracks.

    A row whose path no longer has a track belongs to the track that was there.
    """
    number_of = dict(zip(tracks.paths, tracks.numbers, strict=True))
    renamed = {key: number for number, key in before.rows} if before is not None else {}
    known: dict[tuple[int, int], Played] = {}
    missing = []
    for row, matching in match(content.rows, number_of, roots, lambda: _tagged(tracks, rows_of)):
        key = path_key(row.path or repr(row.names).encode())
        numbers = matching or ([renamed[key]] if key in renamed else ())
        for number in numbers:
            old = before.rows.get((number, key)) if before is not None else None
            played = _with_times(row.played, old, now_s)
            known[number, key] = merged(known[number, key], played) if (number, key) in known else played
        if not numbers:
            missing.append(row)
    return known, missing


def _check_found(source: Source, content: Content, known: Sized, missing: Sequence[HistoryRow]) -> None:
    """Check that a source has tracks of a music folder, if it has any."""
    if missing and not known:
        raise SourceError(
            source,
            f"None of its {len(content.rows):,} tracks is in a music folder. The first is"
            f" {_name(missing[0])}. Has the music moved?",
        )


def _with_times(played: Played, old: Played | None, now_s: int) -> Played:
    """Return plays with the times of the last play and the last skip.

    A time that is unknown or in the future is when a new play or skip was noticed.
    """

    def noticed(
        time_s: int | None, count: int | None, old_s: int | None, old_count: int | None
    ) -> int | None:
        if time_s is not None and time_s <= now_s + _DAY_S:
            return time_s
        is_new = old is not None and (count or 0) > (old_count or 0)
        return now_s if is_new or (time_s is not None and old_s is None) else old_s

    was = old or Played()
    return played._replace(
        last_played=noticed(played.last_played, played.plays, was.last_played, was.plays),
        last_skipped=noticed(played.last_skipped, played.skips, was.last_skipped, was.skips),
    )


def _tagged(tracks: Tracks, rows_of: RowsOf) -> Iterator[tuple[int, TagNames]]:
    names = tracks.column(
        lambda folder: [
            TagNames("", "") if row is None else TagNames(row[_ARTIST], row[_TITLE], row[_ALBUM], row[_ID])
            for row in rows_of(folder)
        ]
    )
    return zip(tracks.numbers, names, strict=True)


def _note(source: Source, content: Content, missing: Sequence[HistoryRow], now_s: int) -> str:
    verb, noun = ("started", "start") if content.starts else ("played", "play")
    rows, kind = [row for row in content.rows if _was_played(row)], f"{verb} track"
    if rows:
        missing = [row for row in missing if _was_played(row)]
    else:
        rows, kind = content.rows, "track"
    text = f"{shown(source.text)}: {len(rows) - len(missing):,} of {counted(len(rows), kind)} found"
    times = [time_s for row in rows if (time_s := row.played.last_played or 0) <= now_s + _DAY_S]
    if latest := max(times, default=0):
        text += f", last {noun} {_time(latest)}"
    others = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
    return f"{text}. Not found: {_name(missing[0])}{others}" if missing else f"{text}."


def _was_played(row: HistoryRow) -> bool:
    return bool(row.played.plays or row.played.last_played)


def _time(unix_s: int) -> str:
    return f"{datetime.fromtimestamp(unix_s).astimezone():%Y-%m-%d %H:%M}"


def _name(row: HistoryRow) -> str:
    if row.path or row.names is None:
        return shown(row.path)
    return shown(f"{row.names.artist} - {row.names.title}")


def with_plays(rows_of: RowsOf, history: PlayHistory, tracks: Tracks) -> RowsOf:
    """Add a history's plays to the tags of a folder. The greatest count wins."""
    never = Played(skips=0) if history.counts_skips else Played()

    def look_up(folder: Folder) -> TagRows:
        known = [history.played.get(index, never) for index in tracks.indices_in(folder)]
        tags = rows_of(folder)
        if not isinstance(tags, TagRows) or tags.untagged:
            tags = TagRows.of([row or Tags() for row in tags])
        plays, ratings = tags.column(_PLAYS), tags.column(_RATING)
        return tags.replaced(
            {
                _LAST: [each.last_played for each in known],
                _SKIPS: [each.skips or never.skips for each in known],
                _PLAYS: [max(each.plays or 0, count or 0) for each, count in zip(known, plays, strict=True)],
                _RATING: [
                    share if each.rating is None else each.rating
                    for each, share in zip(known, ratings, strict=True)
                ],
            }
        )

    return look_up
