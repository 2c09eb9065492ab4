"""Describe how well each root is watched, and how to raise the limits of inotify."""

import contextlib
import errno
import os
from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.errors import shown
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount

_LIMITS = {
    errno.ENOSPC: ("watch limit", "sysctl fs.inotify.max_user_watches=524288"),
    errno.EMFILE: ("limit of inotify instances", "sysctl fs.inotify.max_user_instances=1024"),
    errno.ENOPKG: ("unknown version of watchdog", ""),
}


class Mode(NamedTuple):
    """How a root is watched.

    Attributes:
        state: `events`, `partly` or `polling` if all, some or no folders report changes; or `missing`.
        detail: the reason, unless the state is `events`.
        last_event: Unix time in whole seconds.
        has_counts: str() adds `folders` and `watches` to the reason.
    """

    root: bytes
    state: str
    detail: str = ""
    advice: str = ""
    folders: int = 0
    watches: int = 0
    last_event: int | None = None
    file_system: str = ""
    has_counts: bool = False

    def __str__(self) -> str:
        counts = f": {self.watches} of {self.folders}" if self.has_counts else ""
        return f"{self.state} ({self.detail}{counts})" if self.detail else self.state


def mode_of(
    root: bytes, folders: int, watches: int, mounted: Sequence[Mount], error_number: int | None = None
) -> Mode:
    """Return how a root is watched.

    `mounted` has its mount, then the mounts below it. `error_number` is the kernel's for a refused watch.
    """
    mode = Mode(root, "events", "", "", folders, watches, file_system=mounted[0].kind if mounted else "")
    if error_number is not None or watches < folders:
        unknown = "not all watched" if error_number is None else os.strerror(error_number)
        limit, advice = _LIMITS.get(error_number or 0, (unknown, ""))
        return mode._replace(
            state="partly" if error_number is None else "polling",
            detail=limit,
            advice=advice,
            has_counts=error_number != errno.EMFILE,
        )
    if mounts.is_blind(mode.file_system):
        return mode._replace(state="polling", detail=mode.file_system)
    blind = ", ".join(
        f"{mount.kind} at {shown(mount.point)}" for mount in mounted[1:] if mounts.is_blind(mount.kind)
    )
    return mode._replace(state="partly", detail=blind) if blind else mode


def count_folders(top: bytes) -> int:
    """Count the folders that can be watched; a folder mounted twice counts once."""
    folder_ids = set()
    todo = [top]
    while todo:  # too deep for the recursion of os.walk
        path = todo.pop()
        with contextlib.suppress(OSError):  # it was removed, or cannot be read, so it needs no watch
            with os.scandir(path) as scan:
                todo += [entry.path for entry in scan if entry.is_dir(follow_symlinks=False)]
            status = os.lstat(path)
            folder_ids.add((status.st_dev, status.st_ino))
    return len(folder_ids)
