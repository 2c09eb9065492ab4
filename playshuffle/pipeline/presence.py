"""Check that no root is missing, so that an absent drive never empties a playlist."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from playshuffle.errors import Exit, MissingError, PlayshuffleError, shown
from playshuffle.library import ignore_files
from playshuffle.library.folder import Skipped
from playshuffle.library.identity import same_ends
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
from playshuffle.library.scan import Library
from playshuffle.library.tracks import Tracks
from playshuffle.library.walk import Changes
from playshuffle.pipeline.deck_history import DeckHistory
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.target import Target
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.text import counted

KnownRoot = Callable[[bytes], Root | None]


def root_lookup(request: Request, state: State) -> KnownRoot:
    """Return a function that returns a root as the playlist of a request found it last."""
    playlist = atomic_file.resolved(request.output) if request.output is not None else b""
    return partial(state.root, playlist=playlist)


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
    renamed: Collection[bytes] = (),
) -> tuple[list[Root], list[MissingError]]:
    """Return the roots that hold what they held, and an error for each that seems to be missing.

    Args:
        roots: that were scanned.
        library: the tracks found below them.
        root_of: returns a root as it was remembered.
        expected: tracks that should be there; None if nothing can be missing.
        deleted: files and folders that were seen to be deleted, while their root was there.
        renamed: expected tracks that are found under other names.
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
    lost = [path for path in _lost(expected, tracks.paths) if path not in renamed] if expected else []
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
            missing.append(_hiding_error(root.path, library.skipped, below(root.path, lost)) or error)
    return present, missing


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


def expected_tracks(
    target: Target | None, history: DeckHistory | None, tracks: Tracks
) -> Sequence[bytes] | None:
    """Return the tracks that should be there; None if they are all there."""
    if history is not None:
        known = history.deck.tracks
        return None if known and known.issubset(tracks.paths) else list(known)
    if target is None:
        return []
    if target.last is not None and target.last.library == tracks.digest:
        return None
    return target.last_tracks


def renamed_tracks(target: Target | None, tracks: Tracks, changes: Changes) -> frozenset[bytes]:
    """Return the former paths of tracks of the last order that are found under other names."""
    remembered = target.remembered if target is not None else None
    if target is None or remembered is None:
        return frozenset()
    lost = _lost(target.last_tracks, tracks.paths)
    if not lost:
        return frozenset()
    absent = target.identity(remembered, tracks, changes.moved).absent
    return frozenset(lost).difference(remembered.paths[old] for old in absent)


def present_tracks(target: Target | None, tracks: Tracks, changes: Changes) -> frozenset[bytes]:
    """Return the present paths of the tracks that the last order had, without vanished ones."""
    remembered = target.remembered if target is not None else None
    if target is None or remembered is None:
        return frozenset()
    now = target.identity(remembered, tracks, changes.moved).now
    return frozenset(
        tracks.paths[index]
        for old, index in enumerate(now)
        if index is not None and old not in remembered.gone
    )


def check_deal_source(request: Request, target: Target) -> None:
    """Check that a deal does not replace the list that it deals from.

    Raises:
        PlayshuffleError: it does.
    """
    if target.holds(request.source_file):
        raise PlayshuffleError(
            "A deal into the list that --from names would leave only the dealt tracks in it."
            " Choose another file with -o.",
            Exit.USAGE,
        )


def check_own_list(
    request: Request,
    target: Target | None,
    skipped: Sequence[Skipped],
    written: Collection[bytes],
) -> None:
    """Check that a playlist that is its own source does not lose entries for ever.

    Args:
        request: the playlist.
        target: its file or files, as they are.
        skipped: entries that cannot be used, with the reasons.
        written: the tracks that are to be in it.

    Raises:
        PlayshuffleError: entries would be lost.
    """
    if target is None or not target.holds(request.source_file) or request.allow_shrink:
        return
    lost = set(request.files or ()).union(target.entries()).difference(written)
    if lost:  # the same file may have several names
        kept = set(filter(None, map(_file_id, written)))
        lost = {path for path in lost if _file_id(path) not in kept}
    reasons = {path: reason for path, reason in skipped if path in lost}
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
