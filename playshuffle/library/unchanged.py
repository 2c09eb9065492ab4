"""Check which known folders have not changed.

Each folder and each known file is stat'ed. The names in a folder are listed again unless its stamps
prove that they are the same: it was settled when it was listed, and its file system keeps fine
stamps. A second run spends most of its time here, in the kernel. Another process may do half of it, which
costs a fork and answers with one byte per folder.
"""

import os
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import chain
from struct import error as StructError  # noqa: N812 - it is a class
from struct import pack
from typing import BinaryIO

from playshuffle.library.folder import Folder
from playshuffle.library.listing import digest, file_stamp
from playshuffle.system import mounts

_WORTH_A_FORK = 500  # folders; with fewer there is nothing to gain
_CHUNK = 16
_FIRST_OPENED, _MOST_OPEN = 3, 1024  # descriptors; the first three are the standard streams

# The clocks of other file systems are coarse, or run elsewhere, or a folder has stamps of its own.
_FINE_STAMPS = frozenset(("btrfs", "ext4", "xfs", "zfs"))


def unchanged(
    folders: Iterable[Folder], *, may_fork: bool, seen_so_far: Callable[[int], object] = lambda _: None
) -> dict[bytes, Folder]:
    """Those plain folders, by path, that have what they had, on the device where they were.

    may_fork: have another process look at half of them; only where there are no threads.
    seen_so_far: called once in a while with the number of files looked at.
    """
    plain = [folder for folder in folders if folder.is_plain]
    is_unchanged = partial(_is_unchanged, _with_fine_stamps(plain))
    half = len(plain) // 2 if may_fork and len(plain) >= _WORTH_A_FORK else len(plain)
    with _check_in_child(plain[half:], is_unchanged) as answers:
        own_flags = b""
        files = 0
        for start in range(0, half, _CHUNK):
            chunk = plain[start : min(start + _CHUNK, half)]
            own_flags += bytes(map(is_unchanged, chunk))
            files += sum(folder.track_count for folder in chunk)
            seen_so_far(files)
        child_flags = answers.read()
    # A process that ended before its time leaves the rest to the walk, as if it had changed.
    return {
        folder.path: folder
        for folder, is_same in zip(plain, own_flags + child_flags, strict=False)
        if is_same
    }


@contextmanager
def _check_in_child(folders: Sequence[Folder], is_unchanged: Callable[[Folder], bool]) -> Iterator[BinaryIO]:
    """Yield a file in which another process writes a byte for each folder: 1 if it is unchanged."""
    if not folders:
        yield BytesIO()
        return
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            # A lock of the parent among them: this process may outlive it.
            os.closerange(_FIRST_OPENED, writer)
            os.closerange(writer + 1, _MOST_OPEN)
            with open(writer, "wb") as answers:
                answers.write(bytes(map(is_unchanged, folders)))
        finally:
            os._exit(0)  # nothing is to be cleaned up twice
    os.close(writer)
    try:
        with open(reader, "rb") as answers:
            yield answers
    finally:
        os.waitpid(child, 0)


def _with_fine_stamps(folders: Iterable[Folder]) -> frozenset[int]:
    """Return the devices whose file systems change the stamps of a folder with each name in it."""
    samples: dict[int, Folder] = {}
    for folder in folders:
        if folder.is_settled:
            samples.setdefault(folder.device, folder)
    kinds = (mounts.device_kind(folder.path) for folder in samples.values())
    return frozenset(found[0] for found in kinds if found is not None and found[1] in _FINE_STAMPS)


def _is_unchanged(fine_devices: Container[int], folder: Folder) -> bool:
    path = folder.path
    try:
        status = os.stat(path)
        if folder[1:5] != (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns):
            return False
        # Within one tick of the clock a folder may change twice.
        is_same = folder.is_settled and folder.device in fine_devices
        if not is_same and digest(os.listdir(path)) != folder.digest:
            return False
        files = map(os.lstat, folder.file_paths())
        now = list(chain.from_iterable(map(file_stamp, files)))
        return pack(f"{len(now)}q", *now) == folder.stamps
    except (OSError, StructError):  # gone, or a number beyond 64 bits: the walk will see
        return False
