"""Find folders whose listing is outdated, because a file was moved during the scan.

A scan lists one folder after the other. A file that moves meanwhile may appear at two paths, or at none, and
its rename would not be recognised. The same happens without any move during the scan, if the service scans
the folders of a batch of events: the batch may have only one of the two folders of a move.
"""

import os
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from playshuffle.library.folder import GONE, Folder
from playshuffle.library.listing import fits


def outdated_folders(
    folders: Sequence[Folder], last_folders: Mapping[bytes, Folder], other_inodes: Collection[int]
) -> tuple[frozenset[bytes], frozenset[int]]:
    """Return the paths of folders that list a file at a path it has left, and the inodes of moved files.

    Args:
        other_inodes: inodes of further files that may have left their path of the earlier scan.
    """
    new_inodes: set[int] = set()
    for folder in folders if last_folders else ():
        before = last_folders.get(folder.path)
        if folder is not before:
            new_inodes.update(inode for _, inode in _rows(folder) - _rows(before))
    candidates = new_inodes.union(other_inodes)
    if not candidates:
        return frozenset(), frozenset()
    inodes = array("q", b"".join([folder.stamps for folder in folders]))[3::4]
    at_two_paths = _repeated(filter(candidates.__contains__, inodes))
    paths = frozenset(folder.path for folder in folders if at_two_paths and _has_left(folder, at_two_paths))
    return paths, frozenset(new_inodes | at_two_paths)


def _rows(folder: Folder | None) -> set[tuple[bytes, int]]:
    return {*zip(folder.file_names(), folder.stamp_column(3), strict=True)} if folder is not None else set()


def _repeated(numbers: Iterable[int]) -> set[int]:
    return {number for number, count in Counter(numbers).items() if count > 1}


def _has_left(folder: Folder, inodes: Collection[int]) -> bool:
    return any(
        inode in inodes and not _is_at(folder.path + name, inode)
        for name, inode in zip(folder.file_names(), folder.stamp_column(3), strict=True)
    )


def _is_at(path: bytes, inode: int) -> bool:
    """Return whether a file is still at a path; True if unknown."""
    try:
        return fits(os.stat(path).st_ino) == inode
    except OSError as error:
        return error.errno not in GONE
