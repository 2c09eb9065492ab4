"""Check which known folders have not changed.

Most of the work of a second run is to stat each folder and each known file.
"""

import os
from collections.abc import Container, Iterable
from functools import partial
from operator import eq
from struct import iter_unpack

from playshuffle.library.folder import Folder
from playshuffle.library.listing import Look, digest, file_stamp
from playshuffle.system import mounts
from playshuffle.system.workers import Workers

_SEEN_EVERY = 16  # folders

# The clocks of other file systems are coarse, or run elsewhere, or a folder has its own stamps.
_FINE_STAMPS = frozenset(("btrfs", "ext4", "xfs", "zfs"))


def unchanged(folders: Iterable[Folder], look: Look) -> dict[bytes, Folder]:
    """Return, by path, the plain folders (`is_plain`) whose content and device have not changed."""
    plain = [folder for folder in folders if folder.is_plain]
    is_unchanged = partial(_is_unchanged, _with_fine_stamps(plain), look.workers)
    same = {}
    files = 0
    answers = look.workers.each(is_unchanged, plain)
    for number, (folder, is_same) in enumerate(zip(plain, answers, strict=True)):
        if is_same:
            same[folder.path] = folder
        files += folder.track_count
        if number % _SEEN_EVERY == 0:
            look.report(files)
    return same


def _with_fine_stamps(folders: Iterable[Folder]) -> frozenset[int]:
    """Return devices whose file systems change a folder's stamps with each change of a name."""
    samples: dict[int, Folder] = {}
    for folder in folders:
        if folder.is_settled:
            samples.setdefault(folder.device, folder)
    kinds = (mounts.device_kind(folder.path) for folder in samples.values())
    return frozenset(kind[0] for kind in kinds if kind is not None and kind[1] in _FINE_STAMPS)


def _is_unchanged(fine_devices: Container[int], workers: Workers, folder: Folder) -> bool:
    path = folder.path
    try:
        status = os.stat(path)
        if folder[1:5] != (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns):
            return False
        # Within one tick of the clock a folder may change twice.
        is_same = folder.is_settled and folder.device in fine_devices
        if not is_same and digest(os.listdir(path)) != folder.digest:
            return False
        files = workers.each(os.lstat, folder.file_paths())
        return all(map(eq, map(file_stamp, files), iter_unpack("4q", folder.stamps)))
    except OSError:  # gone: the walk will notice
        return False
