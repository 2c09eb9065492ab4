"""Open the library: find the tracks of some playlists in one scan, and recognise renamed ones.

Until the library is closed, no other playshuffle of this user changes the state.
"""

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from typing import Any, NamedTuple

from playshuffle.errors import Note, PlayshuffleError
from playshuffle.library.cache import Cache
from playshuffle.library.libraries import Reach, check_reach, make_libraries, recognise_scan
from playshuffle.library.scan import Library, Place, Scan, forget_removed, scan_places
from playshuffle.library.track_table import PartError, RootKey, TrackTable
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.store.state import State


class OpenLibrary(NamedTuple):
    """All tracks of some playlists, each with its lasting number.

    Attributes:
        cache: None if no tags are read.
        known_roots: the roots that were scanned, now or before.
        former_paths: returns the number of the track that had each path last, of renamed tracks.
        gone: paths of tracks that this scan found to be deleted.
        errors: maps each root that cannot be read and has no known tracks to its error.
        now_s: Unix time, which is never behind the time of an earlier run.
    """

    state: State
    cache: Cache | None
    known_roots: Collection[RootKey]
    libraries: Mapping[Place, Library]
    errors: Mapping[bytes, PlayshuffleError]
    histories: dict[object, Any]
    whole_table: Callable[[], TrackTable]
    former_paths: Callable[[], Mapping[bytes, int]]
    gone: frozenset[bytes]
    now_s: int

    @property
    def missing(self) -> frozenset[bytes]:
        return frozenset(root for library in self.libraries.values() for root in library.missing)

    def library(self, request: Request) -> Library:
        """Return the tracks of one playlist's folders or files.

        Raises:
            PlayshuffleError: a folder cannot be read, and no run has read it before.
        """
        place = place_of(request)
        library = self.libraries[place]
        for root in place.roots:
            # A known folder without tracks may not exist: it was empty, or its loss was accepted.
            is_known = (root, place.ignore_files) in self.known_roots
            if root in self.errors and not (is_known and len(library.tracks)):
                raise self.errors[root]
        return library

    def growing(self, request: Request) -> list[bytes]:
        growing = self.libraries[place_of(request)].growing
        return sorted({path[: path.rfind(b"/") + 1] for path in growing})


@contextmanager
def open_library(
    requests: Sequence[Request],
    tools: Tools,
    changes: Changes = EVERYWHERE,
    *,
    must_remember: bool = False,
    checks_state: bool = False,
    state: State | None = None,
) -> Iterator[OpenLibrary]:
    """Find all tracks of these playlists, number them, and save the changes.

    Args:
        checks_state: check the whole state file.
        state: opened by the caller, writable if a playlist is written; None opens the state here.

    Raises:
        PlayshuffleError: the state cannot be written, or another playshuffle has locked it.
    """
    with ExitStack() as stack:
        if state is None:
            writes = any(request.writes for request in requests)
            state = stack.enter_context(State(writes=writes, checks=checks_state))
        if must_remember and state.refusal is not None:
            raise state.refusal
        yield _open(requests, state, tools, changes, stack)


def _open(
    requests: Sequence[Request], state: State, tools: Tools, changes: Changes, stack: ExitStack
) -> OpenLibrary:
    cache = stack.enter_context(Cache())
    tags_cache = cache if any(request.options.tags for request in requests) else None
    version = state.tracks_version()
    reach, scan = _scan(requests, state, cache, tools, changes)
    writes = any(request.writes for request in requests)
    if writes:
        stack.enter_context(state.locked())
        if state.tracks_version() != version:  # another process has found more
            reach, scan = _scan(requests, state, cache, tools, changes._replace(dirty=None))
    now_s = _time(state, tools, writes=writes)
    before = state.load_tracks(_roots(scan, reach))
    try:
        table, missing, elsewhere = recognise_scan(before, scan, reach, changes, now_s)
    except PartError:
        before = state.load_tracks()
        table, missing, elsewhere = recognise_scan(before, scan, reach, changes, now_s)
    if writes:
        state.save_tracks(before, table)
    forget_removed(scan, cache, [*elsewhere, *(root for root, _ in missing)])
    libraries = make_libraries(table, scan, missing, tags_cache)
    renamed = {path: number for number, path in table.former_paths(before).items()}  # not saved by a dry run
    # A part of the table is not needed again, and takes much memory.
    whole_table = (lambda: table) if table.is_whole else functools.cache(state.load_tracks)
    return OpenLibrary(
        state,
        tags_cache,
        table.roots,
        libraries,
        reach.errors,
        {},
        whole_table,
        functools.cache(lambda: {**state.former_paths(), **renamed}),
        frozenset(file.path for number, file in table.vanished.items() if number not in before.vanished),
        now_s,
    )


def _time(state: State, tools: Tools, *, writes: bool) -> int:
    now_s, last = int(tools.clock()), state.clock()
    clock = last.at(now_s, int(tools.uptime_s()), tools.patience_s)
    if writes and clock != last:
        with suppress(PlayshuffleError):  # on a full disk, a run that changes nothing else goes on
            state.save_clock(clock)
    if clock.is_behind:
        times = (datetime.fromtimestamp(time_s).astimezone() for time_s in (now_s, clock.time_s))
        shows, was = (f"{time:%Y-%m-%d %H:%M}" for time in times)
        text = f"The clock shows {shows}, but a run was at {was}. Until the clock is past that, or the"
        text += " computer has run for a day, nothing new is due. To deal in spite of that: --now"
        state.notes.append(Note("clock_behind", text))
    return clock.believed(now_s)


def _scan(
    requests: Sequence[Request], state: State, cache: Cache, tools: Tools, changes: Changes
) -> tuple[Reach, Scan]:
    places = list(dict.fromkeys(map(place_of, requests)))
    accepts_loss = any(request.options.accept_missing for request in requests)
    reach = check_reach(places, state.root, accepts_loss=accepts_loss)
    read_all = tools.read_all if any(request.options.tags for request in requests) else None
    return reach, scan_places(places, reach.roots, cache, read_all, tools.progress, changes)


def _roots(scan: Scan, reach: Reach) -> Collection[bytes] | None:
    """Return the roots below which all needed tracks are; None if other tracks are needed, too."""
    if any(place.files is not None for place in scan.places) or reach.missing or reach.accepts_loss:
        return None
    stamps = {path: folder.stamps for path, folder in scan.cached.items()}
    folders = (folder for walked in scan.places.values() for folder in walked.folders)
    if any(stamps.get(folder.path, b"") != folder.stamps for folder in folders):
        return None  # a new file may be a track from elsewhere
    return {root for place in scan.places for root in place.roots}


def place_of(request: Request) -> Place:
    """Return the folders and files of a playlist."""
    roots = tuple(dict.fromkeys(request.roots)) if request.files is None else ()
    return Place(roots, request.files, request.options.ignore_files)
