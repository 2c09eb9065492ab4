"""What was remembered and what was found in, an error out where a drive seems to be away.

An absent drive must never empty a playlist. It looks like one of these: a root that is
missing, unreadable or empty though tracks are recorded for it; a mount that is gone, and
tracks with it; more than half of the tracks, and more than 20, gone at once.
"""

import contextlib
import os
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from playshuffle.errors import AwayError, Exit, PlayshuffleError, shown
from playshuffle.library.folder import Skipped
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount


class Root(NamedTuple):
    """What was in a root when it was last seen: its tracks, and the mounts it lay on."""

    path: bytes
    tracks: int
    mounts: list[Mount]


_FEW = 20
_MEANT = "If it is meant, say --allow-shrink."


def check_root(path: bytes, known: Root | None) -> None:
    """See that a root is a folder that can be read.

    Raises:
        PlayshuffleError: it is not; as away, if tracks are recorded for it.
    """
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
        if is_folder:
            os.close(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError as error:
        why = os.strerror(error.errno or 0)
        if known is not None and known.tracks:
            raise away(path, f"{why}; {known.tracks:,} tracks were there") from error
        raise PlayshuffleError(
            f"{shown(path)}: {why}; give a folder that exists and can be read.", Exit.NO_INPUT
        ) from error
    if not is_folder:
        raise PlayshuffleError(
            f"{shown(path)} is a file, not a folder; give the folder that it is in.", Exit.NO_INPUT
        )


def check_tracks(
    known: Root | None,
    root: Root,
    before: Sequence[bytes],
    missing: Sequence[bytes],
    deleted: Collection[bytes] = (),
) -> None:
    """See that a root still holds what it held.

    Args:
        known: the root as it was remembered.
        root: the root as it is now.
        before: paths of the tracks in the last order of the playlist.
        missing: those of them that were not found now.
        deleted: files and folders that were seen to be deleted or moved away, while the root was there.

    Raises:
        PlayshuffleError: tracks went in a way that a drive goes.
    """
    missing = below(root.path, missing)
    # The root is there: whoever deleted it, or what it was in, deleted another one.
    deleted = {path for path in deleted if not (root.path + b"/").startswith(path.rstrip(b"/") + b"/")}
    gone = [path for path in missing if not _is_at_or_below(path, deleted)] if deleted else missing
    is_meant = bool(missing) and not gone
    if known is not None and known.tracks and not root.tracks and not is_meant:
        raise away(root.path, f"no track was found; {known.tracks:,} were there", _MEANT)
    if known is not None and root.mounts:
        real = os.path.realpath(root.path)
        for mount in known.mounts:
            if any(mount.is_same(now) for now in root.mounts):
                continue
            inside = mount.point.rstrip(b"/") + b"/"
            on_it = root.path + b"/" if (real + b"/").startswith(inside) else root.path + inside[len(real) :]
            # Without a last order nobody knows where the missing ones lay.
            is_known = any(map(_inside(root.path), before))
            # Also of those that seem deleted: with an absent mount goes the folder it was on.
            lost = sum(path.startswith(on_it) for path in missing) if is_known else known.tracks - root.tracks
            if lost > 0:
                raise away(
                    root.path,
                    f"{lost:,} tracks are gone, and {shown(mount.point)} is not mounted as it was"
                    f" ({mount.kind}, {shown(mount.source)})",
                    _MEANT,
                )
    if len(gone) > _FEW and 2 * len(gone) > (were := sum(map(_inside(root.path), before))):
        raise away(root.path, f"{len(gone):,} of {were:,} tracks are gone", _MEANT)


def check_unreadable(folder: Skipped, missing: Iterable[bytes]) -> None:
    """See that a folder that cannot be read takes no track along that was played before.

    Raises:
        PlayshuffleError: it does; what is in it is unknown, not gone.
    """
    lost = sum(path.startswith(folder.path) for path in missing)
    if lost:
        raise away(folder.path, f"{folder.reason}; {lost:,} tracks were there", _MEANT)


def now(path: bytes, tracks: int) -> Root:
    """A root as it is now, with the mounts it lies on."""
    return Root(path, tracks, mounts.under(os.path.realpath(path), mounts.table()))


def output(folder: bytes) -> Root:
    """The folder of a playlist as it is now, to be remembered beside the roots; it may be one, too."""
    return Root(folder + b"/", 0, mounts.under(os.path.realpath(folder), mounts.table())[:1])


def check_output(known: Root | None, folder: Root) -> None:
    """See that a playlist would not be written below the place where its drive was mounted.

    Raises:
        PlayshuffleError: the drive is away.
    """
    for before in known.mounts if known is not None else ():
        for now_on in folder.mounts:
            if before.point != now_on.point and before.point.startswith(now_on.point.rstrip(b"/") + b"/"):
                raise away(folder.path, f"{shown(before.point)} is not mounted", _MEANT)


def away(path: bytes, why: str, cure: str = "Mount the drive and try again.") -> AwayError:
    """The error for a root that is not as it was."""
    return AwayError(f"{shown(path)} seems to be away: {why}", cure, path)


def as_root(roots: Iterable[bytes]) -> list[str]:
    """What root should know who works on the folders of somebody else."""
    if os.geteuid() != 0:
        return []
    owners: set[int] = set()
    for root in roots:
        with contextlib.suppress(OSError):  # it went just now
            owners.add(os.stat(root).st_uid)
    return [
        f"You are root, and the music is not root's (user {owner}): what is remembered, and the playlist,"
        " will be root's. Run it as that user; without a login, there is playshuffle@USER.service."
        for owner in sorted(owners - {0})
    ]


def _is_at_or_below(path: bytes, tops: Collection[bytes]) -> bool:
    while len(path) > 1:
        if path in tops:
            return True
        path = path[: path.rfind(b"/")]
    return False


def below(root: bytes, paths: Sequence[bytes]) -> list[bytes]:
    """Those of the paths that lie below a root."""
    return list(filter(_inside(root), paths))


def _inside(root: bytes) -> Callable[[bytes], bool]:
    inside = root.rstrip(b"/") + b"/"
    return lambda path: path.startswith(inside)
