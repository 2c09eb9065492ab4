"""List the written playlists that players do not know of yet.

The service adds an empty file for each playlist to a folder. `playshuffle tell --written` moves the file to a
second folder, and removes it when the player has been told. After a crash it is in either folder.
"""

import contextlib
import os
from hashlib import blake2b

from playshuffle.system import atomic_file
from playshuffle.system.xdg import state_folder

# Folders of entries, below the folder of the state.
WAITING = ("written", "written.taken")
_WRITTEN, _TAKEN = map(str.encode, WAITING)


def make_folders() -> None:
    """Create the two folders; without them nothing is listed."""
    for name in (_WRITTEN, _TAKEN):
        os.makedirs(_folder(name), mode=0o700, exist_ok=True)


def add(playlist: bytes) -> None:
    """Add a written playlist to the list, if the list's folder exists."""
    with contextlib.suppress(OSError):
        path = os.path.join(_folder(_WRITTEN), entry_of(playlist))
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


def take() -> list[bytes]:
    """Move all entries to the second folder; return its entries."""
    entries: set[bytes] = set()
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir(_folder(_WRITTEN)):
            with contextlib.suppress(FileNotFoundError):  # another process took it
                os.replace(os.path.join(_folder(_WRITTEN), name), os.path.join(_folder(_TAKEN), name))
        entries.update(os.listdir(_folder(_TAKEN)))
    return sorted(entries)


def finish(entry: bytes) -> None:
    """Remove a taken entry."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(_folder(_TAKEN), entry))


def entry_of(playlist: bytes) -> bytes:
    """Return the name of the entry of a playlist in both folders."""
    return blake2b(atomic_file.resolved(playlist), digest_size=8).hexdigest().encode()


def _folder(name: bytes) -> bytes:
    return os.path.join(state_folder(make=False), name)
