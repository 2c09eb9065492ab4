"""One root in, hints and the word that all of it must be looked at out; and how it is watched.

A thread of its own sees to each root, for a call into a file system that hangs comes back when
it likes, and the main loop must not wait for that.
"""

import errno
import os
import stat
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from playshuffle import mounts
from playshuffle.errors import shown
from playshuffle.hint import Hint, meant
from playshuffle.listener import Listener
from playshuffle.listing import GONE
from playshuffle.mounts import Mount

_RETRY_S = 3600.0  # until watches are asked for again where there were too few
_REARM_APART_S = 2.0  # while events are being lost, more are
_HANGS_S = 30.0
_LIMITS = {
    errno.ENOSPC: ("watch limit", "sysctl fs.inotify.max_user_watches=524288"),
    errno.EMFILE: ("limit of inotify instances", "sysctl fs.inotify.max_user_instances=1024"),
}


class Mode(NamedTuple):
    """How a root is watched.

    how: `events` for all of it, `partly` for some, `polling` for none, `away` if it cannot be read.
    detail: the reason, unless all is as it should be.
    advice: what to do about it, if there is something.
    folders: how many there are, and of how many the kernel tells us, at the last count.
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


class _Place(NamedTuple):
    """Where a root is; another file system or another folder of its name is another place."""

    path: bytes
    device: int
    inode: int
    mounts: tuple[Mount, ...]


class Sentry:
    """Keeps one root watched, whatever becomes of it.

    Args:
        root: an absolute path without a slash at its end; it need not be there.
        tell: called in another thread, with a hint, or with the reason to look at everything:
            `start` once it is first watched, then `root`, `mounts`, `lost` or `poll`. Must not raise.
    """

    def __init__(self, root: bytes, tell: Callable[[Hint | str], None]) -> None:
        self._root = root
        self._tell = tell
        self._place: _Place | str = ""  # or why there is none
        self._listener: Listener | None = None
        self._mode = Mode(root, "away", "not looked at yet")
        self._last_event: float | None = None
        self._next_count = 0.0
        self._armed_at = 0.0
        self._busy_since: float | None = None
        self._has_started = False
        self._is_over = False
        self._mounts_changed = True
        self._poked = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watch {shown(root)}", daemon=True)
        self._thread.start()

    def poke(self, *, mounts_changed: bool = False) -> None:
        """Have it look whether its root is still where it was."""
        self._mounts_changed |= mounts_changed
        self._poked.set()

    def mode(self) -> Mode:
        """How the root is watched."""
        busy_since = self._busy_since
        if busy_since is not None and time.monotonic() - busy_since > _HANGS_S and self._mode.how == "away":
            return self._mode._replace(detail="it does not answer")
        return self._mode._replace(last_event=self._last_event)

    @property
    def has_started(self) -> bool:
        """Whether the watches are set, or it is known that they cannot be; or that takes too long."""
        busy_since = self._busy_since
        is_stuck = busy_since is not None and time.monotonic() - busy_since > _HANGS_S
        return self._has_started or is_stuck

    def stop(self) -> None:
        """Tell it to end; `join` waits for that."""
        self._is_over = True
        self._poked.set()

    def join(self, patience_s: float) -> bool:
        """Wait for its end; False if a file system does not let go of it."""
        self._thread.join(max(0.0, patience_s))
        return not self._thread.is_alive()

    def _run(self) -> None:
        self._poked.set()
        while True:
            is_well = self._listener is None or self._listener.is_well()
            self._poked.wait(None if is_well else _REARM_APART_S)
            self._poked.clear()
            if self._is_over:
                break
            self._busy_since = time.monotonic()
            self._look()
            self._busy_since = None
        self._disarm()

    def _look(self) -> None:
        mounts_changed, self._mounts_changed = self._mounts_changed, False
        place = self._where(mounts_changed)
        why = self._why_anew(place)
        if why is not None:
            self._arm(place)
            self._has_started = True
            self._tell(why)
        elif time.monotonic() >= self._next_count:
            before = self._armed_at, self._mode.how
            self._count(is_fresh=False)
            if before != (self._armed_at, self._mode.how):
                self._tell("lost")

    def _where(self, mounts_changed: bool) -> _Place | str:
        try:
            here = os.stat(self._root)
            if not stat.S_ISDIR(here.st_mode):
                return "not a folder"
            if not os.access(self._root, os.R_OK | os.X_OK):
                return "not readable"
            path = os.path.realpath(self._root)
        except OSError as error:
            return "not there" if error.errno in GONE else os.strerror(error.errno or 0)
        old = self._place
        if isinstance(old, _Place) and not mounts_changed and old[:3] == (path, here.st_dev, here.st_ino):
            return old
        return _Place(path, here.st_dev, here.st_ino, tuple(mounts.under(path, mounts.table())))

    def _why_anew(self, place: _Place | str) -> str | None:
        """Why the watches must be set anew, and all be looked at."""
        old, listener, now = self._place, self._listener, time.monotonic()
        if not self._has_started:
            return "start"
        if place != old:
            if isinstance(place, str) or isinstance(old, str) or place.mounts == old.mounts:
                return "root"
            return "mounts"
        if listener is not None and not listener.is_well():
            if now >= self._armed_at + _REARM_APART_S:
                return "poll" if listener.is_short else "lost"
        elif listener is None and isinstance(place, _Place) and now >= self._next_count:
            return "poll"
        return None

    def _arm(self, place: _Place | str) -> None:
        self._disarm()
        self._place = place
        now = self._armed_at = time.monotonic()
        self._next_count = now + _RETRY_S
        if isinstance(place, str):
            self._mode = Mode(self._root, "away", place)
            return
        limit = None
        try:
            self._listener = Listener(place.path, self._hear, self._poked.set)
        except RuntimeError:  # no more threads
            limit = OSError(errno.EAGAIN, "")
        except OSError as error:
            if error.errno in GONE:  # it went while we looked
                self._place = "not there"
                self._mode = Mode(self._root, "away", "not there")
                return
            limit = error
        self._count(limit)

    def _count(self, refusal: OSError | None = None, *, is_fresh: bool = True) -> None:
        """Compare the folders with the watches that the kernel holds, and say how it is."""
        self._next_count = time.monotonic() + _RETRY_S
        place, listener = self._place, self._listener
        if not isinstance(place, _Place):
            return
        folders, watches = _folders(place.path), listener.watches() if listener is not None else 0
        for _ in range(3):  # of folders just made watchdog may not know yet
            if watches is None or watches >= folders or listener is None or listener.is_short:
                break
            time.sleep(0.1)
            folders, watches = _folders(place.path), listener.watches()
        kind = place.mounts[0].kind if place.mounts else ""
        mode = Mode(self._root, "events", "", "", folders, watches or 0, kind=kind)
        below = [mount for mount in place.mounts[1:] if mounts.is_blind(mount.kind)]
        if refusal is not None or (watches is not None and watches < folders):
            is_short = listener is not None and listener.is_short
            if not is_fresh:  # some may have become readable
                self._arm(place)
                return
            number = errno.ENOSPC if is_short else refusal.errno or 0 if refusal is not None else 0
            limit, advice = _LIMITS.get(number, (os.strerror(number) if number else "not all watched", ""))
            detail = limit if number == errno.EMFILE else f"{limit}: {watches} of {folders}"
            mode = mode._replace(how="polling", detail=detail, advice=advice)
            self._disarm()  # who else wants to watch something needs them more
        elif mounts.is_blind(kind):
            mode = mode._replace(how="polling", detail=kind)
        elif below:
            places = ", ".join(f"{mount.kind} at {shown(mount.point)}" for mount in below)
            mode = mode._replace(how="partly", detail=places)
        elif listener is not None and not listener.hears_losses:
            mode = mode._replace(how="partly", detail="lost events are not told")
        self._mode = mode

    def _disarm(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            listener.close()

    def _hear(self, hint: Hint) -> None:
        """Take a hint, in a thread of watchdog, with the path under the name the root was given."""
        place = self._place
        if isinstance(place, str):
            return
        if place.path in (hint.gone, hint.come):
            self._poked.set()
            return
        named = hint
        if place.path != self._root:
            named = hint._replace(gone=self._named(hint.gone, place), come=self._named(hint.come, place))
        matters = meant(named, self._root)
        if matters is not None:
            self._last_event = time.time()
            self._tell(matters)

    def _named(self, path: bytes | None, place: _Place) -> bytes | None:
        return path and self._root.rstrip(b"/") + b"/" + path[len(place.path) :].lstrip(b"/")


def _folders(top: bytes) -> int:
    """How many folders there are that can be watched; one that is mounted in two places is one."""
    seen = set()
    todo = [top]
    while todo:
        path = todo.pop()
        try:
            with os.scandir(path) as scan:
                todo += [entry.path for entry in scan if entry.is_dir(follow_symlinks=False)]
            here = os.lstat(path)
        except OSError:  # it went, or is not ours to read, nor to watch
            continue
        seen.add((here.st_dev, here.st_ino))
    return len(seen)
