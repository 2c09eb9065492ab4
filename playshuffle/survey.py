"""Folders in, the library out: walked, read where it is not known, and seen not to be away."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from playshuffle import guard
from playshuffle.cache import Cache
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.folder import find
from playshuffle.identity import same_ends
from playshuffle.library import ReadAll, Tracks, tracks, with_readings
from playshuffle.request import Changes, Progress, Request
from playshuffle.state import Root
from playshuffle.target import Target
from playshuffle.track import Folder, Reading, Skipped

_KEEP_EVERY = 256  # folders; what was read so far outlives an interrupted first run


@dataclass(frozen=True, slots=True)
class Library:
    """All tracks of the roots, and what is no track; `gone` are folders that are no more."""

    tracks: Tracks
    skipped: list[Skipped]
    untagged: list[Skipped]
    unreadable: list[Skipped]
    gone: list[bytes]


def survey(
    request: Request, cache: Cache | None, read_all: ReadAll, progress: Progress, changes: Changes
) -> Library:
    """Look at the folders, and read what is not in the cache."""
    known = cache.folders(request.roots) if cache is not None else {}
    found = find(
        request.roots,
        known,
        use_ignore_files=request.ignore_files,
        with_stamps=cache is not None,
        seen_so_far=progress.finding,
        may_fork=True,
        dirty=changes.dirty,
        still_ns=changes.still_ns,
    )
    if found.growing:
        progress.growing(found.growing)
    folders = found.roots
    if cache is not None:
        fresh = _read(folders, known, cache, read_all, progress)
        if fresh:
            folders = [[fresh.get(folder.path, folder) for folder in root] for root in folders]
        if not cache.is_kept:
            progress.forgotten()
    library, skipped, untagged = tracks(folders)
    gone = known.keys() - (folder.path for root in folders for folder in root)
    return Library(library, found.skipped + skipped, untagged, found.unreadable, list(gone))


def _read(
    roots: Sequence[Sequence[Folder]],
    known: Mapping[bytes, Folder],
    cache: Cache,
    read_all: ReadAll,
    progress: Progress,
) -> dict[bytes, Folder]:
    """Read what is not in the cache, and keep it there; the folders that were read, by path."""

    def read_and_tell(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for done, one in enumerate(read_all(paths), 1):
            progress.reading(done, len(paths))
            yield one

    fresh: dict[bytes, Folder] = {}
    unkept: list[tuple[Folder, str]] = []
    folders = (folder for root in roots for folder in root)
    try:
        for folder, fields in with_readings(folders, known, cache.fields, read_and_tell):
            fresh[folder.path] = folder
            unkept.append((folder, fields))
            if len(unkept) == _KEEP_EVERY:
                cache.keep(unkept, ())
                unkept = []
    finally:  # what was read so far outlives an interruption
        cache.keep(unkept, ())
    return fresh


def check_here(
    request: Request,
    library: Library,
    before: Sequence[Root | None],
    target: Target | None,
    changes: Changes,
) -> list[Root]:
    """The roots as they are now, if there is something to play and nothing seems to be away.

    Raises:
        PlayshuffleError: there is nothing to play, or it seems so because a drive is away.
    """
    found = library.tracks
    counts = [len(found)]
    if len(request.roots) > 1:  # they may overlap: each has all that lies below it
        counts = [len(guard.below(root, found.paths)) for root in request.roots]
    roots = [guard.now(root, count) for root, count in zip(request.roots, counts, strict=True)]
    is_same = target is not None and target.last is not None and target.last.library == found.digest
    if not (request.allow_shrink or is_same):
        last = target.last_tracks if target is not None else []
        missing = _missing(last, found.paths)
        for folder in library.unreadable:
            guard.check_unreadable(folder, missing)
        entered = set()
        for root, known in zip(roots, before, strict=True):
            try:
                status = os.stat(root.path)
            except OSError as error:  # it went while we walked
                raise guard.away(root.path, os.strerror(error.errno or 0)) from error
            folder_id = (status.st_dev, status.st_ino)
            if folder_id not in entered:  # else another name of a root, under which nothing is found twice
                guard.check_tracks(known, root, last, missing, changes.gone)
            entered.add(folder_id)
    if not len(found):
        raise nothing_to_play(request.roots, library.skipped + library.unreadable)
    return roots


def _missing(before: Sequence[bytes], found: Sequence[bytes]) -> list[bytes]:
    """Those that are not found; no path stands in either twice, and nearly all in both."""
    head, tail = same_ends(before, found)
    left = frozenset(found[head : len(found) - tail])
    return [path for path in before[head : len(before) - tail] if path not in left]


def nothing_to_play(roots: Sequence[bytes], left_out: Sequence[Skipped]) -> PlayshuffleError:
    """The error for folders without a track."""
    where = ", ".join(map(shown, roots))
    if not left_out:
        return PlayshuffleError(f"There is no audio file in {where}.", Exit.NOTHING_TO_PLAY)
    first = f"{shown(left_out[0].path)}: {left_out[0].reason}"
    return PlayshuffleError(
        f"There is nothing to play in {where}; left out: {first}"
        f"{f' and {len(left_out) - 1:,} more' * (len(left_out) > 1)}.",
        Exit.NOTHING_TO_PLAY,
    )
