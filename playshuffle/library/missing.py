"""Recognise missing folders and drives, so that they never empty a playlist."""

import contextlib
import os
import stat
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from playshuffle.errors import Exit, MissingError, Note, PlayshuffleError, shown
from playshuffle.library.folder import GONE, Skipped
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount
from playshuffle.system.near_file import near_file
from playshuffle.system.workers import Workers
from playshuffle.system.xdg import state_folder
from playshuffle.text import counted, shell_word


class Root(NamedTuple):
    """The result of scanning a root: the numbers of its tracks, and its mounts."""

    numbers: "array[int]"
    mounts: Sequence[Mount]


_SMALL_LOSS = 20  # tracks; fewer may disappear at once without a question
_SAMPLE = 20  # tracks by which a root is recognised at another place
_CONFIRM = "If the tracks are gone for good, add --accept-missing."
MOUNT = f"Mount the drive and try again. {_CONFIRM}"


def check_root(path: bytes, last_root: Root | None) -> None:
    """Check that a root is a readable folder.

    Raises:
        PlayshuffleError: it is not; a MissingError if tracks are recorded for it.
    """
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
        if is_folder:
            os.close(os.open(path, os.O_DIRECTORY))
    except OSError as error:
        why = error.strerror
        if last_root is not None and last_root.numbers:
            raise MissingError(path, f"{why}; {_there(len(last_root.numbers))}", MOUNT) from error
        near = near_file(path, is_folder=True)
        hint = "Change its permissions." if near == path else "Check its spelling, or mount its drive."
        if near not in (None, path):
            hint = f"Did you mean {shown(near)}?"
        raise PlayshuffleError(
            f"Cannot read the folder {shown(path)}: {why}. {hint}", Exit.NO_INPUT
        ) from error
    if not is_folder:
        raise PlayshuffleError(
            f"{shown(path)} is a file, not a folder. Give the folder that contains it.", Exit.NO_INPUT
        )


def check_roots(last_roots: Mapping[bytes, Root | None]) -> dict[bytes, PlayshuffleError]:
    """Return an error for each root that is not a readable folder, or whose file system does not answer."""

    def error_of(path: bytes) -> PlayshuffleError | None:
        try:
            check_root(path, last_roots[path])
        except PlayshuffleError as error:
            return error
        return None

    with Workers(1 + len(last_roots)) as workers:
        answers = workers.answers(error_of, list(last_roots))
    silent = {path: _silent(path, root) for path, root in last_roots.items() if path not in answers}
    return {path: error for path, error in answers.items() if error is not None} | silent


def _silent(path: bytes, last_root: Root | None) -> PlayshuffleError:
    advice = "Check its drive or its network, and try again."
    if last_root is not None and last_root.numbers:
        return MissingError(path, f"it does not answer; {_there(len(last_root.numbers))}", advice)
    return PlayshuffleError(f"{shown(path)} does not answer. {advice}", Exit.MISSING)


def check_tracks(
    path: bytes,
    last_root: Root,
    root: Root,
    before: Sequence[bytes],
    missing: Sequence[bytes],
    deleted: Collection[bytes] = (),
    others: Sequence[bytes] = (),
) -> None:
    """Check that the tracks of a root did not disappear with a drive.

    A track is gone if it was known, is not found under any name, and no event reported that it was deleted or
    moved while the root was present. The root counts as missing in one of these cases:

    1. Nothing is left: tracks were recorded for the root, and none is found; or it had more than 20, and all
       are gone. An empty root is accepted if none of its tracks is gone.
    2. A mount has changed, and tracks on it are gone. Reported deletions do not count here: unmounting may
       remove the folder that the drive was mounted on. If most of its tracks are found at its mount point, it
       is the same drive: device names, host names and numbers of file systems change.
    3. Most are gone: more than half of the tracks of the root, and more than 20.

    If the former tracks of the root are unknown, only the first half of rule 1 and rule 2 apply.

    Args:
        before: paths of the root's former tracks; empty if unknown.
        missing: the paths in `before` whose tracks were not found under any name.
        deleted: files and folders that events reported as deleted or moved.
        others: the paths at which the other former tracks of the root are now.

    Raises:
        MissingError: tracks disappeared as if their drive were missing.
    """
    missing = below(path, missing)
    # The root exists: an event for it or for a parent folder was about an earlier one.
    deleted = frozenset(below(path, deleted))
    lost = sum(not _is_at_or_below(track, deleted) for track in missing)
    track_count = len(below(path, before))
    if last_root.numbers and not root.numbers and (lost or not track_count):
        raise MissingError(path, f"no track was found; {len(last_root.numbers):,} were there", _CONFIRM)
    _check_mounts(path, last_root, root, missing if track_count else None, others)
    if lost > _SMALL_LOSS and 2 * lost > track_count:
        raise MissingError(path, f"{lost:,} of {track_count:,} tracks are gone", _CONFIRM)


def _check_mounts(
    path: bytes, last_root: Root, root: Root, missing: Sequence[bytes] | None, others: Sequence[bytes]
) -> None:
    """Check that no mount is gone with tracks on it.

    `missing` are the tracks that were not found, deleted ones included (rule 2); None if unknown. `others`
    are the other tracks.
    """
    if not root.mounts:
        return
    real = os.path.realpath(path)
    for mount in last_root.mounts:
        if any(mount.is_same(current) for current in root.mounts) or not _can_be_missing(mount, real):
            continue
        # The part below the root. For a mount above the root it is empty, so that all tracks count.
        prefix = path + (mount.point.rstrip(b"/") + b"/")[len(real) :]
        lost = (
            len(last_root.numbers) - len(root.numbers)  # the folders of the missing tracks are unknown
            if missing is None
            else sum(track.startswith(prefix) for track in missing)
        )
        if any(now.may_have_all_of(mount) for now in root.mounts):
            lost = 0 if sum(track.startswith(prefix) for track in others) > lost else lost
        if lost > 0:
            raise MissingError(
                path,
                f"{counted(lost, 'track')} {'is' if lost == 1 else 'are'} gone, and"
                f" {shown(mount.point)} is not mounted as it was"
                f" ({mount.kind}, {shown(mount.source)})",
                _CONFIRM,
            )


def check_unreadable(folder: Skipped, missing: Iterable[bytes]) -> None:
    """Check that no missing track was in an unreadable folder: it may still be there.

    Raises:
        MissingError: a missing track was in it.
    """
    lost = sum(path.startswith(folder.path) for path in missing)
    if lost:
        raise MissingError(folder.path, f"{folder.reason}; {_there(lost)}", _CONFIRM)


def current_mounts(path: bytes) -> list[Mount]:
    """Return the present mounts of a root."""
    return mounts.under(os.path.realpath(path), mounts.table())


def check_output(folder: bytes, before: Sequence[Mount], current: Iterable[Mount]) -> None:
    """Check that a playlist's folder exists, and is not the mount point of a drive that is missing.

    `folder` is a real path. `before` are its mounts when the playlist was written last.

    Raises:
        MissingError: the folder or its drive is missing.
    """
    if before and not os.path.isdir(folder):
        raise MissingError(folder, "it does not exist", "Mount its drive and try again, or make the folder.")
    for last, now in product(before, current):
        is_below = last.point != now.point and last.point.startswith(now.point.rstrip(b"/") + b"/")
        if is_below and _can_be_missing(last, folder):
            advice = "Mount it and try again. To write the playlist without it, add --accept-missing."
            raise MissingError(folder, f"{shown(last.point)} is not mounted", advice)


def _can_be_missing(mount: Mount, folder: bytes) -> bool:
    """Return whether a folder, given by its real path, can lack files because a mount changed.

    It cannot if the mount had the saved state, too: then the home was copied from another computer.
    """
    point, inside = mount.point.rstrip(b"/") + b"/", folder.rstrip(b"/") + b"/"
    with contextlib.suppress(OSError):  # without a home folder no state exists
        state = os.path.realpath(state_folder(make=False))
        on = mounts.at(state, mounts.table())
        if state.startswith(point) and any(len(other.point) <= len(mount.point) for other in on):
            return False
    return inside.startswith(point) or point.startswith(inside)


def with_new_place(error: MissingError, before: Iterable[Mount], files: Sequence[bytes]) -> MissingError:
    """Return the error of a missing folder, with the mount that has the folder's files now, if any.

    `before` are the folder's former mounts, `files` some paths in it.
    """
    sample = files[:: 1 + len(files) // _SAMPLE]
    with Workers(1 + len(sample)) as workers:  # a share that hangs does not answer
        real = workers.answers(os.path.realpath, [error.path, *sample])
    if error.path not in real:
        return error
    folder = real[error.path]
    point = max((mount.point for mount in before if below(mount.point, [folder])), default=b"")
    inside = [real[path][len(point) :].lstrip(b"/") for path in sample if path in real]

    def has_them(other: bytes) -> bool:
        return sum(os.path.lexists(os.path.join(other, name)) for name in inside) > len(inside) / 2

    others = {mount.point for mount in mounts.table() if mount.point != point} if point else set[bytes]()
    with Workers(1 + len(others)) as workers:
        points = [other for other, is_there in workers.answers(has_them, sorted(others)).items() if is_there]
    if len(points) != 1:
        return error
    # All that was on the drive has moved. But not all of the system's.
    old, new = (folder, os.path.join(points[0], folder[1:])) if point == b"/" else (point, points[0])
    command = f"playshuffle move {shell_word(old)} {shell_word(new)}"
    advice = f"Its files are in {shown(points[0])} now: {command}"
    return MissingError(error.path, error.why, advice, error.summary)


def root_user_notes(roots: Iterable[bytes]) -> list[Note]:
    """Return a note for the user root about each other user who owns music."""
    if os.geteuid() != 0:
        return []
    owners: set[int] = set()
    for root in roots:
        with contextlib.suppress(OSError):  # it was just removed
            owners.add(os.stat(root).st_uid)
    return [
        Note(
            "root_user",
            f"Running as root, but the music belongs to user {owner}. A new playlist and the saved state will"
            " be owned by root. Run it as that user, or use playshuffle@USER.service.",
        )
        for owner in sorted(owners - {0})
    ]


def _there(tracks: int) -> str:
    return f"{counted(tracks, 'track')} {'was' if tracks == 1 else 'were'} there"


def _is_at_or_below(path: bytes, tops: Collection[bytes]) -> bool:
    while path:
        if path in tops:
            return True
        path = path[: path.rfind(b"/")]
    return False


def is_gone(path: bytes) -> bool:
    """Return whether nothing is at a path; False if unknown."""
    try:
        os.lstat(path)
    except OSError as error:
        return error.errno in GONE
    return False


def below(root: bytes, paths: Iterable[bytes]) -> list[bytes]:
    """Return the paths that are below a root."""
    top = root.rstrip(b"/") + b"/"
    return [path for path in paths if path.startswith(top)]
