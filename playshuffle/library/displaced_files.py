"""Remove growing files that are known as a file which was found under another path.

A growing file keeps the known row of its path. If two files exchanged their names, this row is that of
the other one, which the same walk may find where it is now: one file would be at two paths. Without the
row, the growing file is absent until it is complete. Then it returns to its position.
"""

from collections.abc import Collection, Sequence
from itertools import chain

from playshuffle.library.folder import Folder


def without_displaced(roots: Sequence[list[Folder]], replaced: Collection[bytes]) -> list[list[Folder]]:
    """Return the folders without those rows whose known file was found under another path.

    Inode numbers are enough to compare: if another file has the number by now, the cost is a short absence.

    Args:
        roots: the folders that were found, by root.
        replaced: paths of growing files that have the known row of another inode.
    """
    above = {path[: path.rfind(b"/") + 1] for path in replaced}
    kept = {
        path: file
        for folder in chain(*roots)
        if folder.path in above
        for path, file in zip(folder.file_paths(), folder.files(), strict=True)
        if path in replaced
    }
    inodes = {inode for _, inode in kept.values()}
    found = {
        file
        for folder in chain(*roots)
        if not inodes.isdisjoint(folder.stamp_column(3))
        for path, file in zip(folder.file_paths(), folder.files(), strict=True)
        if path not in kept
    }
    displaced = {path for path, file in kept.items() if file in found}
    above = {path[: path.rfind(b"/") + 1] for path in displaced}
    return [
        [folder.without_files(displaced) if folder.path in above else folder for folder in folders]
        for folders in roots
    ]
