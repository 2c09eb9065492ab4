"""Choose the tracks of a playlist, stage by stage."""

from collections.abc import Sequence

from playshuffle.errors import OptionError, PlayshuffleError
from playshuffle.library.folder import Skipped
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.pipeline.choice import Choice, NothingMatchesError, NothingToPlayError
from playshuffle.pipeline.skip_lists import SkipList
from playshuffle.pipeline.stages import STAGES, Facts
from playshuffle.tags.cause import NAME, SPOKEN, WHERE


def choose(all_tracks: Tracks, lists: Sequence[SkipList], facts: Facts) -> Choice:
    """Choose the tracks of a playlist.

    Raises:
        PlayshuffleError: the query is not valid, or takes too long.
    """
    choice = Choice(all_tracks, range(len(all_tracks)), lists)
    for kind in STAGES:
        choice = kind.apply(choice, facts)
    texts = facts.request.options.pin
    problems = tuple(filter(None, (_pin_problem(text, choice, facts) for text in texts)))
    return choice._replace(pins=facts.pins(choice), pin_problems=problems)


def check_choice(choice: Choice, facts: Facts) -> None:
    """Check that the choice has a track.

    Raises:
        PlayshuffleError: no track is chosen.
    """
    request = facts.request
    if not choice.remaining:
        last = choice.stages[-1]
        if last.code != NAME:
            raise NothingMatchesError(request, choice, _term_lines(choice, facts))
        paths = choice.all_tracks.paths
        raise NothingToPlayError(
            request.roots, [Skipped(paths[index], last.reasons[index]) for index in last.indices]
        )


def _term_lines(choice: Choice, facts: Facts) -> list[str]:
    where, spoken = choice.stage(WHERE), choice.stage(SPOKEN)
    if where is None or not where.of:
        return []
    from playshuffle.pipeline.query_stage import term_lines  # as in `stages`

    left_out = frozenset(spoken.indices if spoken else ())
    rest = [index for index in range(len(choice.all_tracks)) if index not in left_out]
    return list(term_lines(facts.request, facts.record.now, choice.all_tracks, rest, facts.rows_of))


def _pin_problem(text: str, choice: Choice, facts: Facts) -> PlayshuffleError | None:
    """Return why a pin names no track of the choice, several, or an omitted one; None if it names one."""
    tracks = choice.all_tracks
    try:
        pins.resolve(text, facts.names(tracks, choice.remaining))
    except PlayshuffleError as error:
        try:
            index = pins.resolve(text, facts.names(tracks, range(len(tracks)))).track_index
        except PlayshuffleError as unknown:
            return unknown
        left_out = choice.why_not(index)
        if left_out is None:
            return error
        problem = "{}: {path} is skipped: {reason}. Remove the pin."
        if left_out.code == WHERE:
            problem = "{}: {path} is skipped by {}: {reason}. Change the query, or remove the pin."
        return OptionError(problem, "pin", "where", path=tracks.paths[index], reason=str(left_out))
    return None
