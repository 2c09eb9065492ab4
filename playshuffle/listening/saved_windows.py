"""Save the windows of the lists that feed MPD, and find the lists that feed it now."""

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING
from zlib import crc32

from playshuffle.dealing.fed import Fed, Outcome
from playshuffle.listening.window import Window
from playshuffle.system import atomic_file, lock
from playshuffle.system.xdg import state_folder

if TYPE_CHECKING:
    from playshuffle.service.status_json import Feeding

_PREFIX, _SUFFIX, _LOCK = b"endless-", b".json", b".lock"


def window_file(playlist: bytes) -> bytes:
    """Return the file in which the window of a list is saved; beside it is its lock."""
    # Not hashlib: it loads OpenSSL, and `deal` asks each time whether a list feeds MPD.
    digest = b"%08x%08x" % (crc32(playlist), crc32(playlist[::-1]))
    return os.path.join(state_folder(make=True), _PREFIX + digest + _SUFFIX)


def feeder(playlist: bytes) -> str | None:
    """Return the number of the process that feeds MPD from a list, if any."""
    return lock.holder(window_file(playlist) + _LOCK)


def load_window(path: bytes) -> Window:
    """Return a saved window; an empty one if there is none that can be read."""
    try:
        with open(path, encoding="ascii") as file:
            window = Window(**json.load(file))
        return window._replace(deal=Fed(*window.deal))
    except (OSError, TypeError, ValueError):
        return Window()


def save_window(path: bytes, window: Window) -> None:
    """Replace the saved window."""
    atomic_file.write(path, [json.dumps(window._asdict()).encode()])


def windows() -> Iterator[tuple[Window, int]]:
    """Yield the window of each list that feeds MPD now, and the number of its process."""
    with contextlib.suppress(OSError):
        folder = state_folder(make=False)
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            is_window = name.startswith(_PREFIX) and name.endswith(_SUFFIX)
            if is_window and (process := lock.holder(path + _LOCK)):
                yield load_window(path), int(process)


def notify() -> None:
    """Have all lists that feed MPD deal again, without tracks that they must not have any more."""
    for _, process in windows():
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            os.kill(process, signal.SIGHUP)


def feedings() -> "Iterator[Feeding]":
    """Yield the status of each list that feeds MPD now."""
    for window, process in windows():
        from playshuffle.service.status_json import Feeding  # mostly, no list feeds MPD

        deal, uris = window.deal, [*window.waiting.values(), *window.reserve]
        track = deal.heard + [*window.outcomes.values()].count(Outcome.PLAYED) + 1
        following = os.path.join(window.top, uris[0]) if uris else None
        yield Feeding(window.player, window.playlist, process, track, deal.tracks, deal.round, following)
