"""Define the choice of a playlist: the tracks of its folders that the playlist gets.

Each stage omits some of the tracks that earlier stages kept. `-v`, `--json` and `why` show the reasons.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Self

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.folder import Skipped
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.recipe import Pin
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.skip_lists import SkipList
from playshuffle.selection.findings import Finding, Idle, Lacking
from playshuffle.tags.cause import SPOKEN, WHERE, WITHOUT, Cause
from playshuffle.text import counted, short


class Stage(NamedTuple):
    """The tracks that one stage omits.

    Attributes:
        of: number of tracks before this stage.
        reasons: why the stage omits each track; a query gives only those that a report names.
        terms: returns what each term of the query decided about a track, as long as the library is open.
    """

    code: str
    indices: Sequence[int]
    of: int
    reasons: Mapping[int, Cause]
    terms: Callable[[int], Sequence[Finding]] = lambda _: ()


class Choice(NamedTuple):
    """The tracks of a playlist, and the tracks that each stage omits.

    Attributes:
        all_tracks: tracks of the folders; all indices refer to them.
        remaining: indices of the chosen tracks, ascending.
        stages: the stages that were requested or omit a track.
        lacking: terms of the query whose tag some tracks lack, which decided about these tracks.
        idle: terms of the query that change nothing.
        undecided: tracks that the query cannot test, since their tags are unknown.
        kept: maps each omitted copy of a recording to the kept copy.
        drawn_out: tracks omitted at random: the next run may omit others.
        pin_problems: why pins name no single chosen track.
        problem: why the playlist cannot be made of these tracks; None if it can.
    """

    all_tracks: Tracks
    remaining: Sequence[int]
    lists: Sequence[SkipList]
    stages: tuple[Stage, ...] = ()
    lacking: Sequence[Lacking] = ()
    short_alike: int = 0
    idle: Sequence[Idle] = ()
    undecided: frozenset[int] = frozenset()
    idle_lists: Sequence[bytes] = ()
    kept: Mapping[int, int] = {}
    drawn_out: frozenset[int] = frozenset()
    pins: tuple[Pin, ...] = ()
    pin_problems: tuple[PlayshuffleError, ...] = ()
    problem: PlayshuffleError | None = None

    def without(
        self,
        code: str,
        indices: Sequence[int],
        reasons: Mapping[int, Cause],
        terms: Callable[[int], Sequence[Finding]] = lambda _: (),
    ) -> Self:
        stage = Stage(code, indices, len(self.remaining), reasons, terms)
        out = frozenset(indices)
        remaining = [index for index in self.remaining if index not in out] if out else self.remaining
        return self._replace(stages=(*self.stages, stage), remaining=remaining)

    def stage(self, code: str) -> Stage | None:
        return next((stage for stage in self.stages if stage.code == code), None)

    def skipped(self, code: str) -> list[Skipped]:
        """Return the tracks that a stage omits, and for which it gives reasons."""
        stage = self.stage(code)
        if stage is None:
            return []
        reasons = [(index, stage.reasons[index]) for index in stage.indices if index in stage.reasons]
        return [Skipped(self.all_tracks.paths[index], reason) for index, reason in reasons]

    def terms(self, index: int) -> Sequence[Finding]:
        stage = self.stage(WHERE)
        return () if stage is None else stage.terms(index)

    def why_not(self, index: int) -> Cause | None:
        for stage in self.stages:
            position = bisect_left(stage.indices, index)
            if position < len(stage.indices) and stage.indices[position] == index:
                return stage.reasons.get(index) or why_no_match(stage.terms(index))
        return None


def why_no_match(findings: Sequence[Finding]) -> Cause:
    """Return the terms of a query that fail for a track, with the values that they tested."""
    failing = [finding for finding in findings if not finding.holds]
    words = [f"{short(finding.text)} fails{_seen(finding)}" for finding in failing]
    return Cause(WHERE, "; ".join(words))


def _seen(finding: Finding) -> str:
    """Return, in brackets, the track's values that the term tested; empty for its path."""
    if [name for name, _ in finding.values] == ["path"]:
        return ""
    if len(finding.values) > 1:
        return " (in no field)"
    seen = (f"{name} is {shown(value)}" if value else f"no {name}" for name, value in finding.values)
    return f" ({', '.join(seen)})"


class NothingToPlayError(PlayshuffleError):
    """The folders have no track that can be written for the player."""

    def __init__(self, roots: Sequence[bytes], skipped: Sequence[Skipped]) -> None:
        problem = "contains no audio files"
        if skipped:
            more = f" and {len(skipped) - 1:,} more" if len(skipped) > 1 else ""
            first = f"{shown(skipped[0].path)}: {skipped[0].reason}"
            problem = f"contains nothing to play. Skipped: {first}{more}"
        super().__init__(f"{', '.join(map(shown, roots))} {problem}.", Exit.NOTHING_TO_PLAY)


class NothingMatchesError(OptionError):
    """The options exclude all tracks."""

    def __init__(self, request: Request, choice: Choice, terms: Sequence[str]) -> None:
        where, skipped, without = map(choice.stage, (WHERE, SPOKEN, WITHOUT))
        if without is not None and without.of:
            problem = "The skip lists ({1} and never.m3u) name {tracks}."
        elif where is not None and where.of:
            problem = "No track matches '{query}'."
        else:
            problem = "There is no music but spoken word."
        super().__init__(
            f"{problem} The playlist was not changed.",
            "where",
            "without",
            code=Exit.NOTHING_TO_PLAY,
            query=short(" ".join(request.options.where)),
            tracks="the only track" if without is None or without.of == 1 else f"all {without.of:,} tracks",
        )
        self.details += tuple(terms)
        if skipped is not None and skipped.indices:
            self.details += (
                f"Left out before: {counted(len(skipped.indices), 'file')} of spoken word (--spoken)",
            )
