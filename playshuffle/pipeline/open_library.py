"""Open the library: find all tracks of some playlists in one scan, and recognise each of them.

State and cache are opened, and the folders scanned, once for all playlists. Until the end no other
playshuffle of this user changes the state.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from playshuffle.errors import MissingError, PlayshuffleError
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder
from playshuffle.library.last_known import last_known
from playshuffle.library.lost_roots import lost_roots, seems_missing
from playshuffle.library.missing import Root, check_roots, current_mounts
from playshuffle.library.recognition import recognise
from playshuffle.library.scan import Found, Library, Place, Scan, forget_removed, scan_places
from playshuffle.library.track_table import RootKey, TrackTable
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.store.state import State


@dataclass(frozen=True, slots=True)
class OpenLibrary:
    """All tracks of some playlists, recognised.

    Attributes:
        state: open until the end.
        cache: None if no tags are read.
        table: the numbers of all tracks. lost: numbers that were given, but are not in it any more.
        histories: the play histories that were read, of `play_history`.
    """

    state: State
    cache: Cache | None
    table: TrackTable
    lost: frozenset[int]
    _libraries: Mapping[Place, Library]
    _errors: Mapping[bytes, PlayshuffleError]
    histories: dict[object, Any] = field(default_factory=dict)

    @property
    def missing(self) -> frozenset[bytes]:
        """Return the roots that seem to be missing."""
        return frozenset(root for library in self._libraries.values() for root in library.missing)

    def library(self, request: Request) -> Library:
        """Return the tracks of the folders or files of one playlist.

        Raises:
            PlayshuffleError: one of its folders cannot be read, and nothing is known of it.
        """
        place = place_of(request)
        library = self._libraries[place]
        for root in place.roots:
            # A known folder without tracks may be gone: it was empty, or its loss was accepted.
            is_known = (root, place.ignore_files) in self.table.roots
            if root in self._errors and not (is_known and len(library.tracks)):
                raise self._errors[root]
        return library

    def forgotten(self, now_s: int) -> frozenset[int]:
        """Return the numbers of tracks that keep no position in an order, at a Unix time."""
        return self.lost | self.table.vanished_long_ago(now_s)

    def growing(self, request: Request) -> list[bytes]:
        """Return the folders of one playlist with files that are being written, each with a slash."""
        growing = self._libraries[place_of(request)].growing
        return sorted({path[: path.rfind(b"/") + 1] for path in growing})


@contextmanager
def open_library(
    requests: Sequence[Request], tools: Tools, changes: Changes = EVERYWHERE, *, must_remember: bool = False
) -> Iterator[OpenLibrary]:
    """Find all tracks of these playlists, give each its number, and save what has changed.

    Args:
        requests: the playlists, at least one.
        tools: what to work with.
        changes: what to look at again.
        must_remember: raise an error if the state cannot be written.

    Raises:
        PlayshuffleError: the state cannot be written, or another playshuffle holds it.
    """
    writes = any(request.writes for request in requests)
    accepts_loss = any(request.options.accept_missing for request in requests)
    places = list(dict.fromkeys(map(place_of, requests)))
    with ExitStack() as stack:
        state = stack.enter_context(State(writes=writes, must_remember=must_remember))
        cache = stack.enter_context(Cache()) if any(request.options.tags for request in requests) else None
        version = state.tracks_version()
        reach = _reachable(places, state, accepts_loss=accepts_loss)
        scan = _scan(places, reach, cache, tools, changes)
        if writes:
            stack.enter_context(state.locked())
            if state.tracks_version() != version:  # another process has seen more
                reach = _reachable(places, state, accepts_loss=accepts_loss)
                scan = _scan(places, reach, cache, tools, changes._replace(dirty=None))
        known = state.load_tracks()
        result = _ScanResult(known, scan, places, reach, changes, accepts_loss)
        table, missing = result.table(int(tools.clock()))
        if writes:
            state.save_tracks(known, table)
        if cache is not None:
            forget_removed(scan, cache, [root for root, _ in missing])
        libraries = result.libraries(table, missing, cache)
        yield OpenLibrary(state, cache, table, table.lost_numbers(), libraries, reach.errors)


def place_of(request: Request) -> Place:
    """Return where the tracks of a playlist come from."""
    roots = tuple(dict.fromkeys(request.roots)) if request.files is None else ()
    return Place(roots, request.files, request.options.ignore_files)


class _Reach(NamedTuple):
    """Which roots can be read.

    roots: those. missing: an error for each other one that is known. errors: for each that is not.
    """

    roots: frozenset[bytes]
    missing: Mapping[bytes, MissingError]
    errors: Mapping[bytes, PlayshuffleError]

    def part(self, place: Place) -> Place:
        """Return a place with its reachable roots alone."""
        return place._replace(roots=tuple(root for root in place.roots if root in self.roots))


def _reachable(places: Iterable[Place], state: State, *, accepts_loss: bool) -> _Reach:
    roots = dict.fromkeys(root for place in places for root in place.roots)
    errors = check_roots({root: state.root(root) for root in roots})
    missing = {root: error for root, error in errors.items() if isinstance(error, MissingError)}
    return _Reach(
        frozenset(roots.keys() - errors.keys()),
        {} if accepts_loss else missing,
        {root: error for root, error in errors.items() if root not in missing},
    )


def _scan(
    places: Iterable[Place], reach: _Reach, cache: Cache | None, tools: Tools, changes: Changes
) -> Scan:
    """Scan the reachable roots of all places; those without any are left out."""
    parts = [part for place in places if (part := reach.part(place)).roots or part.files is not None]
    return scan_places(parts, cache, tools.read_all, tools.progress, changes)


_Missing = dict[RootKey, MissingError]


@dataclass(frozen=True, slots=True)
class _ScanResult:
    """What one scan found: recognises its tracks, and finds out which roots are missing."""

    known: TrackTable
    scan: Scan
    places: Sequence[Place]
    reach: _Reach
    changes: Changes
    accepts_loss: bool

    def table(self, now_s: int) -> tuple[TrackTable, _Missing]:
        """Return the table after the scan, and an error for each root that seems to be missing.

        A missing root keeps its tracks, so other roots cannot take them. Repeat until no further root is
        missing.
        """
        errors = self.reach.missing
        keys = [(root, place.ignore_files) for place in self.places for root in place.roots]
        missing = {key: errors[key[0]] for key in keys if key[0] in errors}
        elsewhere = {
            root
            for (root, _), known in self.known.roots.items()
            if root not in self.reach.roots and seems_missing(root, known)
        }
        while True:
            present = {place: self._present(place, missing) for place in self.places}
            table = recognise(
                self.known,
                present.values(),
                self.changes.moved,
                scanned={root for place in self.places for root in self._present_roots(place, missing)},
                missing=elsewhere.union(root for root, _ in missing),
                now_s=now_s,
            )
            numbers = {place: table.numbers_of(its_tracks) for place, its_tracks in present.items()}
            roots = self._roots(present, numbers, missing)
            lost = {} if self.accepts_loss else self._lost_roots(roots, set().union(*numbers.values()))
            if not lost:
                break
            missing |= lost
        accepted = {
            key: Root(array("I"), ())
            for key in keys
            if self.accepts_loss and key[0] not in self.reach.roots and key in self.known.roots
        }
        return replace(table, roots={**self.known.roots, **roots, **accepted}), missing

    def _present_roots(self, place: Place, missing: _Missing) -> tuple[bytes, ...]:
        """Return the reachable roots of a place that do not seem to be missing."""
        roots = self.reach.part(place).roots
        return tuple(root for root in roots if (root, place.ignore_files) not in missing)

    def _found(self, place: Place) -> Found:
        return self.scan.places.get(self.reach.part(place), Found({}, ()))

    def _present(self, place: Place, missing: _Missing) -> Tracks:
        """Return the tracks that the scan found below the roots that are present."""
        found = self._found(place)
        roots = self._present_roots(place, missing) if place.files is None else (b"",)
        return tracks([found.roots[root] for root in roots])[0]

    def _roots(
        self, present: Mapping[Place, Tracks], numbers: Mapping[Place, "array[int]"], missing: _Missing
    ) -> dict[RootKey, Root]:
        """Return what is in each present root now."""
        known_roots: dict[RootKey, Root] = {}
        for place, its_tracks in present.items():
            roots = self._present_roots(place, missing)
            for root in roots:
                numbers_below = numbers[place]
                if len(roots) > 1:  # they may overlap: each has all that lies below it
                    top = root.rstrip(b"/") + b"/"
                    pairs = zip(its_tracks.paths, numbers[place], strict=True)
                    numbers_below = array("I", [number for path, number in pairs if path.startswith(top)])
                known_roots[root, place.ignore_files] = Root(numbers_below, current_mounts(root))
        return known_roots

    def _lost_roots(self, roots: Mapping[RootKey, Root], found_numbers: Collection[int]) -> _Missing:
        """Return an error for each root that was scanned, but seems to be missing."""
        lost: _Missing = {}
        for place in self.places:
            keys = [(root, place.ignore_files) for root in place.roots]
            scanned = {key: roots[key] for key in keys if key in roots}
            lost |= lost_roots(self.known, scanned, found_numbers, self._found(place), self.changes.gone)
        return lost

    def libraries(self, table: TrackTable, missing: _Missing, cache: Cache | None) -> dict[Place, Library]:
        """Return the tracks of each place, those of missing roots as last known."""
        cached = cache.folders([root for root, _ in missing]) if cache is not None and missing else {}
        return {place: self._library(place, table, missing, cached) for place in self.places}

    def _library(
        self, place: Place, table: TrackTable, missing: _Missing, cached: Mapping[bytes, Folder]
    ) -> Library:
        found = self._found(place)
        there = {folder.path: folder for folders in found.roots.values() for folder in folders}
        by_root: list[Sequence[Folder]] = []
        errors: dict[bytes, MissingError] = {}
        waiting: dict[bytes, frozenset[int]] = {}
        for at, root in enumerate(place.roots if place.files is None else (b"",)):
            error = missing.get((root, place.ignore_files))
            if error is None:
                by_root.append(found.roots.get(root, ()))
                continue
            errors[root] = error
            numbers = _numbers_below(table, root, ignore_files=place.ignore_files)
            folders = last_known(table, root, numbers, cached, -1 - at)
            by_root.append(folders)
            waiting[root] = _absent_numbers(table, folders, numbers, there)
        all_tracks, skipped, untagged = tracks(by_root)
        known_roots = {root: table.roots.get((root, place.ignore_files)) for root in place.roots}
        return Library(
            Tracks(all_tracks.folders, all_tracks.chosen, table.numbers_of(all_tracks)),
            [*found.skipped, *skipped],
            untagged,
            found.unreadable,
            found.growing,
            {root: len(known.numbers) for root, known in known_roots.items() if known is not None},
            errors,
            waiting,
        )


def _numbers_below(table: TrackTable, root: bytes, *, ignore_files: bool) -> frozenset[int]:
    """Return the tracks of a root as last known, if need be with ignore files used otherwise."""
    known = table.roots.get((root, ignore_files)) or table.roots.get((root, not ignore_files))
    return frozenset(known.numbers) if known is not None else frozenset[int]()


def _absent_numbers(
    table: TrackTable, folders: Iterable[Folder], numbers: Collection[int], there: Mapping[bytes, Folder]
) -> frozenset[int]:
    """Return the tracks, of those last known, that the scan did not find."""
    absent: set[int] = set()
    for folder in folders:
        found = frozenset(there[folder.path].file_names()) if folder.path in there else frozenset[bytes]()
        by_name = table.folders[folder.path].numbers_by_name()
        absent.update(number for name, number in by_name.items() if number in numbers and name not in found)
    return frozenset(absent)
