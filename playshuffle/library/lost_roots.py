"""Check that no root is missing, so that an absent drive never empties a playlist."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from playshuffle.errors import MissingError, PlayshuffleError, shown
from playshuffle.library import ignore_files
from playshuffle.library.folder import Skipped
from playshuffle.library.missing import (
    MOUNT,
    Root,
    below,
    check_root,
    check_tracks,
    check_unreadable,
    current_mounts,
)
from playshuffle.library.track_table import RootKey, TrackTable
from playshuffle.library.walk import WalkResult
from playshuffle.system import mounts
from playshuffle.system.regular_file import names_in
from playshuffle.tags.cause import IGNORED, MARKED
from playshuffle.text import counted


def lost_roots(
    last_table: TrackTable,
    table: TrackTable,
    scanned: Mapping[RootKey, Root],
    found_numbers: frozenset[int],
    place: WalkResult,
    deleted: Collection[bytes],
) -> dict[RootKey, MissingError]:
    """Return an error for each scanned root that seems to be missing.

    Args:
        last_table: the table before the scan.
        table: the table after recognition.
        deleted: files and folders that events reported as deleted.
    """
    errors: dict[RootKey, MissingError] = {}
    checked = set[tuple[int, int]]()
    for key, now in scanned.items():
        root, ignores_files = key
        before, otherwise = last_table.roots.get(key), last_table.roots.get((root, not ignores_files))
        lost: list[bytes] = []
        try:
            folder_id = _folder_id(root)
            if before is None and otherwise is not None:
                others = table.paths_of(frozenset(otherwise.numbers).intersection(now.numbers))
                check_tracks(root, otherwise, now, (), (), deleted, [*others.values()])
            elif before is not None and (lost_numbers := set(before.numbers).difference(found_numbers)):
                paths = last_table.paths_of(before.numbers)
                lost = [paths[number] for number in lost_numbers if number in paths]
                for folder in place.unreadable:
                    check_unreadable(folder, below(root, lost))
                if folder_id not in checked:  # otherwise it is another name of a root: no file is found twice
                    others = table.paths_of(found_numbers & paths.keys())
                    check_tracks(root, before, now, list(paths.values()), lost, deleted, [*others.values()])
            checked.add(folder_id)
        except MissingError as error:
            errors[key] = _hiding_error(root, place.skipped, below(root, lost)) or error
    return errors


def seems_missing(root: bytes, last_root: Root) -> bool:
    """Return whether a root outside of this scan looks as if its drive were missing.

    A root without tracks, as after its loss was accepted, never does. A network share always does: access to
    it may hang. An overlay, as in a container, is local.
    """
    if not last_root.numbers:
        return False
    if any(mounts.is_blind(mount.kind) for mount in last_root.mounts if mount.kind != "overlay"):
        return True
    try:
        check_root(root, last_root)
    except PlayshuffleError:
        return True
    now = current_mounts(root)
    return not names_in(root) or any(
        not any(before.is_same(mount) for mount in now) for before in last_root.mounts
    )


def _hiding_error(root: bytes, skipped: Sequence[Skipped], lost: Sequence[bytes]) -> MissingError | None:
    reasons = {path.rstrip(b"/"): reason for path, reason in skipped}
    # By the ignore file of a folder, or by the path that a pattern excludes.
    counts: Counter[bytes] = Counter()
    for track in lost:
        path = track
        while len(path) > len(root) and path not in reasons:
            path = os.path.dirname(path)
        reason = reasons.get(path)
        if reason is not None and reason.code in (MARKED, IGNORED):
            counts[os.path.join(path, os.fsencode(reason.detail)) if reason.detail else path] += 1
    if 2 * counts.total() <= len(lost):
        return None
    file, count = counts.most_common(1)[0]
    folder, by = os.path.dirname(file), shown(file)
    if os.path.basename(file) not in ignore_files.MARKERS:
        folder, by = file, ignore_files.deciding_line([root], file) or f"An ignore file above {by}"
        count = counts.total()
    why = f"{by} hides {counted(count, 'track')} of {shown(root)}"
    advice = (
        "To keep them, remove it or set ignore_files = false. To write the playlist without them, add"
        " --accept-missing."
    )
    return MissingError(folder, why, advice, summary=why)


def _folder_id(path: bytes) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError as error:  # it disappeared during the scan
        raise MissingError(path, os.strerror(error.errno or 0), MOUNT) from error
    return status.st_dev, status.st_ino
