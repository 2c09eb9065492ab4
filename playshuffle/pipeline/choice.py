"""Choose the tracks of a playlist among all that were found.

Each stage keeps some of the tracks of the stage before, and gives a reason for each of the others.
The reasons are what `-v`, `--json` and `why` show.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import Exit, OptionError, shown
from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import no_tags
from playshuffle.pipeline.most_per_tag import Draw
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.skip_lists import SkipList, reasons_to_skip
from playshuffle.pipeline.tag_needs import parse_all
from playshuffle.pipeline.tag_rows import tags_from
from playshuffle.selection.duplicates import without_copies
from playshuffle.selection.evaluation import TagsOf
from playshuffle.selection.idle_terms import Idle
from playshuffle.selection.query import Finding, Lacking, Query
from playshuffle.tags import spoken
from playshuffle.text import counted, short

SPOKEN, WHERE, WITHOUT, DUPLICATE, MOST = "spoken", "where", "without", "duplicate", "most"

NAMED = 20  # tracks that a stage names when the cache is closed


class Stage(NamedTuple):
    """The tracks that one stage leaves out.

    code: SPOKEN, WHERE, WITHOUT, DUPLICATE or MOST. indices: of the tracks that were found, ascending.
    of: how many tracks the stage had to choose from. reason: returns why it leaves out a track;
    of more than the first NAMED only as long as the cache of tags is open.
    terms: returns what each term of the query says about a track that was found.
    """

    code: str
    indices: Sequence[int]
    of: int
    reason: Callable[[int], str]
    terms: Callable[[int], Sequence[Finding]] = lambda _: ()


class Choice(NamedTuple):
    """The tracks of a playlist, and what each stage leaves out of all that were found.

    lacking, idle: terms of the query that decided on tracks without the tag, or change nothing.
    lists: the skip lists. idle_lists: those that skip no track that was found.
    kept: the number of the copy that is kept, by that of each copy that is left out, also by a skip list.
    """

    found: Tracks
    tracks: Tracks
    stages: tuple[Stage, ...]
    lacking: Sequence[Lacking]
    idle: Sequence[Idle]
    lists: Sequence[SkipList]
    idle_lists: Sequence[bytes]
    kept: Mapping[int, int]

    def stage(self, code: str) -> Stage | None:
        """Return the stage with this code; None if it was not asked for."""
        return next((stage for stage in self.stages if stage.code == code), None)

    def skipped(self, code: str, limit: int | None = None) -> list[Skipped]:
        """Return what a stage leaves out, with reasons; at most `limit` tracks."""
        stage = self.stage(code)
        if stage is None:
            return []
        return [Skipped(self.found.paths[index], stage.reason(index)) for index in stage.indices[:limit]]

    def terms(self, index: int) -> Sequence[Finding]:
        """Return what each term of the query says about a track."""
        stage = self.stage(WHERE)
        return () if stage is None else stage.terms(index)

    def why_not(self, index: int) -> tuple[str, str] | None:
        """Return the code of the stage that leaves out a track, and the reason; None if none does."""
        for stage in self.stages:
            at = bisect_left(stage.indices, index)
            if at < len(stage.indices) and stage.indices[at] == index:
                return stage.code, stage.reason(index)
        return None


class NothingMatchesError(OptionError):
    """No track matches what a playlist selects. The playlist stays as it is."""

    def __init__(self, choice: Choice) -> None:
        where, skipped, without = map(choice.stage, (WHERE, SPOKEN, WITHOUT))
        if without is not None and without.of:
            sentences = ["The skip lists of {1} name all {tracks}."]
        elif where is not None and where.of:
            sentences = ["None of {tracks} matches the query. {hints}"]
        else:
            sentences = ["There is no music."]
        if skipped is not None and skipped.indices:
            sentences.append("Skipped: {skipped} of spoken word; {2} includes them.")
        sentences.append("The playlist was not changed.")
        hints = [idle_text(term) for term in choice.idle if not term.is_negated]
        super().__init__(
            " ".join(sentences),
            "where",
            "without",
            "spoken = true",
            code=Exit.NOTHING_TO_PLAY,
            tracks=counted(next((stage.of for stage in (without, where) if stage and stage.of), 0), "track"),
            hints=" ".join(hints or ["Check it with `playshuffle tags`."]),
            skipped=counted(len(skipped.indices) if skipped else 0, "file"),
        )


def choose(
    request: Request,
    found: Tracks,
    tags_of: TagsOf | None,
    lists: Sequence[SkipList] = (),
    last: Sequence[int] = (),
    draw: Draw | None = None,
) -> Choice:
    """Choose the tracks of a playlist.

    Args:
        request: the playlist.
        found: all tracks of its folders.
        tags_of: looks up the tags of a folder, as rows of the cache; None without tags.
        lists: the skip lists of the request, read.
        last: numbers of the last order; of equal copies the one in it is kept.
        draw: chooses the tracks under the limit of `--most`; None does not limit them.

    Raises:
        PlayshuffleError: the query is not valid, or takes too long.
    """
    stages: list[Stage] = []
    remaining: Sequence[int] = range(len(found))
    if not request.spoken:
        reasons = _spoken(found)
        stages.append(Stage(SPOKEN, sorted(reasons), len(remaining), reasons.__getitem__))
        remaining = [index for index in remaining if index not in reasons] if reasons else remaining
    lacking: Sequence[Lacking] = ()
    idle: Sequence[Idle] = ()
    if request.where:
        stage, remaining, lacking, idle = _matching(parse_all(request), found, remaining, tags_of)
        stages.append(stage)
    before_lists = remaining
    idle_lists: Sequence[bytes] = ()
    if lists:
        stage, remaining, idle_lists = _without(lists, found, remaining)
        stages.append(stage)
    kept: dict[int, int] = {}
    if request.no_duplicates:
        assert tags_of is not None, "check_needs refuses it without tags"
        positions = {number: at for at, number in enumerate(last)}
        wider = before_lists if len(before_lists) > len(remaining) else ()
        stage, remaining, kept = _duplicates(found, remaining, tags_of, positions)
        kept = _skipped_copies(found, wider, remaining, tags_of, positions) | kept
        stages.append(stage)
    if request.most is not None and draw is not None:
        out = draw.over_limit(
            request, request.most, found, remaining, no_tags if tags_of is None else tags_from(tags_of), kept
        )
        stages.append(Stage(MOST, out, len(remaining), lambda _: f"over the limit of {request.most}"))
        remaining = sorted(set(remaining).difference(out)) if out else remaining
    tracks = found if len(remaining) == len(found) else found.only(remaining)
    return Choice(found, tracks, tuple(stages), lacking, idle, tuple(lists), idle_lists, kept)


def _spoken(tracks: Tracks) -> dict[int, str]:
    """Return why tracks are spoken word, by index."""

    def is_odd(folder: Folder) -> bool:
        return bool(folder.odd.spoken) or (
            folder.durations_ms is None and spoken.SUFFIX in folder.names.lower()
        )

    if not any(map(is_odd, tracks.folders)):
        return {}
    return {index: reason for index, reason in enumerate(tracks.column(_reasons)) if reason}


def _reasons(folder: Folder) -> list[str]:
    names = folder.file_names()
    if folder.durations_ms is None:  # tags are not read
        return [spoken.reason(name, None) for name in names]
    return [folder.odd.spoken.get(row, "") for row in range(len(names))]


def _matching(
    query: Query, all_tracks: Tracks, remaining: Sequence[int], tags_of: TagsOf | None
) -> "tuple[Stage, Sequence[int], Sequence[Lacking], Sequence[Idle]]":
    tracks = all_tracks if len(remaining) == len(all_tracks) else all_tracks.only(remaining)
    selection = query.select(tracks, tags_of)

    def terms(index: int) -> Sequence[Finding]:
        return query.explain(all_tracks, tags_of, index)

    left_out = [remaining[row] for row in selection.left_out]
    named = {index: why_no_match(terms(index)) for index in left_out[:NAMED]}
    stage = Stage(
        WHERE, left_out, len(remaining), lambda index: named.get(index) or why_no_match(terms(index)), terms
    )
    return stage, [remaining[row] for row in selection.kept], selection.lacking, selection.idle


def _without(
    lists: Sequence[SkipList], found: Tracks, left: Sequence[int]
) -> tuple[Stage, Sequence[int], Sequence[bytes]]:
    reasons, idle = reasons_to_skip(found, lists)
    omitted = [index for index in left if index in reasons]
    stage = Stage(WITHOUT, omitted, len(left), reasons.__getitem__)
    return stage, [index for index in left if index not in reasons] if omitted else left, idle


def _duplicates(
    found: Tracks, left: Sequence[int], tags_of: TagsOf, positions: Mapping[int, int]
) -> tuple[Stage, Sequence[int], dict[int, int]]:
    groups = _groups_of_copies(found, left, tags_of, positions)
    best = {other: group[0] for group in groups for other in group[1:]}
    kept = {found.numbers[other]: found.numbers[index] for other, index in best.items()}
    stage = Stage(
        DUPLICATE, sorted(best), len(left), lambda index: f"duplicate of {shown(found.paths[best[index]])}"
    )
    return stage, [index for index in left if index not in best], kept


def _skipped_copies(
    found: Tracks,
    wider: Sequence[int],
    stay: Sequence[int],
    tags_of: TagsOf,
    positions: Mapping[int, int],
) -> dict[int, int]:
    """Map each copy that a skip list names to the best one that stays.

    Whoever heard the one has heard the other. wider: the tracks before the skip lists.
    """
    staying = frozenset(stay)
    kept: dict[int, int] = {}
    for group in _groups_of_copies(found, wider, tags_of, positions) if wider else ():
        best = next((index for index in group if index in staying), None)
        if best is not None:
            others = (index for index in group if index not in staying)
            kept |= {found.numbers[index]: found.numbers[best] for index in others}
    return kept


def _groups_of_copies(
    found: Tracks, indices: Sequence[int], tags_of: TagsOf, positions: Mapping[int, int]
) -> list[list[int]]:
    """Return the tracks that are the same recording, each group from the best to the worst."""
    tracks = found if len(indices) == len(found) else found.only(indices)
    rows = {row: positions[number] for row, number in enumerate(tracks.numbers) if number in positions}
    _, _, groups = without_copies(tracks, tags_from(tags_of), rows)
    return [[indices[row] for row in (group.kept, *group.others)] for group in groups]


def idle_text(term: Idle) -> str:
    """Return a sentence about a term that changes nothing."""
    problem = f"{short(term.text)} {'excludes' if term.is_negated else 'matches'} no track."
    if term.near is None:
        return problem
    return f"{problem} Did you mean {'-' * term.is_negated}path:{shown(term.near)}?"


def why_no_match(findings: Sequence[Finding]) -> str:
    """Return the terms that fail, with what they saw."""
    failing = [finding for finding in findings if not finding.holds]
    words = [f"{short(finding.text)} fails{_seen(finding)}" for finding in failing]
    return "; ".join(words)


def _seen(finding: Finding) -> str:
    """Return what a term saw, in brackets; nothing for the path, which is known."""
    if [name for name, _ in finding.values] == ["path"]:
        return ""
    if len(finding.values) > 1:
        return " (in no field)"
    seen = (f"{name} is {shown(value)}" if value else f"no {name}" for name, value in finding.values)
    return f" ({', '.join(seen)})"
