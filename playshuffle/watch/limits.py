"""Describe what limits the watching of each root, and how to raise the limits of inotify."""

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
}


class Mode(NamedTuple):
    """How a root is watched.

    how: `events`; `partly` or `polling`, if some or all of it may change without one; `missing`, if it
        cannot be read.
    detail: the reason, unless all is as it should be.
    advice: a command that improves it, if there is one.
    folders, watches: how many folders there are, and how many of them report changes, at the last count.
    last_event: seconds since 1970.
    kind: of file system.
    """

    root: bytes
    how: str
    detail: str = ""
    advice: str = ""
    folders: int = 0
    watches: int = 0
    last_event: float | None = None
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.how} ({self.detail})" if self.detail else self.how


def watched(
    root: bytes, folders: int, watches: int | None, at: Sequence[Mount], *, hears_losses: bool
) -> Mode:
    """Return how a root is watched whose watches are all set.

    at: the mount that the root is on, then those below it.
    """
    mode = Mode(root, "events", "", "", folders, watches or 0, kind=_kind(at))
    if mounts.is_blind(mode.kind):
        return mode._replace(how="polling", detail=mode.kind)
    blind = ", ".join(
        f"{mount.kind} at {shown(mount.point)}" for mount in at[1:] if mounts.is_blind(mount.kind)
    )
    if blind:
        return mode._replace(how="partly", detail=blind)
    return mode if hears_losses else mode._replace(how="partly", detail="lost events are not reported")


def refused(root: bytes, folders: int, watches: int | None, at: Sequence[Mount], number: int | None) -> Mode:
    """Return how a root is watched without all watches.

    number: of the kernel's error, if there was one.
    """
    unknown = "not all watched" if number is None else os.strerror(number)
    limit, advice = _LIMITS.get(number or 0, (unknown, ""))
    detail = limit if number == errno.EMFILE else f"{limit}: {watches or 0} of {folders}"
    how = "partly" if number is None else "polling"
    return Mode(root, how, detail, advice, folders, watches or 0, kind=_kind(at))


def count(top: bytes) -> int:
    """Count the folders that can be watched; a folder mounted in two places counts once."""
    folder_ids = set()
    todo = [top]
    while todo:
        path = todo.pop()
        try:
            with os.scandir(path) as scan:
                todo += [entry.path for entry in scan if entry.is_dir(follow_symlinks=False)]
            status = os.lstat(path)
        except OSError:  # it went, or is not ours to read, nor to watch
            continue
        folder_ids.add((status.st_dev, status.st_ino))
    return len(folder_ids)


def _kind(at: Sequence[Mount]) -> str:
    return at[0].kind if at else ""
