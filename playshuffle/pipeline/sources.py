"""Read what a playlist is made from: its tracks, its skip lists and its last order."""

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from playshuffle.library.cache import Cache
from playshuffle.library.scan import Library, Progress, survey, survey_files
from playshuffle.library.walk import Changes
from playshuffle.pipeline.deck_history import DeckHistory
from playshuffle.pipeline.presence import check_files
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.skip_lists import SkipList, read_skip_lists
from playshuffle.pipeline.target import Target
from playshuffle.shuffle import RandBelow
from playshuffle.store import skip_lists as store
from playshuffle.store.state import State
from playshuffle.tags.reading import ReadAll


class Tools(NamedTuple):
    """What a run works with: the tag reader, the source of randomness, the progress display, the clock.

    tags: fields of `Tags` that replace those of files, by path.
    """

    read_all: ReadAll
    randbelow: RandBelow
    progress: Progress
    clock: Callable[[], float] = time.time
    tags: Mapping[bytes, Mapping[str, Any]] = MappingProxyType({})


def last_tracks(target: Target | None, history: DeckHistory | None) -> Sequence[bytes]:
    """Return the last order of a playlist, or all tracks of its deck."""
    if history is not None:
        deck = history.deck
        return (*deck.dealt, *deck.upcoming, *deck.missing)
    return target.last_paths if target is not None else ()


def skip_lists(request: Request, state: State, target: Target | None) -> Sequence[SkipList]:
    """Read the skip lists of a request; forget those saved for its playlist if it names none.

    Raises:
        PlayshuffleError: a list cannot be read, and never was.
    """
    playlist = target.path if target is not None else None
    if not request.without:
        if playlist is not None and request.writes:
            store.forget(state, playlist)
        return ()

    return read_skip_lists(request.without, state, playlist, writes=request.writes)


def scan(
    request: Request, roots: Sequence[bytes], cache: Cache | None, tools: Tools, changes: Changes
) -> Library:
    """Find and read the tracks of a request; roots: the folders that are present.

    Raises:
        PlayshuffleError: most of the files that were listed are missing.
    """
    if request.files is not None:
        library = survey_files(request.files, cache, tools.read_all, tools.progress)
        check_files(request.files, library.skipped)
        return library
    return survey(
        roots, cache, tools.read_all, tools.progress, changes, use_ignore_files=request.ignore_files
    )
