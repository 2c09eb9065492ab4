"""Check which known folders have not changed.

A second run spends most of its time here, in the kernel. Another process may do half of it, which
costs a fork and answers with one byte per folder.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import chain
from struct import error as StructError  # noqa: N812 - it is a class
from struct import pack
from typing import BinaryIO

from playshuffle.library.folder import Folder
from playshuffle.library.listing import digest, file_stamp

_WORTH_A_FORK = 500  # folders; with fewer there is nothing to gain
_CHUNK = 16


def unchanged(
    folders: Iterable[Folder], *, may_fork: bool, seen_so_far: Callable[[int], object] = lambda _: None
) -> dict[bytes, Folder]:
    """Those plain folders, by path, that have what they had, on the device where they were.

    may_fork: have another process look at half of them; only where there are no threads.
    seen_so_far: called once in a while with the number of files looked at.
    """
    plain = [folder for folder in folders if folder.is_plain]
    half = len(plain) // 2 if may_fork and len(plain) >= _WORTH_A_FORK else len(plain)
    with _check_in_child(plain[half:]) as answers:
        own_flags = b""
        files = 0
        for start in range(0, half, _CHUNK):
            chunk = plain[start : min(start + _CHUNK, half)]
            own_flags += bytes(map(_is_unchanged, chunk))
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
def _check_in_child(folders: Sequence[Folder]) -> Iterator[BinaryIO]:
    """Yield a file in which another process writes a byte for each folder: 1 if it is unchanged."""
    if not folders:
        yield BytesIO()
        return
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with open(writer, "wb") as answers:
                answers.write(bytes(map(_is_unchanged, folders)))
        finally:
            os._exit(0)  # nothing is to be cleaned up twice
    os.close(writer)
    try:
        with open(reader, "rb") as answers:
            yield answers
    finally:
        os.waitpid(child, 0)


def _is_unchanged(folder: Folder) -> bool:
    path = folder.path
    try:
        status = os.stat(path)
        if folder[1:5] != (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns):
            return False
        # The listing, too: within one tick of a coarse clock a folder may change twice.
        if digest(os.listdir(path)) != folder.digest:
            return False
        files = map(os.lstat, folder.file_paths())
        now = list(chain.from_iterable(map(file_stamp, files)))
        return pack(f"{len(now)}q", *now) == folder.stamps
    except (OSError, StructError):  # gone, or a number beyond 64 bits: the walk will see
        return False
