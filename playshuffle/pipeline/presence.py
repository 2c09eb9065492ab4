"""Check that no root is missing, so that an absent drive never empties a playlist."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from playshuffle.errors import Exit, MissingError, PlayshuffleError, shown
from playshuffle.library import ignore_files
from playshuffle.library.folder import Skipped
from playshuffle.library.listed_files import MISSING
from playshuffle.library.listing import FOLDER_HAS, IGNORED
from playshuffle.library.missing import (
    Root,
    below,
    check_root,
    check_tracks,
    check_unreadable,
    current_root,
    missing_error,
)
from playshuffle.library.scan import Found
from playshuffle.library.track_table import KnownRoot, RootKey, TrackTable
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.target import Target
from playshuffle.system import mounts
from playshuffle.text import counted


def lost_roots(
    known: TrackTable,
    scanned: Mapping[RootKey, KnownRoot],
    found_numbers: Collection[int],
    found: Found,
    deleted: Collection[bytes],
) -> dict[RootKey, MissingError]:
    """Return an error for each root of a place that was scanned, but seems to be missing.

    Args:
        known: the tracks before the scan.
        scanned: the roots that were scanned, as they are now.
        found_numbers: of all tracks that the scan found.
        found: what the scan found at this place.
        deleted: files and folders that were seen to be deleted, while their root was there.
    """
    errors: dict[RootKey, MissingError] = {}
    checked = set[tuple[int, int]]()
    for key, now in scanned.items():
        root, ignores_files = key
        before, otherwise = known.roots.get(key), known.roots.get((root, not ignores_files))
        lost: list[bytes] = []
        try:
            folder_id = _folder_id(root)
            if before is None and otherwise is not None:
                check_tracks(_root(root, otherwise), _root(root, now), (), (), deleted)
            elif before is not None and (lost_numbers := set(before.numbers).difference(found_numbers)):
                paths = known.paths_of(before.numbers)
                lost = [paths[number] for number in lost_numbers if number in paths]
                for folder in found.unreadable:
                    check_unreadable(folder, below(root, lost))
                if (
                    folder_id not in checked
                ):  # else another name of a root, under which nothing is found twice
                    check_tracks(_root(root, before), _root(root, now), list(paths.values()), lost, deleted)
            checked.add(folder_id)
        except MissingError as error:
            errors[key] = _hiding_error(root, found.skipped, below(root, lost)) or error
    return errors


def _root(path: bytes, known: KnownRoot) -> Root:
    return Root(path, len(known.numbers), list(known.mounts))


def seems_missing(root: bytes, known: KnownRoot) -> bool:
    """Return whether a root that is not scanned now is not there as it was.

    A network share counts as missing: it may hang, and nothing of this run needs it. An overlay, as in a
    container, is local.
    """
    if any(mounts.is_blind(mount.kind) for mount in known.mounts if mount.kind != "overlay"):
        return True
    try:
        check_root(root, _root(root, known))
        if known.numbers and not os.listdir(root):
            return True
    except (PlayshuffleError, OSError):
        return True
    now = current_root(root, 0).mounts
    return any(not any(before.is_same(mount) for mount in now) for before in known.mounts)


def _hiding_error(root: bytes, skipped: Sequence[Skipped], lost: Sequence[bytes]) -> MissingError | None:
    """Return the error for an ignore file that hides most of the lost tracks of a root; None if none does."""
    reasons = {path.rstrip(b"/"): reason for path, reason in skipped}
    # By the ignore file of a folder, or by the path that a pattern excludes.
    counts: Counter[bytes] = Counter()
    for track in lost:
        path = track
        while len(path) > len(root) and path not in reasons:
            path = os.path.dirname(path)
        reason = reasons.get(path, "")
        if reason.startswith(FOLDER_HAS):
            counts[os.path.join(path, os.fsencode(reason.removeprefix(FOLDER_HAS)))] += 1
        elif reason == IGNORED:
            counts[path] += 1
    if 2 * counts.total() <= len(lost):
        return None
    file, count = counts.most_common(1)[0]
    folder, by = os.path.dirname(file), shown(file)
    if os.path.basename(file) not in ignore_files.MARKERS:
        folder, by = file, ignore_files.deciding_line([root], file) or f"An ignore file above {by}"
        count = counts.total()
    return MissingError(
        f"{by} hides {counted(count, 'track')} of the playlist",
        "To keep them, remove it or add --no-ignore-files. To write the playlist without them, add"
        " --allow-shrink.",
        folder,
    )


def check_deal_source(request: Request, target: Target) -> None:
    """Check that a deal does not replace the list that it deals from.

    Raises:
        PlayshuffleError: it does.
    """
    if target.is_file(request.source_file):
        raise PlayshuffleError(
            "A deal into the list that --from names would leave only the dealt tracks in it."
            " Choose another file with -o.",
            Exit.USAGE,
        )


def check_own_list(
    request: Request,
    target: Target | None,
    report: Report,
) -> None:
    """Check that a playlist that is its own source does not lose entries for ever.

    Args:
        request: the playlist.
        target: its file or files, as they are.
        report: has the tracks that are to be in it, and the skipped files.

    Raises:
        PlayshuffleError: entries would be lost.
    """
    if target is None or not target.is_file(request.source_file) or request.allow_shrink:
        return
    written = report.paths()
    lost = set(request.files or ()).union(target.entries()).difference(written)
    if lost:  # the same file may have several names
        kept = set(filter(None, map(_file_id, written)))
        lost = {path for path in lost if _file_id(path) not in kept}
    reasons = {path: reason for path, reason in report.skipped if path in lost}
    reasons |= dict.fromkeys(request.streams, "not a file")
    reasons |= dict.fromkeys(sorted(lost.difference(reasons)), "left out by an option or a default")
    if reasons:
        path, reason = next(iter(reasons.items()))
        raise PlayshuffleError(
            "The list that --from names would be replaced, and lose"
            f" {counted(len(reasons), 'entry', 'entries')}, among them {shown(path)} ({reason}). It was left"
            " as it is. Mount the drive, choose another file with -o, or remove the entries with"
            " --allow-shrink.",
            Exit.MISSING,
        )


def check_files(files: Sequence[bytes], skipped: Sequence[Skipped]) -> None:
    """Check that most of the files that were listed are there.

    Raises:
        PlayshuffleError: most are missing.
    """
    missing_files = [path for path, reason in skipped if reason == MISSING]
    if 2 * len(missing_files) > len(files):
        raise PlayshuffleError(
            f"{len(missing_files):,} of {counted(len(files), 'file')} in --from are missing, such as"
            f" {shown(missing_files[0])}. The playlist was not changed. Mount the drive, or correct the"
            " list.",
            Exit.MISSING,
        )


def _file_id(path: bytes) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _folder_id(path: bytes) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError as error:  # it disappeared during the scan
        raise missing_error(path, os.strerror(error.errno or 0)) from error
    return status.st_dev, status.st_ino


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
