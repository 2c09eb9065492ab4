"""Sort names as people read them: `track 2` before `track 10`, ignoring case."""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from playshuffle.library.folder import Folder
from playshuffle.ordering.chosen import Chosen
from playshuffle.text import folded

# Alternating texts and numbers, with a text first.
Key = tuple[str | int, ...]


def natural_key(name: bytes | str) -> Key:
    """Return the key that sorts a name naturally."""
    parts = re.split(r"([0-9]+)", folded(os.fsdecode(name)))
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts))


def natural_ranks(chosen: Chosen) -> Sequence[int]:
    """Return the rank of each track by the natural order of its path, name by name.

    Roots keep their order, and so do tracks of one root with equal names.
    """
    keys, paths = chosen.column(_keys), chosen.tracks.paths_of(chosen.indices)
    ends = [row for row in range(1, len(paths)) if paths[row] < paths[row - 1]]
    ranked: list[int] = []
    for start, end in pairwise([0, *ends, len(keys)]):
        ranked += sorted(range(start, end), key=keys.__getitem__)
    return chosen.ranks(ranked)


def _keys(folder: Folder) -> Iterator[tuple[Key, ...]]:
    path = tuple(map(natural_key, folder.path.strip(b"/").split(b"/")))
    return ((*path, natural_key(name)) for name in folder.file_names())
