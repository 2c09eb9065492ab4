"""Sort names as people read them: `track 2` before `track 10`, whatever the case of letters."""

import os
import re
from collections.abc import Iterator

from playshuffle.library.folder import Folder
from playshuffle.library.tracks import Tracks

# Texts and numbers by turns, with a text first.
Key = tuple[str | int, ...]


def natural_key(name: bytes) -> Key:
    """Return what to sort a name by."""
    parts = re.split(r"([0-9]+)", os.fsdecode(name).casefold())
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts))


def natural_ranks(tracks: Tracks) -> list[int]:
    """Return the position of each track by its path, name by name; equal ones stay by path bytes."""
    keys = tracks.column(_keys)
    ranks = [0] * len(keys)
    for rank, index in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        ranks[index] = rank
    return ranks


def _keys(folder: Folder) -> Iterator[tuple[Key, ...]]:
    path = tuple(map(natural_key, folder.path.strip(b"/").split(b"/")))
    return ((*path, natural_key(name)) for name in folder.file_names())
