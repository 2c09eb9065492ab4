"""Where things are remembered, and how a database file is opened.

The places are private (folders 0700, files 0600): names of music are nobody else's business.
"""

import errno
import os
import sqlite3
import time

_WAIT_S = 10  # for another playshuffle that is writing


def place(variable: str, below_home: bytes) -> bytes:
    """Our folder below an XDG base folder, made if need be; a relative base counts as unset.

    Raises:
        OSError: it cannot be made.
    """
    base = os.fsencode(os.environ.get(variable, ""))
    if not base.startswith(b"/"):
        base = os.path.join(os.path.expanduser(b"~"), below_home)
        if not base.startswith(b"/"):
            raise FileNotFoundError(errno.ENOENT, "there is no home folder; set HOME")
    folder = os.path.join(base, b"playshuffle")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def connect(path: bytes) -> sqlite3.Connection:
    """Open a database; the file is made private before a byte is in it.

    Raises:
        OSError: it cannot be opened or made.
    """
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    return sqlite3.connect(os.fsdecode(path), timeout=_WAIT_S)


def set_aside(path: bytes) -> bytes:
    """Rename a damaged database, so that nothing of it is lost, and tell its new name."""
    aside = path + time.strftime(".damaged-%Y-%m-%d-%H%M%S").encode()
    journal = path + b"-journal"
    # First, lest it be rolled back into the next database of that name.
    if os.path.exists(journal):
        os.replace(journal, aside + b"-journal")
    os.replace(path, aside)
    return aside
