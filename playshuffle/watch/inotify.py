"""Watch one folder with inotify through watchdog, and detect lost events.

watchdog loses events silently. Its observers hide the losses that can be detected (dropped events, refused
watches, an unmounted file system, a dead thread), so this module uses the classes that observers use.
"""

import contextlib
import errno
import logging
import threading
import warnings
from collections.abc import Callable

from watchdog.observers.inotify import InotifyWatchGroup
from watchdog.observers.inotify_c import (
    CallbackId,
    InotifyConstants,
    InotifyEvent,
    InotifyFD,
    Mask,
    WatchCallback,
    WatchDescriptor,
)
from watchdog.observers.inotify_move_event_grouper import PathedInotifyEvent

from playshuffle.watch.event import Hint

# Without the events of reading: our own scans would cause them.
_EVENTS = Mask(
    InotifyConstants.IN_CREATE
    | InotifyConstants.IN_CLOSE_WRITE
    | InotifyConstants.IN_MOVE
    | InotifyConstants.IN_DELETE
    | InotifyConstants.IN_DELETE_SELF
)
_LOST = InotifyConstants.IN_Q_OVERFLOW | InotifyConstants.IN_UNMOUNT


class InotifyWatch:
    """Reports the events of a folder and all folders below it, without following links inside.

    Args:
        path: a folder or a link to one, with a slash at its end.
        report: called in another thread with each hint. Must not raise.
        note_failure: called in another thread when `is_healthy` becomes false. Must not raise.

    Raises:
        OSError: the folder itself cannot be watched.
    """

    def __init__(self, path: bytes, report: Callable[[Hint], None], note_failure: Callable[[], None]) -> None:
        # playshuffle reports these problems in its own words.
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._path = path
        self._report = report
        self.reader = _EventReader(note_failure)
        self.reader.start()
        try:
            self.folders = Folders(self.reader, path, _EVENTS, is_recursive=True)
            self._thread = threading.Thread(target=self._forward, name="forward events", daemon=True)
            self._thread.start()
        except BaseException:
            self._stop_reader()
            raise

    def is_healthy(self) -> bool:
        are_alive = self.reader.is_alive() and self._thread.is_alive()
        return are_alive and not self.reader.has_failed and not self.reader.has_too_few_watches

    def close(self) -> None:
        """Stop watching; no hint is reported afterwards."""
        self.folders.deactivate()
        self._thread.join()
        self._stop_reader()

    def _stop_reader(self) -> None:
        self.reader.stop()
        self.reader.join()

    def _forward(self) -> None:
        while (read := self.folders.read_event()) is not None:
            if not isinstance(read, PathedInotifyEvent):
                (source, old), (_, new) = read
                self._report(Hint(old, new, source.is_directory))
                continue
            event, path = read
            if event.is_delete_self and path == self._path:
                self.reader.fail()  # another folder may have its inode by now
            elif event.is_delete or event.is_moved_from:
                self._report(Hint(path, None, event.is_directory))
            elif event.is_create or event.is_moved_to or event.is_close_write:
                self._report(Hint(None, path, event.is_directory))


class _EventReader(InotifyFD):
    """Reads the events of the kernel. `has_failed` becomes true if some were lost."""

    def __init__(self, note_failure: Callable[[], None]) -> None:
        super().__init__()
        self.has_failed = self.has_too_few_watches = False
        self._note_failure = note_failure

    def handle_event(self, event: InotifyEvent) -> None:
        if event.mask & _LOST:
            self.fail()
        if not event.is_queue_overflow:  # watchdog would discard the events before it
            try:
                super().handle_event(event)
            except (LookupError, OSError, RecursionError):  # it walks trees recursively
                self.fail()

    def add_callback(
        self, path: bytes, mask: Mask, callback: WatchCallback, id_: CallbackId
    ) -> WatchDescriptor:
        try:
            return super().add_callback(path, mask, callback, id_)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                self.has_too_few_watches = True
                self._note_failure()
            raise

    def fail(self) -> None:
        self.has_failed = True
        self._note_failure()


class Folders(InotifyWatchGroup):
    """The watches of a folder and all folders below it."""

    def count(self) -> int:
        with self._lock:  # all folders that must not be read share the number -1
            return len(self._active_callbacks_by_watch.keys() - {-1})

    def repair(self, folder: bytes) -> bool:
        """Add the missing watches of a folder and all folders below it; return whether a watch changed.

        watchdog misses a new folder whose parent is moved at once.
        """
        with self._lock:
            before = self._active_callbacks_by_watch.copy()
            with contextlib.suppress(OSError, RecursionError):
                self._add_all_callbacks(folder)
            return before != self._active_callbacks_by_watch

    def _remove_watch_internally(self, wd: WatchDescriptor) -> None:
        # A folder that is moved out keeps its watch. If another folder takes its name and is deleted, the
        # removal of the first watch would end the thread that reads events.
        with contextlib.suppress(LookupError):
            super()._remove_watch_internally(wd)
