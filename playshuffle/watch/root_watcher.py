"""Watch one root in a thread and report changed folders, or that a full rescan is needed.

Each root has a thread, because a call into a file system that hangs may not return for hours, and
the main loop must not wait for it.
"""

import errno
import math
import os
import stat
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from playshuffle.errors import shown
from playshuffle.library.listing import GONE
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount
from playshuffle.watch import limits
from playshuffle.watch.event import Hint, meant
from playshuffle.watch.inotify import Listener
from playshuffle.watch.limits import Mode
from playshuffle.watch.stall import StallClock, activity

_RETRY_S = 3600.0  # until watches are asked for again where there were too few
_REARM_APART_S = 2.0  # while events are being lost, more are
_ARRIVAL_S = 1.0
_HANGS_S = 30.0
_LONGEST_BEAT_S = 10.0  # between two looks at the thread; a longer pause is that of the main loop


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
        self._mode = Mode(root, "missing", "not looked at yet")
        self._last_event: float | None = None
        self._next_count = 0.0
        self._armed_at = 0.0
        self._arrived: set[bytes] = set()
        self._arrived_at = math.inf
        self._is_busy = False
        self._stall = StallClock(_LONGEST_BEAT_S)
        self._is_over = False
        self._mount_changes = 1
        self._mount_changes_seen = 0
        self._poked = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watch {shown(root)}", daemon=True)
        self._thread.start()

    def poke(self, *, mounts_changed: bool = False) -> None:
        """Have it look whether its root is still where it was; to be called regularly."""
        native_id = self._thread.native_id
        if self._is_busy and native_id is not None:
            self._stall.observe(time.monotonic(), activity(native_id))
        else:
            self._stall.reset()
        self._mount_changes += mounts_changed
        self._poked.set()

    def how(self) -> Mode:
        """Return how the root is watched."""
        hangs_s = self.hangs_s
        if hangs_s:
            return self._mode._replace(how="missing", detail=f"no answer for {hangs_s:.0f} s")
        return self._mode._replace(last_event=self._last_event)

    @property
    def hangs_s(self) -> float:
        """Return the seconds that a call into the file system has taken so far; 0 unless they are many."""
        stalled_s = self._stall.stalled_s if self._is_busy else 0.0
        return stalled_s if stalled_s > _HANGS_S else 0.0

    def stop(self) -> None:
        """Tell it to end; `join` waits for that."""
        self._is_over = True
        self._poked.set()

    def join(self, patience_s: float) -> bool:
        """Wait for its end; return False if a call to a file system hangs."""
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
            self._is_busy = True
            self._look()
            self._is_busy = False
        self._disarm()

    def _look(self) -> None:
        mount_changes = self._mount_changes
        place = self._where(mount_changes != self._mount_changes_seen)
        self._mount_changes_seen = mount_changes
        why = self._rescan_reason(place)
        if why is not None:
            self._arm(place)
            self._tell(why)
            return
        if time.monotonic() >= self._arrived_at + _ARRIVAL_S:
            self._watch_arrivals()
        if time.monotonic() >= self._next_count:
            before = self._armed_at, self._mode.how
            self._count(is_fresh=False)
            if before != (self._armed_at, self._mode.how):
                self._tell("lost")

    def _watch_arrivals(self) -> None:
        """Make sure that folders which came are watched, where they are by now."""
        self._arrived_at = math.inf
        arrived = set()
        while self._arrived:  # one by one, for another thread adds to it
            arrived.add(self._arrived.pop())
        above = b"\0"
        for folder in sorted(arrived, key=lambda path: path + b"/"):
            if folder.startswith(above):  # was seen to with that
                continue
            above = folder + b"/"
            listener, place = self._listener, self._place
            if listener is not None and isinstance(place, _Place) and listener.watch_again(folder):
                self._tell(Hint(None, self._named(folder, place), is_folder=True))

    def _where(self, mounts_changed: bool) -> _Place | str:
        try:
            status = os.stat(self._root)
            if not stat.S_ISDIR(status.st_mode):
                return "not a folder"
            if not os.access(self._root, os.R_OK | os.X_OK):
                return "not readable"
            path = os.path.realpath(self._root)
        except OSError as error:
            return "not there" if error.errno in GONE else os.strerror(error.errno or 0)
        old = self._place
        if isinstance(old, _Place) and not mounts_changed and old[:3] == (path, status.st_dev, status.st_ino):
            return old
        return _Place(path, status.st_dev, status.st_ino, tuple(mounts.under(path, mounts.table())))

    def _rescan_reason(self, place: _Place | str) -> str | None:
        """Return why the watches must be set again and the root rescanned."""
        old, listener, now = self._place, self._listener, time.monotonic()
        if old == "":
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
            self._mode = Mode(self._root, "missing", place)
            return
        limit = None
        try:
            self._listener = Listener(place.path, self._hear, self._poked.set)
        except RuntimeError:  # no more threads
            limit = OSError(errno.EAGAIN, "")
        except OSError as error:
            if error.errno in GONE:  # it went while we looked
                self._place = "not there"
                self._mode = Mode(self._root, "missing", "not there")
                return
            limit = error
        self._count(limit)

    def _count(self, refusal: OSError | None = None, *, is_fresh: bool = True) -> None:
        """Compare the folders with the watches that the kernel holds, and say how it is."""
        self._next_count = time.monotonic() + _RETRY_S
        place, listener = self._place, self._listener
        if isinstance(place, str):
            return
        if listener is None:
            number = refusal.errno if refusal is not None else None
            self._mode = limits.refused(self._root, limits.count(place.path), 0, place.mounts, number)
            return
        for _ in range(4):  # of folders made or moved just now watchdog may not know
            folders, watches = limits.count(place.path), listener.watches()
            if watches is None or watches >= folders or listener.is_short:
                break
            time.sleep(0.1)
            if is_fresh:
                listener.watch_again(place.path)
        if watches is None or watches >= folders:
            self._mode = limits.watched(
                self._root, folders, watches, place.mounts, hears_losses=listener.hears_losses
            )
        elif is_fresh:
            number = errno.ENOSPC if listener.is_short else None
            self._mode = limits.refused(self._root, folders, watches, place.mounts, number)
            if listener.is_short:  # whoever else wants to watch something needs them more
                self._disarm()
        else:  # some may have become readable since
            self._arm(place)

    def _disarm(self) -> None:
        self._arrived.clear()
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
        named_hint = hint
        if place.path != self._root:
            named_hint = Hint(
                hint.gone and self._named(hint.gone, place),
                hint.come and self._named(hint.come, place),
                hint.is_folder,
            )
        matters = meant(named_hint, self._root)
        if matters is not None:
            self._last_event = time.time()
            if hint.is_folder and hint.come is not None:
                self._arrived.add(hint.come)
                self._arrived_at = time.monotonic()
            self._tell(matters)

    def _named(self, path: bytes, place: _Place) -> bytes:
        return self._root.rstrip(b"/") + b"/" + path[len(place.path) :].lstrip(b"/")
