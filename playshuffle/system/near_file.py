"""Find the file that a path with a wrong name probably means."""

import os
from difflib import get_close_matches

from playshuffle.system.regular_file import names_in
from playshuffle.text import folded

_CLOSENESS = 0.8
_MOST_NAMES = 10_000  # of a folder; comparing more takes seconds


def near_file(path: bytes, *, is_folder: bool = False) -> bytes | None:
    """Return an existing file or folder whose path is similar to a missing path."""
    near = "/"
    for segment in filter(None, os.fsdecode(path).split("/")):
        name = segment
        if not os.path.lexists(os.path.join(near, name)):
            by_case = {folded(entry): entry for entry in names_in(near)[:_MOST_NAMES]}
            close = get_close_matches(folded(name), by_case, 1, _CLOSENESS)
            if not close:
                return None
            name = by_case[close[0]]
        near = os.path.join(near, name)
    exists = os.path.isdir(near) if is_folder else os.path.isfile(near)
    return os.fsencode(near) if exists else None
