"""Find folders that were listed before a file left them for a folder that was listed later.

A scan lists one folder after the other, and an update only some of them, while files are moved between
them. Then one track is at two paths and another one at none, and who compares that with the last order
takes tracks for each other.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from playshuffle.library.folder import Folder
from playshuffle.library.listing import fits


class Contradiction(NamedTuple):
    """The folders that must be listed again, and the inodes of the files that came to other paths."""

    folders: frozenset[bytes] = frozenset()
    came: frozenset[int] = frozenset()


def contradicted(
    folders: Collection[Folder], known: Mapping[bytes, Folder], replaced: Collection[int]
) -> Contradiction:
    """Return the folders that have a file which came to another path.

    Args:
        folders: as they were just found.
        known: folders of an earlier scan by path. Without any, no order can be mistaken.
        replaced: inodes of known files whose paths have other files, which are being written.
    """
    came: set[int] = set()
    for folder in folders if known else ():
        before = known.get(folder.path)
        if folder is not before:
            came.update(inode for _, inode in _rows(folder) - _rows(before))
    moved = came.union(replaced)
    if not moved:
        return Contradiction()
    at_two_paths = _repeated(
        inode for folder in folders for inode in folder.stamp_column(3) if inode in moved
    )
    left = frozenset(folder.path for folder in folders if at_two_paths and _has_left(folder, at_two_paths))
    return Contradiction(left, frozenset(came | at_two_paths))


def _rows(folder: Folder | None) -> set[tuple[bytes, int]]:
    return {*zip(folder.file_names(), folder.stamp_column(3), strict=True)} if folder is not None else set()


def _repeated(numbers: Iterable[int]) -> set[int]:
    return {number for number, count in Counter(numbers).items() if count > 1}


def _has_left(folder: Folder, inodes: Collection[int]) -> bool:
    """Return whether a file with one of these inodes is not at its path any more."""
    return any(
        inode in inodes and _inode(folder.path + name) != inode
        for name, inode in zip(folder.file_names(), folder.stamp_column(3), strict=True)
    )


def _inode(path: bytes) -> int | None:
    try:
        return fits(os.stat(path).st_ino)
    except OSError:
        return None
