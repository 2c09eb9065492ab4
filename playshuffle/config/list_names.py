"""Name lists by their files: `today`, or `Music/today` if several lists have that name.

A file with the default name is called like its folder.
"""

import os
from collections import Counter
from collections.abc import Mapping

PLAIN = "playshuffle"  # the default name of a playlist


def long_name(path: bytes) -> str:
    """Return the names of a file's folder and of the file, without suffix."""
    folder, file = os.path.split(os.fsdecode(path))
    return f"{os.path.basename(folder)}/{os.path.splitext(file)[0]}"


def short_name(path: bytes) -> str:
    """Return the name of a file, without suffix; that of its folder if the file has the default name."""
    folder, _, stem = long_name(path).partition("/")
    return folder if folder and stem == PLAIN else stem


def unique_names(lists: Mapping[bytes, str | None]) -> dict[bytes, str]:
    """Map the file of each list to its shortest name that no other list has.

    `lists` maps each file to the list's name in the configuration, None for other lists.
    """
    names = {path: (name or short_name(path), long_name(path)) for path, name in lists.items()}
    count = Counter(name for both in names.values() for name in {*both})
    return {
        path: lists[path] or next((name for name in both if count[name] == 1), os.fsdecode(path))
        for path, both in names.items()
    }
