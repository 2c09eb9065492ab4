"""Scan folders into a library, and cache the tags of its tracks."""

import os
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import NamedTuple, Self

from playshuffle.errors import MissingError
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.listed_files import listed_folders
from playshuffle.library.listing import KnownFiles, Look
from playshuffle.library.missing import is_gone
from playshuffle.library.outdated_folders import outdated_folders
from playshuffle.library.tracks import Tracks
from playshuffle.library.unchanged import unchanged
from playshuffle.library.walk import Changes, Dirty, Walk, WalkResult
from playshuffle.system.birth_time import birth_of
from playshuffle.system.workers import Workers, worker_count
from playshuffle.tags.reading import ReadAll, Reading


class Progress:
    """Ignores reports of progress; subclasses show them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def report(self, activity: str, done_count: int, of: int | None = None) -> None:
        """Report the progress of an activity, such as "Reading tags"; `of` is the total, if known."""


_KEEP_EVERY = 256  # folders; limits the loss if a first run is interrupted

# Many walks are needed while files exchange their names, one pair after the other. Without birth times
# few walks are made: some FUSE file systems give a file another inode at each stat, so that folders are
# always outdated.
_FEW_WALKS = 5
_PATIENCE_S = 5.0
_PAUSE_S = 0.05


class Place(NamedTuple):
    """The folders or files of a playlist.

    Attributes:
        roots: without a slash at the end.
        files: paths of the tracks; None for all files below the roots.
    """

    roots: tuple[bytes, ...]
    files: tuple[bytes, ...] | None = None
    ignore_files: bool = True

    @property
    def root_keys(self) -> list[tuple[bytes, bool]]:
        return [(root, self.ignore_files) for root in self.roots]


class Library(NamedTuple):
    """The tracks of a place, with numbers if they were recognised; and the skipped files.

    Attributes:
        missing: maps each root that seems to be missing to an error; its last tracks are in the library.
        waiting: maps each missing root to the indices of its absent tracks.
    """

    tracks: Tracks
    skipped: Sequence[Skipped]
    untagged: Sequence[Skipped]
    unreadable: Sequence[Skipped] = ()
    growing: Sequence[bytes] = ()
    roots: Mapping[bytes, int] = MappingProxyType({})
    missing: Mapping[bytes, MissingError] = MappingProxyType({})
    waiting: Mapping[bytes, frozenset[int]] = MappingProxyType({})
    renamed: frozenset[int] = frozenset()

    @property
    def all_waiting(self) -> frozenset[int]:
        return frozenset[int]().union(*self.waiting.values())


class Scan(NamedTuple):
    """The result of a scan of all places.

    Attributes:
        shrunk: folders that lost files, with the tags of the others as JSON; cached if their root is there.
    """

    places: Mapping[Place, WalkResult]
    cached: Mapping[bytes, Folder]
    shrunk: Sequence[tuple[Folder, str]] = ()


def scan_places(
    places: Iterable[Place],
    roots: Collection[bytes],
    cache: Cache,
    read_all: ReadAll | None,
    progress: Progress,
    changes: Changes,
) -> Scan:
    """Scan the folders of all places, each once, and read the tags that are not in the cache.

    Args:
        roots: roots that can be reached; no others are scanned.
        read_all: reads the tags of files; None to return folders without tags.
    """
    parts = {
        place: place._replace(roots=tuple(root for root in place.roots if root in roots)) for place in places
    }
    distinct = [*dict.fromkeys(parts.values())]
    listed = {os.path.dirname(path) for part in distinct for path in part.files or ()}
    below = [root for part in distinct for root in part.roots]
    cached = cache.folders([*below, *listed])
    drives = {folder.device: folder.path for folder in cached.values()}
    with Workers(worker_count([*below, *listed, *drives.values()])) as workers:
        look = Look(workers=workers, report=partial(progress.report, "Finding files"))
        walked = find_folders(distinct, cached, changes, look)
    shrunk: Sequence[tuple[Folder, str]] = ()
    if read_all is not None:
        reading = _TagReading(cached, cache, read_all, progress)
        scanned, shrunk = {part: reading.with_tags(result) for part, result in walked.items()}, reading.shrunk
    else:
        scanned = {part: result.changed(Folder.without_tags) for part, result in walked.items()}
    return Scan({place: scanned[part] for place, part in parts.items()}, cached, shrunk)


def find_folders(
    places: Sequence[Place], cached: Mapping[bytes, Folder], changes: Changes, look: Look
) -> dict[Place, WalkResult]:
    """Find the folders and files of all places.

    Outdated folders are listed again, so that each file is found once.
    """
    look = look._replace(known_files=KnownFiles(cached.values()), still_ns=changes.still_ns)
    dirty, folders_of = changes.dirty, {place: _below(place, cached) for place in places}
    walked = _walk_all(folders_of, dirty, look)
    before, began_s = cached, time.monotonic()
    moved_inodes: Collection[int] = frozenset()
    walk_count = 0
    while True:
        walk_count += 1
        folders = _distinct_folders(walked.values())
        replaced_inodes = frozenset[int]().union(*(result.replaced_inodes for result in walked.values()))
        paths, moved_inodes = outdated_folders(folders, before, replaced_inodes.union(moved_inodes))
        if not paths or not _may_walk_again(walk_count, began_s, paths):
            return walked
        before = {folder.path: folder for folder in folders}
        folders_of = {place: _by_path(walked[place]) for place in places}
        again = _walk_all(folders_of, Dirty(paths), look._replace(moved_inodes=moved_inodes))
        walked = {place: result.after(walked[place]) for place, result in again.items()}


def _may_walk_again(walk_count: int, began_s: float, outdated: Iterable[bytes]) -> bool:
    """Return whether to walk again: a few times at once, then after pauses for a limited time."""
    if walk_count >= _FEW_WALKS:
        if time.monotonic() - began_s > _PATIENCE_S or not any(map(birth_of, outdated)):
            return False
        time.sleep(_PAUSE_S)
    return True


def _walk_all(
    folders_of: Mapping[Place, Mapping[bytes, Folder]], dirty: Dirty | None, look: Look
) -> dict[Place, WalkResult]:
    fresh: dict[bytes, Folder] = {}
    results: dict[Place, WalkResult] = {}
    for place, folders in folders_of.items():
        if place.files is not None:
            listed, missing = listed_folders(place.files, look.workers)
            results[place] = WalkResult({b"": [_as_known(folder, folders) for folder in listed]}, missing)
            continue
        others = [folder for path, folder in folders.items() if path not in fresh]
        same = unchanged(others, look) if dirty is None else dirty.without(others)
        place_look = look._replace(use_ignore_files=place.ignore_files)
        results[place] = Walk(folders, same | fresh, place_look).run(place.roots)
        fresh |= {path: folder for path, folder in _by_path(results[place]).items() if folder.is_plain}
    return results


def _as_known(folder: Folder, known_folders: Mapping[bytes, Folder]) -> Folder:
    """Return the known folder, which may have tags, if it has the same files; otherwise the folder."""
    before = known_folders.get(folder.path, folder)
    is_same = (before.device, before.names, before.stamps) == (folder.device, folder.names, folder.stamps)
    return before if is_same and before.odd.linked == folder.odd.linked else folder


def _below(place: Place, folders: Mapping[bytes, Folder]) -> Mapping[bytes, Folder]:
    if place.files is not None:
        return folders
    tops = _tops(place.roots)
    return {path: folder for path, folder in folders.items() if path.startswith(tops)}


def _by_path(walked: WalkResult) -> dict[bytes, Folder]:
    return {folder.path: folder for folder in walked.folders}


def _distinct_folders(walked: Iterable[WalkResult]) -> list[Folder]:
    """Return each folder once. Two places may have different folders with the same path."""
    return [*{id(folder): folder for result in walked for folder in result.folders}.values()]


def forget_removed(scan: Scan, cache: Cache, missing: Collection[bytes]) -> None:
    """Remove deleted folders and files from the cache: below scanned roots, except below missing ones.

    A folder of files from a list may be on a missing drive that this scan does not look at.
    """
    present = {folder.path for place in scan.places.values() for folder in place.folders}
    tops = _tops(missing)
    scanned = _tops(root for place in scan.places for root in place.roots)
    shrunk = [(folder, fields) for folder, fields in scan.shrunk if not folder.path.startswith(tops)]
    gone = (path for path in scan.cached.keys() - present if path.startswith(scanned))
    cache.keep(shrunk, [path for path in gone if not path.startswith(tops) and is_gone(path)])


def _tops(roots: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(root.rstrip(b"/") + b"/" for root in roots)


class _TagReading:
    """Reads and stores the tags that are not in the cache.

    Attributes:
        shrunk: folders that lost files. `forget_removed` stores them, unless their drive is missing.
    """

    def __init__(
        self, cached: Mapping[bytes, Folder], cache: Cache, read_all: ReadAll, progress: Progress
    ) -> None:
        self._known = dict(cached)
        self._cache = cache
        self._read_all = read_all
        self._progress = progress
        self.shrunk: list[tuple[Folder, str]] = []

    def with_tags(self, walked: WalkResult) -> WalkResult:
        unread = [folder for folder in walked.folders if folder.durations_ms is None]
        if not unread:
            return walked
        read: dict[bytes, Folder] = {}
        unkept: list[tuple[Folder, str]] = []
        try:
            for folder, fields in with_readings(unread, self._known, self._cache.fields, self._readings):
                read[folder.path] = folder
                dropped = _dropped(folder, self._known.get(folder.path))
                if not dropped:
                    unkept.append((folder, fields))
                elif all(map(is_gone, dropped)):  # others are not listed, or ignored by one playlist alone
                    self.shrunk.append((folder, fields))
                if len(unkept) == _KEEP_EVERY:
                    self._cache.keep(unkept, ())
                    unkept = []
        finally:  # an interrupted run stores the tags that it has read
            self._cache.keep(unkept, ())
        self._known |= read
        return walked.changed(lambda folder: read.get(folder.path, folder))

    def _readings(self, paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for read_count, reading in enumerate(self._read_all(paths), 1):
            self._progress.report("Reading tags", read_count, len(paths))
            yield reading


def _dropped(folder: Folder, before: Folder | None) -> list[bytes]:
    names = set(before.file_names()).difference(folder.file_names()) if before is not None else ()
    return [folder.path + name for name in names]
