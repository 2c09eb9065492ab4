"""Watch one root in a thread and report changed folders, or that a full scan is needed."""

import errno
import math
import os
import stat
import time
from collections.abc import Callable
from typing import NamedTuple

from playshuffle.errors import shown
from playshuffle.library.folder import GONE
from playshuffle.system import mounts
from playshuffle.system.mounts import Mount
from playshuffle.watch import limits
from playshuffle.watch.checker import Checker
from playshuffle.watch.event import Hint, relevant_part
from playshuffle.watch.limits import Mode
from playshuffle.watch.stall import StallClock, activity

try:
    from playshuffle.watch.inotify import InotifyWatch
except ImportError:  # other internals of watchdog: a call fails, and roots are polled
    InotifyWatch = None  # type: ignore[assignment, misc]

# Time until all watches are set again, since folders may have become readable. This is the hourly scan.
_RENEWAL_INTERVAL_S = 3590.0
_RESTART_INTERVAL_S = 2.0  # after lost events more are lost, so wait before the watches are set again
_NEW_FOLDER_DELAY_S = 1.0  # until new folders are checked for missing watches
_STALLED_AFTER_S = 30.0
_MAX_CHECK_INTERVAL_S = 10.0  # a longer pause between two checks is the main loop's


class _Location(NamedTuple):
    """Where a root is, to notice mounts and replaced folders."""

    path: bytes
    device: int
    inode: int
    mounts: tuple[Mount, ...]


class RootWatcher(Checker):
    """Watches one root, also after it was missing or replaced.

    Args:
        root: absolute, without a slash at its end; it need not exist.
        report: called in another thread with a `Hint`, or with the reason for a full scan: `start`, `root`,
            `mounts`, `lost`, `poll` or `hourly`. Must not raise.
    """

    def __init__(self, root: bytes, report: Callable[[Hint | str], None]) -> None:
        self._root = root
        self._top = root.rstrip(b"/") + b"/"
        self._report = report
        self._location: _Location | str = ""  # or why the root cannot be read
        self._inotify: InotifyWatch | None = None
        self._mode = Mode(root, "missing", "not checked yet")
        self._last_event: int | None = None
        self._watched_since = 0.0
        self._new_folders: set[bytes] = set()
        self._last_new_folder = math.inf
        self._is_busy = False
        self._stall = StallClock(_MAX_CHECK_INTERVAL_S)
        self._have_mounts_changed = True
        super().__init__(f"watch {shown(root)}")

    def check(self, *, mounts_changed: bool = False) -> None:
        native_id = self._thread.native_id
        if self._is_busy and native_id is not None:
            self._stall.observe(time.monotonic(), activity(native_id))
        else:
            self._stall.reset()
        self._have_mounts_changed |= mounts_changed
        super().check()

    def mode(self) -> Mode:
        stalled_s = self.stalled_s
        if stalled_s:
            return self._mode._replace(state="missing", detail=f"no answer for {stalled_s:.0f} s")
        return self._mode._replace(last_event=self._last_event)

    @property
    def stalled_s(self) -> float:
        """Return how long a call into the file system has hung; 0 if for less than 30 s."""
        stalled_s = self._stall.stalled_s if self._is_busy else 0.0
        return stalled_s if stalled_s > _STALLED_AFTER_S else 0.0

    def _check(self) -> None:
        self._is_busy = True
        are_mounts_known, self._have_mounts_changed = not self._have_mounts_changed, False
        location = self._find_location(are_mounts_known=are_mounts_known)
        why = self._full_scan_reason(location)
        if why is not None:
            self._set_watches(location)
            self._report(why)
        elif time.monotonic() >= self._last_new_folder + _NEW_FOLDER_DELAY_S:
            self._check_new_folders()
        self._is_busy = False

    def _check_new_folders(self) -> None:
        self._last_new_folder = math.inf
        # One by one, because another thread adds to it.
        new = {self._new_folders.pop() for _ in range(len(self._new_folders))}
        for folder in new:
            # A folder in another new folder is repaired with it.
            is_first = folder.rpartition(b"/")[0] not in new
            if is_first and self._inotify is not None and self._inotify.folders.repair(folder):
                self._report(Hint(None, folder, is_folder=True))

    def _find_location(self, *, are_mounts_known: bool) -> _Location | str:
        try:
            status = os.stat(self._root)
            if not stat.S_ISDIR(status.st_mode):
                return "not a folder"
            if not os.access(self._root, os.R_OK | os.X_OK):
                return "not readable"
            path = os.path.realpath(self._root)
        except OSError as error:
            return "not there" if error.errno in GONE else os.strerror(error.errno or 0)
        old = self._location
        if (
            isinstance(old, _Location)
            and are_mounts_known
            and old[:3] == (path, status.st_dev, status.st_ino)
        ):
            return old
        return _Location(path, status.st_dev, status.st_ino, tuple(mounts.under(path, mounts.table())))

    def _full_scan_reason(self, location: _Location | str) -> str | None:
        old, inotify, age_s = self._location, self._inotify, time.monotonic() - self._watched_since
        if old == "":
            return "start"
        if location != old:
            if isinstance(location, str) or isinstance(old, str) or location.mounts == old.mounts:
                return "root"
            return "mounts"
        if isinstance(location, str):
            return None
        if inotify is not None and not inotify.is_healthy() and age_s >= _RESTART_INTERVAL_S:
            return "poll" if inotify.reader.has_too_few_watches else "lost"
        return "hourly" if age_s >= _RENEWAL_INTERVAL_S else None

    def _set_watches(self, location: _Location | str) -> None:
        self._close()
        self._location = location
        self._watched_since = time.monotonic()
        if isinstance(location, str):
            self._mode = Mode(self._root, "missing", location)
            return
        error_number: int | None = None
        try:
            self._inotify = InotifyWatch(self._top, self._report_event, self._check_requested.set)
        except (AttributeError, TypeError):  # other internals of watchdog
            error_number = errno.ENOPKG
        except RuntimeError:  # no more threads
            error_number = errno.EAGAIN
        except OSError as error:
            if error.errno in GONE:  # removed since `_find_location`
                self._set_watches("not there")
                return
            error_number = error.errno
        folders, watches = self._count_watches(location.path)
        if self._inotify is not None and self._inotify.reader.has_too_few_watches:
            error_number = errno.ENOSPC
            self._close()  # leave them to other programs: this root must be polled anyway
        self._mode = limits.mode_of(self._root, folders, watches, location.mounts, error_number)

    def _count_watches(self, path: bytes) -> tuple[int, int]:
        inotify = self._inotify
        for _ in range(4):  # watchdog may not know the latest folders yet
            folders, watches = limits.count_folders(path), 0 if inotify is None else inotify.folders.count()
            if inotify is None or watches >= folders or inotify.reader.has_too_few_watches:
                break
            time.sleep(0.1)
            inotify.folders.repair(self._top)
        return folders, watches

    def _close(self) -> None:
        self._new_folders.clear()
        inotify, self._inotify = self._inotify, None
        if inotify is not None:
            inotify.close()

    def _report_event(self, hint: Hint) -> None:
        if (relevant := relevant_part(hint, self._root)) is not None:
            self._last_event = int(time.time())
            if relevant.is_folder and relevant.present is not None:
                self._new_folders.add(relevant.present)
                self._last_new_folder = time.monotonic()
            self._report(relevant)
