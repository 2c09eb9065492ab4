"""Scan folders into a library, and cache the tags of its tracks."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import NamedTuple, Self

from playshuffle.errors import MissingError
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.listed_files import listed_folders
from playshuffle.library.missing import is_gone
from playshuffle.library.outdated_folders import outdated_folders
from playshuffle.library.tracks import Tracks
from playshuffle.library.walk import Changes, find
from playshuffle.system.workers import Workers, worker_count
from playshuffle.tags.reading import ReadAll, Reading


class Progress:
    """Receive reports of how far a run is, and ignore them; a context manager."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def finding(self, files: int) -> None:
        """Report how many audio files have been found so far."""

    def reading(self, read_count: int, of: int) -> None:
        """Report how many files have had their tags read, of how many."""

    def working(self, activity: str, done_count: int, of: int) -> None:
        """Report how far any other work is, such as "Checking entries"."""


_KEEP_EVERY = 256  # folders; limits what an interrupted first run loses
_MOST_SCANS = 3  # some file systems give a file another inode at each look


class Place(NamedTuple):
    """Where the tracks of a playlist come from.

    roots: folders, without a slash at the end. files: the tracks themselves; None for all below the roots.
    ignore_files: skip what `.nomedia`, `.ndignore` and similar files name.
    """

    roots: tuple[bytes, ...]
    files: tuple[bytes, ...] | None = None
    ignore_files: bool = True


class Found(NamedTuple):
    """What a scan found at one place.

    roots: its folders by root; those of listed files together.
    growing: files that are being written, and left for later.
    """

    roots: Mapping[bytes, Sequence[Folder]]
    skipped: Sequence[Skipped]
    unreadable: Sequence[Skipped] = ()
    growing: Sequence[bytes] = ()


class Library(NamedTuple):
    """The tracks of a place, with numbers if they were recognised; and the skipped files.

    roots: the number of tracks below each root, by path.
    missing: an error for each root that seems to be missing, by path; its tracks are as last known.
    waiting: by root, the numbers of the tracks that cannot be played until it is back.
    growing: files that are being written, and left for later.
    """

    tracks: Tracks
    skipped: Sequence[Skipped]
    untagged: Sequence[Skipped]
    unreadable: Sequence[Skipped] = ()
    growing: Sequence[bytes] = ()
    roots: Mapping[bytes, int] = MappingProxyType({})
    missing: Mapping[bytes, MissingError] = MappingProxyType({})
    waiting: Mapping[bytes, frozenset[int]] = MappingProxyType({})

    @property
    def waiting_numbers(self) -> frozenset[int]:
        """Numbers of all tracks that wait for a root."""
        return frozenset[int]().union(*self.waiting.values())


class Scan(NamedTuple):
    """What a scan found at all places.

    cached: the folders as they were known before, by path. shrunk: those that lost files, each with its tags
    as JSON, to be stored when no drive turns out to be missing.
    """

    places: Mapping[Place, Found]
    cached: Mapping[bytes, Folder]
    shrunk: Sequence[tuple[Folder, str]] = ()


def scan_places(
    places: Iterable[Place], cache: Cache | None, read_all: ReadAll, progress: Progress, changes: Changes
) -> Scan:
    """Look at the folders of all places, each folder once, and read what is not in the cache.

    Args:
        places: each with the roots that can be reached.
        cache: None reads no tags.
        read_all: reads the tags of files.
        progress: told how far the scan is.
        changes: what to look at again.
    """
    places = list(dict.fromkeys(places))
    listed = {os.path.dirname(path) for place in places for path in place.files or ()}
    below = [root for place in places if place.files is None for root in place.roots]
    cached = cache.folders([*below, *listed]) if cache is not None and places else {}
    drives = {folder.device: folder.path for folder in cached.values()}
    with Workers(worker_count([*below, *listed, *drives.values()])) as workers:
        found = _walk_all(places, cached, workers, progress, changes)
    if cache is None:
        return Scan(found, cached)
    shrunk: list[tuple[Folder, str]] = []
    known = dict(cached)
    for place, each in found.items():
        read = _read(list(each.roots.values()), known, cache, read_all, progress, shrunk)
        known |= read
        roots = {
            root: [read.get(folder.path, folder) for folder in folders]
            for root, folders in each.roots.items()
        }
        found[place] = each._replace(roots=roots)
    return Scan(found, cached, shrunk)


def _walk_all(
    places: Sequence[Place],
    cached: Mapping[bytes, Folder],
    workers: Workers,
    progress: Progress,
    changes: Changes,
) -> dict[Place, Found]:
    """Find the files of all places; walk again if a file was moved after one walk and before the next."""
    found: dict[Place, Found] = {}
    for _ in range(_MOST_SCANS):
        fresh: dict[bytes, Folder] = {}
        found = {place: _walk(place, cached, fresh, workers, progress, changes) for place in places}
        roots = [root for each in found.values() for root in each.roots.values()]
        folders = {id(folder): folder for root in roots for folder in root}
        outdated = outdated_folders([*folders.values()], cached, ()).paths if len(found) > 1 else None
        if not outdated:
            break
        if changes.dirty is not None:
            dirty = changes.dirty._replace(folders=changes.dirty.folders | outdated)
            changes = changes._replace(dirty=dirty)
    return found


def _walk(
    place: Place,
    cached: Mapping[bytes, Folder],
    fresh: dict[bytes, Folder],
    workers: Workers,
    progress: Progress,
    changes: Changes,
) -> Found:
    """Find the files of a place; fresh: what was listed for other places, to which its folders are added."""
    if place.files is not None:
        folders, missing = listed_folders(place.files, workers)
        return Found({b"": folders}, missing)
    tops = tuple(root.rstrip(b"/") + b"/" for root in place.roots)
    walked = find(
        place.roots,
        {path: folder for path, folder in cached.items() if path.startswith(tops)},
        use_ignore_files=place.ignore_files,
        seen_so_far=progress.finding,
        workers=workers,
        dirty=changes.dirty,
        still_ns=changes.still_ns,
        fresh=fresh,
    )
    fresh |= {folder.path: folder for root in walked.roots for folder in root if folder.is_plain}
    by_root = dict(zip(place.roots, walked.roots, strict=True))
    return Found(by_root, walked.skipped, walked.unreadable, walked.growing)


def forget_removed(scan: Scan, cache: Cache, missing: Collection[bytes]) -> None:
    """Remove folders and files from the cache that do not exist any more; those of missing roots stay."""
    seen = {folder.path for found in scan.places.values() for root in found.roots.values() for folder in root}
    tops = tuple(root.rstrip(b"/") + b"/" for root in missing)
    shrunk = [(folder, fields) for folder, fields in scan.shrunk if not folder.path.startswith(tops)]
    removed = [path for path in scan.cached.keys() - seen if not path.startswith(tops) and is_gone(path)]
    cache.keep(shrunk, removed)


def _read(
    roots: Sequence[Sequence[Folder]],
    cached: Mapping[bytes, Folder],
    cache: Cache,
    read_all: ReadAll,
    progress: Progress,
    shrunk: list[tuple[Folder, str]],
) -> dict[bytes, Folder]:
    """Read what is not in the cache, store it there, and return the folders that were read, by path.

    shrunk: folders that lost files are added here, and not stored: their drive may be missing.
    """
    unread = [folder for root in roots for folder in root if folder.durations_ms is None]
    if not unread:
        return {}

    def read_and_tell(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for read_count, reading in enumerate(read_all(paths), 1):
            progress.reading(read_count, len(paths))
            yield reading

    folders_read: dict[bytes, Folder] = {}
    unkept: list[tuple[Folder, str]] = []
    try:
        for folder, fields in with_readings(unread, cached, cache.fields, read_and_tell):
            folders_read[folder.path] = folder
            dropped = _dropped(folder, cached.get(folder.path))
            if not dropped:
                unkept.append((folder, fields))
            elif all(map(is_gone, dropped)):  # others are not listed, or ignored by one playlist alone
                shrunk.append((folder, fields))
            if len(unkept) == _KEEP_EVERY:
                cache.keep(unkept, ())
                unkept = []
    finally:  # an interrupted run keeps what it has read
        cache.keep(unkept, ())
    return folders_read


def _dropped(folder: Folder, before: Folder | None) -> list[bytes]:
    """Return the paths of the files that only the cached version of a folder has."""
    names = set(before.file_names()).difference(folder.file_names()) if before is not None else ()
    return [folder.path + name for name in names]
