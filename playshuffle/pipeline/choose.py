"""Choose the tracks of a playlist among all tracks of its folders, stage by stage."""

import os
from collections.abc import Sequence
from dataclasses import replace

from playshuffle.errors import OptionError, PlayshuffleError
from playshuffle.library.folder import Skipped
from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.ordering import pins
from playshuffle.pipeline.choice import Choice, NothingMatchesError, NothingToPlayError
from playshuffle.pipeline.skip_lists import SkipList
from playshuffle.pipeline.stages import STAGES, Facts
from playshuffle.tags.cause import NAME, WHERE


def choose(all_tracks: Tracks, lists: Sequence[SkipList], facts: Facts) -> Choice:
    """Choose the tracks of a playlist.

    Args:
        all_tracks: all tracks of its folders.
        lists: its skip lists, read.
        facts: what the stages decide by.

    Raises:
        PlayshuffleError: the query is not valid, or takes too long.
    """
    choice = Choice(all_tracks, range(len(all_tracks)), lists)
    for kind in STAGES:
        choice = kind.apply(choice, facts)
    return replace(choice, pins=choice.pins_of(facts.request))


def check_choice(choice: Choice, facts: Facts) -> None:
    """Check that a track is left, and that each pin names one of them.

    Raises:
        PlayshuffleError: no track is left; a pin names no track, several tracks, or one that is left out.
    """
    request = facts.request
    if not choice.remaining:
        last = choice.stages[-1]
        if last.code != NAME:
            raise NothingMatchesError(request, choice, facts.rows_of)
        paths = choice.all_tracks.paths
        raise NothingToPlayError(
            request.roots, [Skipped(paths[index], last.reason(index)) for index in last.indices]
        )
    for text in request.options.pin:
        _check_pin(text, choice, facts)


def _check_pin(text: str, choice: Choice, facts: Facts) -> None:
    roots = facts.request.roots
    try:
        pins.resolve(text, choice.paths, roots)
    except PlayshuffleError:
        _check_title(text, choice, facts.tags_of)
        _check_remains(choice, pins.resolve(text, choice.all_tracks.paths, roots).track_index)
        raise


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


def _check_title(text: str, choice: Choice, tags_of: TagsOf) -> None:
    """Raise an error if a pin is the title of a track that remains."""
    titles = choice.all_tracks.column(
        lambda folder: [tags.title if tags else "" for tags in tags_of(folder)], choice.remaining
    )
    for path, title in zip(choice.paths, titles, strict=True):
        if title.casefold() == text.casefold():
            problem = "{}: '{title}' is the title of {name}. Pin the file: {name}"
            raise OptionError(problem, "pin", title=text, name=os.path.basename(path))
