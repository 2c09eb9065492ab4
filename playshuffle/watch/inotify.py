"""Watch one folder with inotify through watchdog, and detect lost events.

watchdog loses events silently in several ways. Those that can be detected are reported: events that
the kernel dropped, refused watches, an unmounted file system, a dead thread. This uses internals of
watchdog. If they have changed, `reports_lost_events` is false.
"""

import contextlib
import errno
import logging
import os
import warnings
from collections.abc import Callable
from typing import Any

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.inotify import InotifyObserver

from playshuffle.watch.event import Hint

# Without the events of reading: our own scans would cause them.
_EVENTS: list[type[FileSystemEvent]] = [
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileMovedEvent,
]
_IN_UNMOUNT = 0x2000
_IN_Q_OVERFLOW = 0x4000


class InotifyWatch:
    """Reports the events of a folder and all folders below it, without following links.

    has_too_few_watches: the kernel has refused a watch because there are too many.
    reports_lost_events: whether `is_healthy` is false after lost events.

    Args:
        path: a folder, resolved.
        report: called in another thread with each hint. Must not raise.
        note_failure: called in another thread when `is_healthy` has become false. Must not raise.

    Raises:
        OSError: the folder itself cannot be watched.
    """

    def __init__(self, path: bytes, report: Callable[[Hint], None], note_failure: Callable[[], None]) -> None:
        # playshuffle reports these problems in its own words.
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self.has_too_few_watches = False
        self._note_failure = note_failure
        self._has_failed = False
        self._observer = InotifyObserver()
        self._reader: Any = getattr(self._observer, "_inotify_fd", None)
        self.reports_lost_events = self._detect_lost_events()
        try:
            self._observer.start()
            self._observer.schedule(_Handler(report), os.fsdecode(path), recursive=True, event_filter=_EVENTS)
            self._ignore_unknown_watches()
        except BaseException:
            self.close()
            raise

    def is_healthy(self) -> bool:
        """Return whether no event is known to be lost, and all threads run."""
        threads = [self._observer, *self._observer.emitters, *filter(None, [self._reader])]
        return (
            not self._has_failed
            and not self.has_too_few_watches
            and all(thread.is_alive() for thread in threads)
        )

    def count_watches(self) -> int | None:
        """Return the number of folders that the kernel watches; None if it is not known."""
        try:
            with open(f"/proc/self/fdinfo/{self._reader._inotify_fd}", "rb") as file:  # noqa: SLF001 - nowhere else
                return file.read().count(b"inotify wd:")
        except (OSError, AttributeError):
            return None

    def repair_watches(self, folder: bytes) -> bool:
        """Add the missing watches of a folder and all folders below it; return whether any was wrong.

        If a folder is created in another one that is moved at once, watchdog looks for it at the old path
        and never watches it.
        """
        was_wrong = False
        for emitter in self._observer.emitters:
            inotify: Any = getattr(emitter, "_inotify", None)
            with contextlib.suppress(AttributeError, OSError), inotify._lock:  # noqa: SLF001 - nowhere else
                before = inotify._active_callbacks_by_watch.copy()  # noqa: SLF001
                inotify._add_all_callbacks(folder)  # noqa: SLF001
                was_wrong |= before != inotify._active_callbacks_by_watch  # noqa: SLF001
        return was_wrong

    def close(self) -> None:
        """Stop watching; no hint is reported afterwards."""
        try:
            self._observer.stop()
        except (LookupError, OSError):  # it stopped half-way, so there is nothing to wait for
            return
        with contextlib.suppress(RuntimeError):  # it was never started
            self._observer.join()

    def _detect_lost_events(self) -> bool:
        """Wrap the methods of watchdog that read events and add watches; return whether it has them."""
        try:
            handle, add = self._reader.handle_event, self._reader.add_callback
        except AttributeError:
            return False

        def handle_event(event: Any) -> None:
            if event.mask & (_IN_Q_OVERFLOW | _IN_UNMOUNT):
                self._fail()
            if event.mask & _IN_Q_OVERFLOW:  # watchdog would discard the events before it
                return
            try:
                handle(event)
            except (LookupError, OSError):
                self._fail()

        def add_callback(*args: Any) -> Any:
            try:
                return add(*args)
            except OSError as error:
                if error.errno == errno.ENOSPC:
                    self.has_too_few_watches = True
                    self._note_failure()
                raise

        self._reader.handle_event = handle_event
        self._reader.add_callback = add_callback
        return True

    def _ignore_unknown_watches(self) -> None:
        """Make watchdog ignore the removal of a watch that it does not know.

        A folder that is moved out keeps its watch. If another folder takes its name and is deleted, the
        removal of the first watch would end the thread that reads events.
        """
        for emitter in self._observer.emitters:
            inotify: Any = getattr(emitter, "_inotify", None)
            remove = getattr(inotify, "_remove_watch_internally", None)
            if remove is not None:
                inotify._remove_watch_internally = _ignoring_unknown(remove)  # noqa: SLF001 - nowhere else

    def _fail(self) -> None:
        self._has_failed = True
        self._note_failure()


def _ignoring_unknown(remove: Callable[[int], None]) -> Callable[[int], None]:
    def remove_known(number: int) -> None:
        with contextlib.suppress(LookupError):
            remove(number)

    return remove_known


class _Handler(FileSystemEventHandler):
    """Translates events to hints, without the events that follow from others."""

    def __init__(self, report: Callable[[Hint], None]) -> None:
        self._report = report

    def dispatch(self, event: FileSystemEvent) -> None:
        if event.is_synthetic:  # an event for each file of a folder that was moved
            return
        source = os.fsencode(event.src_path)
        if isinstance(event, (FileMovedEvent, DirMovedEvent)):
            self._report(Hint(source, os.fsencode(event.dest_path), event.is_directory))
        elif isinstance(event, (FileDeletedEvent, DirDeletedEvent)):
            self._report(Hint(source, None, event.is_directory))
        else:
            self._report(Hint(None, source, event.is_directory))
