"""Watch one folder with inotify through watchdog, and detect lost events.

watchdog loses events silently in several ways. Those that can be detected are reported: events that
the kernel dropped, refused watches, an unmounted file system, a dead thread. That needs internals
of watchdog; if they have changed, `hears_losses` is false.
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

# Not those of reading: we would wake ourselves.
_HEARD: list[type[FileSystemEvent]] = [
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


class Listener:
    """Hears what happens in a folder and all below it, but not through links.

    is_short: the kernel has refused a watch because there are too many.
    hears_losses: whether lost events are told.

    Args:
        path: a folder, resolved.
        hear: called in another thread with each hint. It must not raise.
        wake: called in another thread when `is_well` has changed. It must not raise.

    Raises:
        OSError: the folder itself cannot be watched.
    """

    def __init__(self, path: bytes, hear: Callable[[Hint], None], wake: Callable[[], None]) -> None:
        # playshuffle reports these problems in its own words.
        logging.getLogger("watchdog").setLevel(logging.CRITICAL)
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self.is_short = False
        self._wake = wake
        self._has_failed = False
        self._observer = InotifyObserver()
        self._reader: Any = getattr(self._observer, "_inotify_fd", None)
        self.hears_losses = self._attend()
        try:
            self._observer.start()
            self._observer.schedule(_Handler(hear), os.fsdecode(path), recursive=True, event_filter=_HEARD)
            self._tolerate_unknown_watches()
        except BaseException:
            self.close()
            raise

    def is_well(self) -> bool:
        """Return whether all changes were reported so far, and will be."""
        threads = [self._observer, *self._observer.emitters, *filter(None, [self._reader])]
        return not self._has_failed and not self.is_short and all(thread.is_alive() for thread in threads)

    def watches(self) -> int | None:
        """Return the number of folders that the kernel watches; None if that is not known."""
        try:
            with open(f"/proc/self/fdinfo/{self._reader._inotify_fd}", "rb") as file:  # noqa: SLF001 - nowhere else
                return file.read().count(b"inotify wd:")
        except (OSError, AttributeError):
            return None

    def watch_again(self, folder: bytes) -> bool:
        """Set the watches of a folder and all below it again; return whether any was wrong.

        What is made in a folder that is moved the next moment watchdog looks for in the old place,
        does not find, and never watches.
        """
        is_tolerate_unknown_watchesed = False
        for emitter in self._observer.emitters:
            group: Any = getattr(emitter, "_inotify", None)
            with contextlib.suppress(AttributeError, OSError), group._lock:  # noqa: SLF001 - nowhere else
                before = group._active_callbacks_by_watch.copy()  # noqa: SLF001
                group._add_all_callbacks(folder)  # noqa: SLF001
                is_tolerate_unknown_watchesed |= before != group._active_callbacks_by_watch  # noqa: SLF001
        return is_tolerate_unknown_watchesed

    def close(self) -> None:
        """Stop listening; no hint comes afterwards."""
        try:
            self._observer.stop()
        except (LookupError, OSError):  # it stopped half-way, and there is nothing to wait for
            return
        with contextlib.suppress(RuntimeError):  # it was never started
            self._observer.join()

    def _attend(self) -> bool:
        """Look over its shoulder where it reads events and adds watches."""
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
                    self.is_short = True
                    self._wake()
                raise

        self._reader.handle_event = handle_event
        self._reader.add_callback = add_callback
        return True

    def _tolerate_unknown_watches(self) -> None:
        """Make watchdog ignore the removal of a watch that it does not know.

        A folder that is moved out keeps its watch. If another folder takes its name and is deleted, the
        removal of the first watch would end the thread that reads events.
        """
        for emitter in self._observer.emitters:
            group: Any = getattr(emitter, "_inotify", None)
            remove = getattr(group, "_remove_watch_internally", None)
            if remove is not None:
                group._remove_watch_internally = _ignoring_unknown(remove)  # noqa: SLF001 - nowhere else

    def _fail(self) -> None:
        self._has_failed = True
        self._wake()


def _ignoring_unknown(remove: Callable[[int], None]) -> Callable[[int], None]:
    def remove_known(number: int) -> None:
        with contextlib.suppress(LookupError):
            remove(number)

    return remove_known


class _Handler(FileSystemEventHandler):
    """Translate events; skip those that only follow from another."""

    def __init__(self, hear: Callable[[Hint], None]) -> None:
        self._hear = hear

    def dispatch(self, event: FileSystemEvent) -> None:
        if event.is_synthetic:  # what is in a folder that was moved
            return
        source = os.fsencode(event.src_path)
        if isinstance(event, (FileMovedEvent, DirMovedEvent)):
            self._hear(Hint(source, os.fsencode(event.dest_path), event.is_directory))
        elif isinstance(event, (FileDeletedEvent, DirDeletedEvent)):
            self._hear(Hint(source, None, event.is_directory))
        else:
            self._hear(Hint(None, source, event.is_directory))
