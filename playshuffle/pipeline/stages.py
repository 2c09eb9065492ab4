"""Define the stages of a choice: a table with one row for each stage, in the order of a run."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from playshuffle.errors import shown
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.chosen import Chosen
from playshuffle.ordering.limit_per_tag import over_limit, values
from playshuffle.ordering.pins import named_tracks
from playshuffle.ordering.recipe import Pin
from playshuffle.pipeline.choice import Choice, Stage
from playshuffle.pipeline.record import Record
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.skip_lists import reasons_to_skip
from playshuffle.pipeline.tag_rows import tags_from
from playshuffle.selection.track_names import TrackNames
from playshuffle.shuffle import RandBelow
from playshuffle.tags import spoken
from playshuffle.tags.cause import DUPLICATE, MOST, NAME, SPOKEN, WHERE, WITHOUT, Cause
from playshuffle.text import counted


class Facts(NamedTuple):
    """The input of the stages.

    Attributes:
        rows_of: looks up a folder's tags, as rows of the cache.
        unwritable: returns a cause for each path that cannot be written for the player.
        record: its tracks are preferred among equal copies, and under `--most`.
        former_paths: returns the number of the track that had each path last, of renamed tracks.
    """

    request: Request
    rows_of: RowsOf
    unwritable: Callable[[Tracks, Sequence[int]], Mapping[bytes, Cause]]
    record: Record
    randbelow: RandBelow
    former_paths: Callable[[], Mapping[bytes, int]]

    def names(self, tracks: Tracks, indices: Sequence[int]) -> TrackNames:

        def former_paths() -> dict[bytes, int]:
            row_of = {number: row for row, number in enumerate(tracks.numbers_of(indices))}
            return {path: row_of[number] for path, number in self.former_paths().items() if number in row_of}

        paths = tracks.column(Folder.file_paths, indices)
        tags = lambda: tracks.column(tags_from(self.rows_of), indices)  # noqa: E731
        return TrackNames(paths, self.request.roots, tags, former_paths)

    def pins(self, choice: Choice) -> tuple[Pin, ...]:
        texts, indices = self.request.options.pin, choice.remaining
        pins = named_tracks(texts, self.names(choice.all_tracks, indices)) if texts else ()
        return tuple(pin._replace(track_index=indices[pin.track_index]) for pin in pins)


class StageKind(NamedTuple):
    """A row of the table of stages.

    Attributes:
        leaves_out: the omitted tracks, in words.
        summary: returns a report's text about the omitted tracks; empty for no text.
        has_common_reason: `why` counts the omitted tracks together, under a short text.
    """

    code: str
    leaves_out: str
    apply: Callable[[Choice, Facts], Choice]
    summary: Callable[[Stage, int], str]
    keys: tuple[str, ...] = ()
    label: str = "Left out"
    has_common_reason: bool = False


def _without_spoken(choice: Choice, facts: Facts) -> Choice:
    if facts.request.options.spoken:
        return choice
    reasons = _spoken(choice.all_tracks)
    return choice.without(SPOKEN, sorted(reasons), reasons)


@lru_cache(1)  # the playlists of an update have the same library
def _spoken(tracks: Tracks) -> dict[int, Cause]:
    has_any = any(
        folder.odd.spoken or (folder.durations_ms is None and spoken.SUFFIX in folder.names.lower())
        for folder in tracks.folders
    )
    if not has_any:
        return {}
    return {index: Cause(SPOKEN, why) for index, why in enumerate(tracks.column(_reasons)) if why}


def _reasons(folder: Folder) -> list[str]:
    names = folder.file_names()
    if folder.durations_ms is None:  # tags are not read
        return [spoken.why_spoken(name, None) for name in names]
    return [folder.odd.spoken.get(row, "") for row in range(len(names))]


def _matching(choice: Choice, facts: Facts) -> Choice:
    if not facts.request.options.where:
        return choice
    from playshuffle.pipeline.query_stage import matching  # slow to import, and most lists have no query

    return matching(choice, facts.request, facts.record.now, facts.rows_of, facts.record.tracks())


def _without_listed(choice: Choice, facts: Facts) -> Choice:
    if not choice.lists:
        return choice
    reasons, idle_lists = reasons_to_skip(choice.all_tracks, choice.lists, facts.rows_of)
    indices = [index for index in choice.remaining if index in reasons]
    if indices or facts.request.without:
        choice = choice.without(
            WITHOUT, indices, {index: Cause(WITHOUT, *reasons[index]) for index in indices}
        )
    return choice._replace(idle_lists=idle_lists)


def _without_copies(choice: Choice, facts: Facts) -> Choice:
    """Omit all but the best copy of each recording.

    A copy on a skip list is never kept, but `Choice.kept` maps it to the kept copy.
    """
    if not facts.request.options.no_duplicates:
        return choice
    from playshuffle.selection.duplicates import copies_among, short_alike  # most lists keep copies

    all_tracks = choice.all_tracks
    positions = {index: position for position, index in enumerate(facts.record.tracks())}
    remaining, listed = choice.remaining, choice.stage(WITHOUT)
    tags_of = tags_from(facts.rows_of)
    groups = copies_among(all_tracks, remaining, tags_of, positions)
    best = {other: kept for kept, *others in groups for other in others}
    copies = {
        index: Cause(DUPLICATE, f"duplicate of {shown(all_tracks.paths[kept])}")
        for index, kept in best.items()
    }
    choice = choice.without(DUPLICATE, sorted(best), copies)
    if listed is not None and listed.indices:
        staying = frozenset(choice.remaining)
        among = sorted([*remaining, *listed.indices])
        for group in copies_among(all_tracks, among, tags_of, positions):
            stays = next((index for index in group if index in staying), None)
            if stays is not None:
                best |= {index: stays for index in group if index not in staying and index not in best}
    return choice._replace(kept=best, short_alike=short_alike(all_tracks, choice.remaining, tags_of))


def _without_unwritable(choice: Choice, facts: Facts) -> Choice:
    reason_of = {} if facts.request.any_name else facts.unwritable(choice.all_tracks, choice.remaining)
    if not reason_of:
        return choice
    paths = choice.all_tracks.paths
    indices = [index for index in choice.remaining if paths[index] in reason_of]
    return choice.without(NAME, indices, {index: reason_of[paths[index]] for index in indices})


def _without_most(choice: Choice, facts: Facts) -> Choice:
    """Omit tracks over the limit of `--most`: first tracks new to the list, then others, pinned ones last."""
    request, limit = facts.request, facts.request.most
    if limit is None or request.deal is not None or not choice.remaining:  # a deck has the limit in each deal
        return choice
    pinned = {pin.track_index for pin in facts.pins(choice)}
    last = facts.record.playing(request.redraw_before_s)
    playing = {choice.kept.get(index, index) for index in last}
    out, drawn = over_limit(
        values(Chosen(choice.all_tracks, choice.remaining, facts.rows_of), limit.tag),
        limit.number,
        lambda index: 0 if index in pinned else 1 if index in playing else 2,
        facts.randbelow,
    )
    choice = choice.without(MOST, out, dict.fromkeys(out, Cause(MOST, f"over the limit of {limit}")))
    return choice._replace(drawn_out=frozenset(drawn))


STAGES = (
    StageKind(
        SPOKEN,
        "spoken word",
        _without_spoken,
        lambda _, count: f"{counted(count, 'file')} of spoken word; --spoken includes them" if count else "",
    ),
    StageKind(
        WHERE,
        "not matching the query",
        _matching,
        lambda stage, count: f"{stage.of - count:,} of {counted(stage.of, 'track')} match the query",
        keys=("where",),
        label="Chosen",
    ),
    StageKind(
        WITHOUT,
        "in skip lists",
        _without_listed,
        lambda _, count: f"{counted(count, 'track')} of the skip lists",
        keys=("without",),
    ),
    StageKind(
        DUPLICATE,
        "duplicates",
        _without_copies,
        lambda _, count: f"{counted(count, 'duplicate')}: a better or equal copy is kept",
        keys=("no_duplicates",),
        has_common_reason=True,
    ),
    # Its tracks are listed with the skipped files.
    StageKind(NAME, "with names that the player cannot open", _without_unwritable, lambda *_: ""),
    StageKind(
        MOST,
        "over the limit for their artist or other tag",
        _without_most,
        lambda stage, count: f"{counted(count, 'track')} {stage.reasons[stage.indices[0]]}" if count else "",
        keys=("most",),
    ),
)
STAGE_KINDS = {kind.code: kind for kind in STAGES}
