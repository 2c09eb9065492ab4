"""Find out that an update would change nothing, without loading the library or the state.

A successful update returns a basis: the versions of everything that it relied on. The next update ends at
once if none of them has changed, and the changed folders have the tracks that the cache knows. All
conditions are in `basis_of` and `is_unaffected`. If one fails, the update runs in full.
"""

import os
from collections.abc import Collection

from playshuffle.library.cache import Cache
from playshuffle.library.unchanged import has_same_tracks
from playshuffle.library.walk import Changes
from playshuffle.pipeline.basis import Basis
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.session import Session
from playshuffle.pipeline.tag_needs import parse_all
from playshuffle.players.profiles import PLAYERS
from playshuffle.store.state_file import stored_version
from playshuffle.system import atomic_file


def basis_of(run: Session, *, has_notes: bool, now_s: int, drawn_s: int, due_s: int | None) -> Basis | None:
    """Return what a finished update relied on; None if the next one must run in full.

    Args:
        run: the session, still open, so that no other process writes.
        has_notes: whether the update has notes, which the next one must check again.
        now_s: the time, in Unix seconds.
        drawn_s: when the order was drawn, in Unix seconds.
        due_s: when the playlist must be updated even if nothing changes, in Unix seconds; None for never.
    """
    library, target = run.library, run.target
    may_be_skipped = (
        library.is_plain  # else links, ignore files, growing and listed files need a look in each update
        and not library.unreadable
        and not run.missing
        and not (has_notes or run.state.notes or (target is not None and target.notes))
        and _depends_on_folders_alone(run.request)
    )
    state = stored_version()
    if not may_be_skipped or run.cache_version is None or state is None:
        return None
    try:
        playlist, roots = _playlist(run.request), _roots(run.request)
        return Basis(list(run.cache_version), list(state), playlist, roots, now_s, due_s, drawn_s)
    except OSError:  # a playlist in several files has no file of its own name
        return None


def is_unaffected(
    basis: Basis, request: Request, changes: Changes, *, now_s: float, redraw_before_s: float
) -> bool:
    """Return whether an update of a playlist would change nothing.

    Args:
        basis: of the last update of this playlist, which succeeded with this configuration.
        request: the playlist.
        changes: since that update.
        now_s: the time, in Unix seconds.
        redraw_before_s: an order that is older than this time (Unix seconds) is due to be drawn again.
    """
    dirty = changes.dirty
    if dirty is None or dirty.trees:  # a full scan, or a folder was added, removed or moved
        return False
    if basis.drawn_s < redraw_before_s or (basis.due_s is not None and now_s >= basis.due_s):
        return False
    try:
        return (
            basis.updated_s <= now_s  # else the clock was set back
            and basis.playlist == _playlist(request)  # else another program changed or removed it
            and basis.roots == _roots(request)  # else another folder has the name
            and basis.state == _as_list(stored_version())  # else another run changed an order or a deck
            and _have_same_tracks(basis, request, dirty.folders, changes.still_ns)
        )
    except OSError:
        return False


def _depends_on_folders_alone(request: Request) -> bool:
    """Return whether nothing but its folders and what a basis has can change a playlist."""
    from playshuffle.selection.fields import DATE, TIME

    return (
        not request.without  # skip lists are files of their own
        and request.most is None  # draws which tracks are taken
        and not PLAYERS[request.player].uses_mpd_conf
        and not (
            request.where
            and any(  # their result changes with time, such as "in the last 30 days"
                check.field.kind in (DATE, TIME) for term in parse_all(request).terms for check in term.checks
            )
        )
    )


def _playlist(request: Request) -> list[int]:
    status = os.stat(atomic_file.resolved(request.output or b""))
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _roots(request: Request) -> list[list[int]]:
    """Return device and inode of each root.

    Raises:
        OSError: a root cannot be read.
    """
    numbers = []
    for root in request.roots:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        status = os.fstat(descriptor)
        os.close(descriptor)
        numbers.append([status.st_dev, status.st_ino])
    return numbers


def _as_list(version: tuple[int, ...] | None) -> list[int] | None:
    return None if version is None else list(version)


def _have_same_tracks(basis: Basis, request: Request, folders: Collection[bytes], still_ns: int) -> bool:
    """Return whether folders have the tracks that the cache has had since the last update.

    Raises:
        OSError: a folder cannot be read.
    """
    tops = tuple(root.rstrip(b"/") + b"/" for root in request.roots)
    changed = [folder for folder in folders if folder.startswith(tops)]
    with Cache() as cache:
        if _as_list(cache.version()) != basis.cache:  # another playlist may have seen a change first
            return False
        known = cache.some_folders(changed)
    return len(known) == len(changed) and all(has_same_tracks(folder, still_ns) for folder in known)
