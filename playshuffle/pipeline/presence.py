"""Check that no root is missing, so that an absent drive never empties a playlist."""

import os
from collections.abc import Callable, Collection, Iterable, Sequence

from playshuffle.errors import Exit, MissingError, PlayshuffleError, shown
from playshuffle.library.folder import Skipped
from playshuffle.library.identity import same_ends
from playshuffle.library.missing import (
    Root,
    below,
    check_root,
    check_tracks,
    check_unreadable,
    current_root,
    missing_error,
)
from playshuffle.library.scan import Library

KnownRoot = Callable[[bytes], Root | None]


def reachable_roots(
    roots: Iterable[bytes], root_of: KnownRoot
) -> tuple[tuple[bytes, ...], list[MissingError]]:
    """Return the roots that can be read, and an error for each that seems to be missing.

    Raises:
        PlayshuffleError: a root that was never seen cannot be read.
    """
    reachable, missing = [], []
    for root in roots:
        try:
            check_root(root, root_of(root))
            reachable.append(root)
        except MissingError as error:
            missing.append(error)
    return tuple(reachable), missing


def present_roots(
    roots: Sequence[bytes],
    library: Library,
    root_of: KnownRoot,
    expected: Sequence[bytes] | None,
    deleted: Collection[bytes],
) -> tuple[list[Root], list[MissingError]]:
    """Return the roots that hold what they held, and an error for each that seems to be missing.

    Args:
        roots: that were scanned.
        library: the tracks found below them.
        root_of: returns a root as it was remembered.
        expected: tracks that should be there; None if nothing can be missing.
        deleted: files and folders that were seen to be deleted, while their root was there.
    """
    if not roots:
        return [], []
    tracks = library.tracks
    counts = [len(tracks)]
    if len(roots) > 1:  # they may overlap: each has all that lies below it
        counts = [len(below(root, tracks.paths)) for root in roots]
    current = [current_root(root, count) for root, count in zip(roots, counts, strict=True)]
    if expected is None:
        return current, []
    lost = _lost(expected, tracks.paths)
    present, missing = [], []
    scanned = set[tuple[int, int]]()
    for root in current:
        try:
            folder_id = _folder_id(root.path)
            for folder in library.unreadable:
                check_unreadable(folder, below(root.path, lost))
            if folder_id not in scanned:  # else another name of a root, under which nothing is found twice
                check_tracks(root_of(root.path), root, expected, lost, deleted)
            scanned.add(folder_id)
            present.append(root)
        except MissingError as error:
            missing.append(error)
    return present, missing


def _folder_id(path: bytes) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError as error:  # it disappeared during the scan
        raise missing_error(path, os.strerror(error.errno or 0)) from error
    return status.st_dev, status.st_ino


def _lost(expected: Sequence[bytes], paths: Sequence[bytes]) -> list[bytes]:
    """Return the expected paths that were not found. No path is in either twice, and nearly all in both."""
    head, tail = same_ends(expected, paths)
    present = frozenset(paths[head : len(paths) - tail])
    return [path for path in expected[head : len(expected) - tail] if path not in present]


def nothing_to_play(roots: Sequence[bytes], skipped: Sequence[Skipped]) -> PlayshuffleError:
    """Return the error for folders without a track."""
    where = ", ".join(map(shown, roots))
    if not skipped:
        return PlayshuffleError(f"{where} contains no audio files.", Exit.NOTHING_TO_PLAY)
    first = f"{shown(skipped[0].path)}: {skipped[0].reason}"
    return PlayshuffleError(
        f"{where} contains nothing to play. Skipped: {first}"
        f"{f' and {len(skipped) - 1:,} more' * (len(skipped) > 1)}.",
        Exit.NOTHING_TO_PLAY,
    )
