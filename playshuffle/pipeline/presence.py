"""Whether what was remembered is still there; an error where a drive seems to be away."""

import os
from collections.abc import Sequence

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library import away as guard
from playshuffle.library.away import Root
from playshuffle.library.folder import Skipped
from playshuffle.library.identity import same_ends
from playshuffle.library.scan import Library
from playshuffle.library.walk import Changes
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.target import Target


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
