"""Choose the tracks of a playlist among all tracks of its folders, stage by stage."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import OptionError, PlayshuffleError, shown
from playshuffle.library.folder import Folder
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.ordering.arrange import no_tags
from playshuffle.ordering.groups import TagsOf
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
    Stage,
    why_no_match,
)
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.skip_lists import SkipList, reasons_to_skip
from playshuffle.pipeline.tag_rows import RowsOf, tags_from
from playshuffle.selection.duplicates import copies_among
from playshuffle.selection.idle_terms import Idle
from playshuffle.selection.query import Finding, Lacking
from playshuffle.shuffle import RandBelow
from playshuffle.tags import spoken


class Draw(NamedTuple):
    """How the tracks under the limit of `--most` are drawn.

    randbelow: None draws nothing, so that a track which a draw could keep is not left out.
    playing: numbers of the tracks of the playlist, which are kept before others.
    """

    randbelow: RandBelow | None
    playing: Collection[int]


class _Stages:
    """Collects the stages of a choice. remaining has the indices of the tracks that no stage left out.

    lacking, idle, idle_lists, kept: as in the choice.
    """

    def __init__(self, found: Tracks) -> None:
        self.found = found
        self.remaining: Sequence[int] = range(len(found))
        self.done: list[Stage] = []
        self.lacking: Sequence[Lacking] = ()
        self.idle: Sequence[Idle] = ()
        self.idle_lists: Sequence[bytes] = ()
        self.kept: Mapping[int, int] = {}

    def leave_out(
        self,
        code: str,
        indices: Sequence[int],
        reason: Callable[[int], str],
        terms: Callable[[int], Sequence[Finding]] = lambda _: (),
    ) -> None:
        """Add a stage that leaves out these tracks, ascending."""
        self.done.append(Stage(code, indices, len(self.remaining), reason, terms))
        out = frozenset(indices)
        if out:
            self.remaining = [index for index in self.remaining if index not in out]

    def tracks(self) -> Tracks:
        """Return the tracks that remain."""
        return _part(self.found, self.remaining)

    def choice(self, lists: Sequence[SkipList], pinned: Sequence[Pin]) -> Choice:
        """Return the choice after all stages."""
        rows = {index: row for row, index in enumerate(self.remaining)} if pinned else {}
        there = (pin for pin in pinned if pin.track_index in rows)
        return Choice(
            self.found,
            self.tracks(),
            tuple(self.done),
            self.lacking,
            self.idle,
            tuple(lists),
            self.idle_lists,
            self.kept,
            tuple(pin._replace(track_index=rows[pin.track_index]) for pin in there),
        )

    def check_remains(self, index: int) -> None:
        """Check that no stage leaves out a pinned track.

        Raises:
            PlayshuffleError: a stage does; says which, and why.
        """
        for stage in self.done:
            if index in stage.indices:
                raise OptionError(
                    "{}: {path} is skipped by {}: {reason}. Change the query, or remove the pin."
                    if stage.code == WHERE
                    else "{}: {path} is skipped: {reason}. Remove the pin.",
                    "pin",
                    "where",
                    path=self.found.paths[index],
                    reason=stage.reason(index),
                )


def choose(
    request: Request,
    found: Tracks,
    rows_of: RowsOf | None,
    lists: Sequence[SkipList],
    unwritable: Callable[[Tracks], Mapping[bytes, str]],
    last: Sequence[int],
    draw: Draw | None,
    *,
    checks_pins: bool,
) -> Choice:
    """Choose the tracks of a playlist.

    Args:
        request: the playlist.
        found: all tracks of its folders.
        rows_of: looks up the tags of a folder, as rows of the cache; None without tags.
        lists: the skip lists of the request, read.
        unwritable: returns why tracks cannot be written for the player, by path; they are left out.
        last: numbers of the last order; of equal copies the one in it is kept.
        draw: chooses the tracks under the limit of `--most`; None does not limit them.
        checks_pins: a pin that names no track is an error; else it is passed over.

    Raises:
        PlayshuffleError: the query is not valid, or takes too long; or a pin names none of these tracks.
    """
    stages = _Stages(found)
    if not request.spoken:
        reasons = _spoken(found)
        stages.leave_out(SPOKEN, sorted(reasons), reasons.__getitem__)
    if request.where:
        _leave_out_no_match(stages, request, rows_of)
    before_lists = stages.remaining
    if lists:
        _leave_out_listed(stages, request, lists)
    tags_of = no_tags if rows_of is None else tags_from(rows_of)
    if request.no_duplicates:
        _leave_out_copies(stages, before_lists, tags_of, last)
    if not request.any_name:
        _leave_out_unwritable(stages, unwritable(stages.tracks()))
    pinned = _pins(stages, request, tags_of, is_checked=checks_pins)
    if request.most is not None and draw is not None:
        _leave_out_most(stages, request.most, draw, pinned, tags_of)
    if checks_pins:
        for pin in pinned:
            stages.check_remains(pin.track_index)
    return stages.choice(lists, pinned)


def _spoken(tracks: Tracks) -> dict[int, str]:
    """Return why tracks are spoken word, by index."""
    has_any = any(
        folder.odd.spoken or (folder.durations_ms is None and spoken.SUFFIX in folder.names.lower())
        for folder in tracks.folders
    )
    if not has_any:
        return {}
    return {index: reason for index, reason in enumerate(tracks.column(_reasons)) if reason}


def _reasons(folder: Folder) -> list[str]:
    names = folder.file_names()
    if folder.durations_ms is None:  # tags are not read
        return [spoken.why_spoken(name, None) for name in names]
    return [folder.odd.spoken.get(row, "") for row in range(len(names))]


def _leave_out_no_match(stages: _Stages, request: Request, rows_of: RowsOf | None) -> None:
    """Leave out what the queries do not match."""
    query, found, remaining = request.query, stages.found, stages.remaining
    selection = query.select(stages.tracks(), rows_of)

    def terms(index: int) -> Sequence[Finding]:
        return query.explain(found, rows_of, index)

    left_out = [remaining[row] for row in selection.left_out]
    named = {index: why_no_match(terms(index)) for index in left_out[:NAMED]}
    stages.leave_out(WHERE, left_out, lambda index: named.get(index) or why_no_match(terms(index)), terms)
    stages.lacking, stages.idle = selection.lacking, selection.idle


def _leave_out_listed(stages: _Stages, request: Request, lists: Sequence[SkipList]) -> None:
    """Leave out the tracks of the skip lists."""
    reasons, stages.idle_lists = reasons_to_skip(stages.found, lists)
    indices = [index for index in stages.remaining if index in reasons]
    if indices or request.without:
        stages.leave_out(WITHOUT, indices, reasons.__getitem__)


def _leave_out_copies(
    stages: _Stages, before_lists: Sequence[int], tags_of: TagsOf, last: Sequence[int]
) -> None:
    """Leave out all but the best copy of each recording.

    A copy that a skip list names counts as the one that is kept: whoever heard the one has heard the other.
    """
    found, positions = stages.found, {number: at for at, number in enumerate(last)}

    def groups(indices: Sequence[int]) -> list[list[int]]:
        """Return the tracks that are the same recording, each group from the best to the worst."""
        tracks = _part(found, indices)
        rows = {row: positions[number] for row, number in enumerate(tracks.numbers) if number in positions}
        copies = copies_among(tracks, tags_of, rows)
        return [[indices[row] for row in (group.kept, *group.others)] for group in copies]

    remaining = stages.remaining
    best = {other: group[0] for group in groups(remaining) for other in group[1:]}
    stages.leave_out(DUPLICATE, sorted(best), lambda index: f"duplicate of {shown(found.paths[best[index]])}")
    if len(before_lists) > len(remaining):
        staying = frozenset(stages.remaining)
        for group in groups(before_lists):
            stays = next((index for index in group if index in staying), None)
            if stays is not None:
                best |= {index: stays for index in group if index not in staying and index not in best}
    stages.kept = {found.numbers[other]: found.numbers[index] for other, index in best.items()}


def _leave_out_unwritable(stages: _Stages, reason_of: Mapping[bytes, str]) -> None:
    """Leave out what the player would lose."""
    if reason_of:
        paths = stages.found.paths
        indices = [index for index in stages.remaining if paths[index] in reason_of]
        stages.leave_out(NAME, indices, lambda index: reason_of[paths[index]])


def _pins(stages: _Stages, request: Request, tags_of: TagsOf, *, is_checked: bool) -> list[Pin]:
    """Return the pins of a request, with indices of the tracks of its folders.

    Raises:
        PlayshuffleError: a pin names no track, several tracks, or one that is left out.
    """
    pinned: list[Pin] = []
    if not stages.remaining:
        return pinned
    for text in request.pins:
        try:
            pin = pins.resolve(text, stages.tracks().paths, request.roots)
        except PlayshuffleError:
            if is_checked:
                _check_title(text, stages.tracks(), tags_of)
                index = pins.resolve(text, stages.found.paths, request.roots).track_index
                stages.check_remains(index)
                raise
        else:
            pinned.append(pin._replace(track_index=stages.remaining[pin.track_index]))
    return pinned


def _check_title(text: str, tracks: Tracks, tags_of: TagsOf) -> None:
    """Raise an error if a pin is the title of a track."""
    titles = tracks.column(lambda folder: [tags.title if tags else "" for tags in tags_of(folder)])
    for path, title in zip(tracks.paths, titles, strict=True):
        if title.casefold() == text.casefold():
            problem = "{}: '{title}' is the title of {name}. Pin the file: {name}"
            raise OptionError(problem, "pin", title=text, name=os.path.basename(path))


def _leave_out_most(
    stages: _Stages,
    limit: LimitPerTag,
    draw: Draw,
    pinned: Sequence[Pin],
    tags_of: TagsOf,
) -> None:
    """Leave out the tracks over the limit of `--most`, pinned ones last, and before them playing ones."""
    tracks, remaining = stages.tracks(), stages.remaining
    pinned_indices = {pin.track_index for pin in pinned}
    playing = {stages.kept.get(number, number) for number in draw.playing}
    ranks = [
        0 if index in pinned_indices else 1 if number in playing else 2
        for index, number in zip(remaining, tracks.numbers, strict=True)
    ]
    out = over_limit(values(tracks, tags_of, limit.tag), limit.number, ranks, draw.randbelow)
    stages.leave_out(MOST, [remaining[row] for row in out], lambda _: f"over the limit of {limit}")


def _part(tracks: Tracks, indices: Sequence[int]) -> Tracks:
    """Return some tracks, in the same order."""
    return tracks if len(indices) == len(tracks) else tracks.only(indices)
