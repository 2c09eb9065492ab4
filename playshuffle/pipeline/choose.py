"""Choose the tracks of a playlist among all tracks of its folders, stage by stage."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from playshuffle.errors import OptionError, PlayshuffleError, shown
from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.tag_columns import RowsOf, TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.ordering.limit_per_tag import LimitPerTag, over_limit, values
from playshuffle.ordering.recipe import Pin
from playshuffle.pipeline.choice import (
    DUPLICATE,
    MOST,
    NAME,
    NAMED,
    SPOKEN,
    WHERE,
    WITHOUT,
    Choice,
    NothingMatchesError,
    NothingToPlayError,
    part_of,
)
from playshuffle.pipeline.record import Record
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.skip_lists import SkipList, reasons_to_skip
from playshuffle.pipeline.tag_rows import tags_from
from playshuffle.selection.duplicates import copies_among
from playshuffle.selection.query import Finding
from playshuffle.shuffle import RandBelow
from playshuffle.tags import spoken
from playshuffle.tags.cause import Cause
from playshuffle.text import short


def choose(
    request: Request,
    all_tracks: Tracks,
    rows_of: RowsOf,
    lists: Sequence[SkipList],
    unwritable: Callable[[Tracks], Mapping[bytes, Cause]],
    record: Record,
    randbelow: RandBelow | None,
) -> Choice:
    """Choose the tracks of a playlist.

    Args:
        request: the playlist.
        all_tracks: all tracks of its folders.
        rows_of: looks up the tags of a folder, as rows of the cache.
        lists: the skip lists of the request, read.
        unwritable: returns why tracks cannot be written for the player, by path; they are left out.
        record: of equal copies the one in the last order is kept, and under the limit of `--most`, too.
        randbelow: draws the tracks under that limit. None only explains: a track that a draw could keep is
            not left out, and a pin that names no track is passed over.

    Raises:
        PlayshuffleError: the query is not valid, or takes too long; a pin names none of these tracks; or no
            track is left.
    """
    choice = Choice(all_tracks, range(len(all_tracks)), lists)
    if not request.options.spoken:
        reasons = _spoken(all_tracks)
        choice = choice.without(SPOKEN, sorted(reasons), reasons.__getitem__)
    if request.options.where:
        choice = _matching(choice, request, rows_of)
    before_lists = choice.remaining
    if lists:
        choice = _without_listed(choice, request)
    tags_of = tags_from(rows_of)
    if request.options.no_duplicates:
        choice = _without_copies(choice, before_lists, tags_of, record.numbers())
    if not request.any_name:
        choice = _without_unwritable(choice, unwritable(choice.tracks))
    if randbelow is not None and not choice.remaining:
        raise _nothing_left(choice, request, rows_of)
    pinned = _pins(choice, request, tags_of, is_checked=randbelow is not None)
    if request.most is not None and request.deal is None:  # a deck has the limit in each deal
        playing = record.playing(request.redraw_before_s)
        choice = _without_most(choice, request.most, playing, pinned, tags_of, randbelow)
    if randbelow is not None:
        for pin in pinned:
            _check_remains(choice, pin.track_index)
    rows = {index: row for row, index in enumerate(choice.remaining)} if pinned else {}
    there = (pin for pin in pinned if pin.track_index in rows)
    return replace(choice, pins=tuple(pin._replace(track_index=rows[pin.track_index]) for pin in there))


def _nothing_left(choice: Choice, request: Request, rows_of: RowsOf) -> PlayshuffleError:
    last = choice.stages[-1]
    if last.code != NAME:
        return NothingMatchesError(request, choice, rows_of)
    paths = choice.all_tracks.paths
    return NothingToPlayError(request.roots, [Skipped(paths[at], last.reason(at)) for at in last.indices])


def _check_remains(choice: Choice, index: int) -> None:
    """Check that no stage leaves out a pinned track.

    Raises:
        PlayshuffleError: a stage does; says which, and why.
    """
    left_out = choice.why_not(index)
    if left_out is not None:
        problem = "{}: {path} is skipped: {reason}. Remove the pin."
        if left_out.code == WHERE:
            problem = "{}: {path} is skipped by {}: {reason}. Change the query, or remove the pin."
        raise OptionError(problem, "pin", "where", path=choice.all_tracks.paths[index], reason=str(left_out))


def _spoken(tracks: Tracks) -> dict[int, Cause]:
    """Return why tracks are spoken word, by index."""
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


def _matching(choice: Choice, request: Request, rows_of: RowsOf) -> Choice:
    """Leave out what the queries do not match."""
    query, all_tracks, remaining = request.query, choice.all_tracks, choice.remaining
    selection = query.select(choice.tracks, rows_of)

    def terms(index: int) -> Sequence[Finding]:
        return query.explain(all_tracks, rows_of, index)

    left_out = [remaining[row] for row in selection.left_out]
    named = {index: _why_no_match(terms(index)) for index in left_out[:NAMED]}
    choice = choice.without(
        WHERE, left_out, lambda index: named.get(index) or _why_no_match(terms(index)), terms
    )
    return replace(choice, lacking=selection.lacking, idle=selection.idle)


def _why_no_match(findings: Sequence[Finding]) -> Cause:
    """Return the terms that fail, with what they saw."""
    failing = [finding for finding in findings if not finding.holds]
    words = [f"{short(finding.text)} fails{_seen(finding)}" for finding in failing]
    return Cause(WHERE, "; ".join(words))


def _seen(finding: Finding) -> str:
    """Return what a term saw, in brackets; nothing for the path, which is known."""
    if [name for name, _ in finding.values] == ["path"]:
        return ""
    if len(finding.values) > 1:
        return " (in no field)"
    seen = (f"{name} is {shown(value)}" if value else f"no {name}" for name, value in finding.values)
    return f" ({', '.join(seen)})"


def _without_listed(choice: Choice, request: Request) -> Choice:
    """Leave out the tracks of the skip lists."""
    reasons, idle_lists = reasons_to_skip(choice.all_tracks, choice.lists)
    indices = [index for index in choice.remaining if index in reasons]
    if indices or request.without:
        choice = choice.without(WITHOUT, indices, lambda index: Cause(WITHOUT, *reasons[index]))
    return replace(choice, idle_lists=idle_lists)


def _without_copies(
    choice: Choice, before_lists: Sequence[int], tags_of: TagsOf, last: Sequence[int]
) -> Choice:
    """Leave out all but the best copy of each recording.

    A copy that a skip list names counts as the one that is kept: whoever heard the one has heard the other.
    """
    all_tracks, positions = choice.all_tracks, {number: at for at, number in enumerate(last)}

    def groups(indices: Sequence[int]) -> list[list[int]]:
        """Return the tracks that are the same recording, each group from the best to the worst."""
        tracks = part_of(all_tracks, indices)
        rows = {row: positions[number] for row, number in enumerate(tracks.numbers) if number in positions}
        copies = copies_among(tracks, tags_of, rows)
        return [[indices[row] for row in (group.kept, *group.others)] for group in copies]

    remaining = choice.remaining
    best = {other: group[0] for group in groups(remaining) for other in group[1:]}
    choice = choice.without(
        DUPLICATE,
        sorted(best),
        lambda index: Cause(DUPLICATE, f"duplicate of {shown(all_tracks.paths[best[index]])}"),
    )
    if len(before_lists) > len(remaining):
        staying = frozenset(choice.remaining)
        for group in groups(before_lists):
            stays = next((index for index in group if index in staying), None)
            if stays is not None:
                best |= {index: stays for index in group if index not in staying and index not in best}
    kept = {all_tracks.numbers[other]: all_tracks.numbers[index] for other, index in best.items()}
    return replace(choice, kept=kept)


def _without_unwritable(choice: Choice, reason_of: Mapping[bytes, Cause]) -> Choice:
    """Leave out what the player would lose."""
    if not reason_of:
        return choice
    paths = choice.all_tracks.paths
    indices = [index for index in choice.remaining if paths[index] in reason_of]
    return choice.without(NAME, indices, lambda index: reason_of[paths[index]])


def _pins(choice: Choice, request: Request, tags_of: TagsOf, *, is_checked: bool) -> list[Pin]:
    """Return the pins of a request, with indices of the tracks of its folders.

    Raises:
        PlayshuffleError: a pin names no track, several tracks, or one that is left out.
    """
    pinned: list[Pin] = []
    if not choice.remaining:
        return pinned
    for text in request.options.pin:
        try:
            pin = pins.resolve(text, choice.tracks.paths, request.roots)
        except PlayshuffleError:
            if is_checked:
                _check_title(text, choice.tracks, tags_of)
                index = pins.resolve(text, choice.all_tracks.paths, request.roots).track_index
                _check_remains(choice, index)
                raise
        else:
            pinned.append(pin._replace(track_index=choice.remaining[pin.track_index]))
    return pinned


def _check_title(text: str, tracks: Tracks, tags_of: TagsOf) -> None:
    """Raise an error if a pin is the title of a track."""
    titles = tracks.column(lambda folder: [tags.title if tags else "" for tags in tags_of(folder)])
    for path, title in zip(tracks.paths, titles, strict=True):
        if title.casefold() == text.casefold():
            problem = "{}: '{title}' is the title of {name}. Pin the file: {name}"
            raise OptionError(problem, "pin", title=text, name=os.path.basename(path))


def _without_most(
    choice: Choice,
    limit: LimitPerTag,
    playing_numbers: Sequence[int],
    pinned: Sequence[Pin],
    tags_of: TagsOf,
    randbelow: RandBelow | None,
) -> Choice:
    """Leave out the tracks over the limit of `--most`, pinned ones last, and before them playing ones."""
    tracks, remaining = choice.tracks, choice.remaining
    pinned_indices = {pin.track_index for pin in pinned}
    playing = {choice.kept.get(number, number) for number in playing_numbers}
    ranks = [
        0 if index in pinned_indices else 1 if number in playing else 2
        for index, number in zip(remaining, tracks.numbers, strict=True)
    ]
    out = over_limit(values(tracks, tags_of, limit.tag), limit.number, ranks, randbelow)
    return choice.without(
        MOST, [remaining[row] for row in out], lambda _: Cause(MOST, f"over the limit of {limit}")
    )
