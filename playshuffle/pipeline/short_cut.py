"""Find out that an update would change nothing, without loading the library or the state.

An update that went well leaves a basis: what it relied on. The next update may end at once if the basis
still holds and the changed folders have the tracks that the cache knows. All conditions are listed here,
in `basis_of` and `is_unaffected`. Where one fails, the update goes the full way.
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


def basis_of(run: Session, *, has_notes: bool, now_s: int, drawn_s: int, until_s: int | None) -> Basis | None:
    """Return what an update relied on, after it wrote all it had to; None if the next one needs the full way.

    Args:
        run: the session, still open, so that no other process writes.
        has_notes: something was reported that the next update must check again.
        now_s: the time, in Unix seconds.
        drawn_s: when the order was drawn, in Unix seconds.
        until_s: when something is due though nothing changes, in Unix seconds; None for never.
    """
    library, target = run.library, run.target
    is_usual = (
        library.is_plain  # else links, ignore files, growing and listed files are looked at in each update
        and not library.unreadable
        and not run.missing
        and not (has_notes or run.state.notes or (target is not None and target.notes))
        and _depends_on_folders_alone(run.request)
    )
    state = stored_version()
    if not is_usual or run.cache_version is None or state is None:
        return None
    try:
        playlist, roots = _playlist(run.request), _roots(run.request)
        return Basis(list(run.cache_version), list(state), playlist, roots, now_s, until_s, drawn_s)
    except OSError:  # a playlist in several files has none of its name
        return None


def is_unaffected(
    basis: Basis, request: Request, changes: Changes, *, now_s: float, redraw_before_s: float
) -> bool:
    """Return whether an update of a playlist would change nothing.

    Args:
        basis: of the last update of this request, which went well, by a service with this configuration.
        request: the playlist.
        changes: since then.
        now_s: the time, in Unix seconds.
        redraw_before_s: an order that is older than this time (Unix seconds) is due to be drawn again.
    """
    dirty = changes.dirty
    if dirty is None or dirty.trees:  # everything is to be looked at, or a folder came, went or moved
        return False
    if basis.drawn_s < redraw_before_s or (basis.until_s is not None and now_s >= basis.until_s):
        return False
    try:
        return (
            basis.taken_s <= now_s  # else the clock was set back
            and basis.playlist == _playlist(request)  # else another program changed or removed it
            and basis.roots == _roots(request)  # else another folder has the name
            and basis.state == _as_list(stored_version())  # else another run changed an order or a deck
            and _have_same_tracks(basis, request, dirty.folders, changes.still_ns)
        )
    except OSError:
        return False


def _depends_on_folders_alone(request: Request) -> bool:
    """Return whether only changes in its folders can change a playlist, besides what a basis has."""
    from playshuffle.selection.fields import DATE, TIME

    return (
        not request.without  # skip lists are files of their own
        and request.most is None  # whose tracks are drawn
        and not PLAYERS[request.player].uses_mpd_conf
        and not (
            request.where
            and any(  # such as "in the last 30 days"
                check.field.kind in (DATE, TIME) for term in parse_all(request).terms for check in term.checks
            )
        )
    )


def _playlist(request: Request) -> list[int]:
    status = os.stat(atomic_file.resolved(request.output or b""))
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _roots(request: Request) -> list[list[int]]:
    """Return device and inode of each root, all of which can be read.

    Raises:
        OSError: one cannot be read.
    """
    found = []
    for root in request.roots:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        status = os.fstat(descriptor)
        os.close(descriptor)
        found.append([status.st_dev, status.st_ino])
    return found


def _as_list(version: tuple[int, ...] | None) -> list[int] | None:
    return None if version is None else list(version)


def _have_same_tracks(basis: Basis, request: Request, folders: Collection[bytes], still_ns: int) -> bool:
    """Return whether folders have the tracks that the cache knows, as it was at the last update.

    Raises:
        OSError: a folder cannot be read.
    """
    tops = tuple(root.rstrip(b"/") + b"/" for root in request.roots)
    own = [folder for folder in folders if folder.startswith(tops)]
    with Cache() as cache:
        if _as_list(cache.version()) != basis.cache:  # by another playlist, too, which saw a change first
            return False
        known = cache.some_folders(own)
    return len(known) == len(own) and all(has_same_tracks(folder, still_ns) for folder in known)
