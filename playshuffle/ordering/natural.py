"""Sort names as people read them: `track 2` before `track 10`, whatever the case of letters."""

import os
import re
from collections.abc import Iterator
from itertools import pairwise

from playshuffle.library.folder import Folder
from playshuffle.library.tracks import Tracks

# Texts and numbers by turns, with a text first.
Key = tuple[str | int, ...]


def natural_key(name: bytes) -> Key:
    """Return what to sort a name by."""
    parts = re.split(r"([0-9]+)", os.fsdecode(name).casefold())
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts))


def natural_ranks(tracks: Tracks) -> list[int]:
    """Return the position of each track by its path, name by name; equal ones stay by path bytes.

    The roots stay in the order in which they were given: the tracks of each are in the order of path bytes.
    """
    keys = tracks.column(_keys)
    ends = [index for index in range(1, len(keys)) if tracks.paths[index] < tracks.paths[index - 1]]
    ranked: list[int] = []
    for start, end in pairwise([0, *ends, len(keys)]):
        ranked += sorted(range(start, end), key=keys.__getitem__)
    ranks = [0] * len(keys)
    for rank, index in enumerate(ranked):
        ranks[index] = rank
    return ranks


def _keys(folder: Folder) -> Iterator[tuple[Key, ...]]:
    path = tuple(map(natural_key, folder.path.strip(b"/").split(b"/")))
    return ((*path, natural_key(name)) for name in folder.file_names())
