"""Where the folders of this user are, by the standard of XDG.

The places are private (folders 0700, files 0600): names of music are nobody else's business.
"""

import errno
import os


def place(variable: str, below_home: bytes, *, make: bool = True) -> bytes:
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
    if make:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder
