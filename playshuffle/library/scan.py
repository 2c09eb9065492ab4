"""Scan folders into a library, and cache the tags of its tracks."""

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from playshuffle.library.walk import Changes, Dirty, WalkResult, walk
from playshuffle.system.birth_time import birth_of
from playshuffle.system.workers import ALONE, Workers, worker_count
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


class ScannedPlace(NamedTuple):
    """The folders and files that a scan found at one place.

    Attributes:
        growing: files that are being written; a later scan reads them.
    """

    roots: Mapping[bytes, Sequence[Folder]]
    skipped: Sequence[Skipped]
    unreadable: Sequence[Skipped] = ()
    growing: Sequence[bytes] = ()

    def changed(self, change: Callable[[Folder], Folder]) -> Self:
        return self._replace(roots={root: [*map(change, folders)] for root, folders in self.roots.items()})


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

    places: Mapping[Place, ScannedPlace]
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
        walked = find_folders(distinct, cached, changes, workers, partial(progress.report, "Finding files"))
    scanned = {part: _scanned_place(part, result) for part, result in walked.items()}
    shrunk: list[tuple[Folder, str]] = []
    if read_all is not None:
        scanned = _with_tags(scanned, cached, cache, read_all, progress, shrunk)
    else:
        scanned = {part: each.changed(Folder.without_tags) for part, each in scanned.items()}
    return Scan({place: scanned[part] for place, part in parts.items()}, cached, shrunk)


def _scanned_place(place: Place, walked: WalkResult) -> ScannedPlace:
    roots = place.roots if place.files is None else (b"",)
    by_root = dict(zip(roots, walked.roots, strict=True))
    return ScannedPlace(by_root, walked.skipped, walked.unreadable, walked.growing)


def _with_tags(
    scanned: Mapping[Place, ScannedPlace],
    cached: Mapping[bytes, Folder],
    cache: Cache,
    read_all: ReadAll,
    progress: Progress,
    shrunk: list[tuple[Folder, str]],
) -> dict[Place, ScannedPlace]:
    known = dict(cached)
    result: dict[Place, ScannedPlace] = {}
    for place, untagged in scanned.items():
        read = _read(list(untagged.roots.values()), known, cache, read_all, progress, shrunk)
        known |= read
        roots = {
            root: [read.get(folder.path, folder) for folder in folders]
            for root, folders in untagged.roots.items()
        }
        result[place] = untagged._replace(roots=roots)
    return result


def find_folders(
    places: Sequence[Place],
    cached: Mapping[bytes, Folder],
    changes: Changes,
    workers: Workers = ALONE,
    report: Callable[[int], object] = lambda _: None,
    clock_ns: Callable[[], int] = time.time_ns,
) -> dict[Place, WalkResult]:
    """Find the folders and files of all places.

    Outdated folders are listed again, so that each file is found once.
    """
    look = Look(KnownFiles(cached.values()), True, changes.still_ns, workers, clock_ns)
    dirty, known = changes.dirty, {place: _below(place, cached) for place in places}
    walked = _walk_all(known, dirty, look, report)
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
        known = {place: _by_path(walked[place]) for place in places}
        again = _walk_all(known, Dirty(paths), look._replace(moved_inodes=moved_inodes), report)
        walked = {place: result.after(walked[place]) for place, result in again.items()}


def _may_walk_again(walk_count: int, began_s: float, outdated: Iterable[bytes]) -> bool:
    """Return whether to walk again: a few times at once, then after pauses for a limited time."""
    if walk_count >= _FEW_WALKS:
        if time.monotonic() - began_s > _PATIENCE_S or not any(map(birth_of, outdated)):
            return False
        time.sleep(_PAUSE_S)
    return True


def _walk_all(
    known: Mapping[Place, Mapping[bytes, Folder]],
    dirty: Dirty | None,
    look: Look,
    report: Callable[[int], object],
) -> dict[Place, WalkResult]:
    fresh: dict[bytes, Folder] = {}
    results: dict[Place, WalkResult] = {}
    for place, folders in known.items():
        if place.files is not None:
            listed, missing = listed_folders(place.files, look.workers)
            results[place] = WalkResult([listed], missing)
            continue
        others = [folder for path, folder in folders.items() if path not in fresh]
        same = unchanged(others, look.workers, report) if dirty is None else dirty.without(others)
        place_look = look._replace(use_ignore_files=place.ignore_files)
        results[place] = walk(place.roots, folders, same | fresh, place_look, report)
        fresh |= {path: folder for path, folder in _by_path(results[place]).items() if folder.is_plain}
    return results


def _below(place: Place, folders: Mapping[bytes, Folder]) -> dict[bytes, Folder]:
    tops = _tops(place.roots)
    return {path: folder for path, folder in folders.items() if path.startswith(tops)}


def _by_path(walked: WalkResult) -> dict[bytes, Folder]:
    return {folder.path: folder for root in walked.roots for folder in root}


def _distinct_folders(walked: Iterable[WalkResult]) -> list[Folder]:
    """Return each folder once. Two places may have different folders with the same path."""
    folders = (folder for result in walked for root in result.roots for folder in root)
    return [*{id(folder): folder for folder in folders}.values()]


def forget_removed(scan: Scan, cache: Cache, missing: Collection[bytes]) -> None:
    """Remove deleted folders and files from the cache: below scanned roots, except below missing ones.

    A folder of files from a list may be on a missing drive that this scan does not look at.
    """
    roots = (folders for place in scan.places.values() for folders in place.roots.values())
    present = {folder.path for folders in roots for folder in folders}
    tops = _tops(missing)
    scanned = _tops(root for place in scan.places for root in place.roots)
    shrunk = [(folder, fields) for folder, fields in scan.shrunk if not folder.path.startswith(tops)]
    gone = (path for path in scan.cached.keys() - present if path.startswith(scanned))
    cache.keep(shrunk, [path for path in gone if not path.startswith(tops) and is_gone(path)])


def _tops(roots: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(root.rstrip(b"/") + b"/" for root in roots)


def _read(
    roots: Sequence[Sequence[Folder]],
    cached: Mapping[bytes, Folder],
    cache: Cache,
    read_all: ReadAll,
    progress: Progress,
    shrunk: list[tuple[Folder, str]],
) -> dict[bytes, Folder]:
    """Read and store the tags that are not in the cache; return the folders that were read, by path.

    Folders that lost files are only appended to `shrunk`: their drive may be missing.
    """
    unread = [folder for root in roots for folder in root if folder.durations_ms is None]
    if not unread:
        return {}

    def read_and_tell(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for read_count, reading in enumerate(read_all(paths), 1):
            progress.report("Reading tags", read_count, len(paths))
            yield reading

    folders_read: dict[bytes, Folder] = {}
    unkept: list[tuple[Folder, str]] = []
    try:
        for folder, fields in with_readings(unread, cached, cache.fields, read_and_tell):
            folders_read[folder.path] = folder
            dropped = _dropped(folder, cached.get(folder.path))
            if not dropped:
                unkept.append((folder, fields))
            elif all(map(is_gone, dropped)):  # other files are not listed, or ignored by one playlist alone
                shrunk.append((folder, fields))
            if len(unkept) == _KEEP_EVERY:
                cache.keep(unkept, ())
                unkept = []
    finally:  # an interrupted run stores the tags that it has read
        cache.keep(unkept, ())
    return folders_read


def _dropped(folder: Folder, before: Folder | None) -> list[bytes]:
    names = set(before.file_names()).difference(folder.file_names()) if before is not None else ()
    return [folder.path + name for name in names]
