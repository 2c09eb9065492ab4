"""Copy tracks into a folder, and find the copies of earlier runs there.

A file in each folder, the export mark, lists the names that playshuffle wrote there.
"""

import contextlib
import errno
import itertools
import os
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.exporting.copied_tracks import CopiedTrack
from playshuffle.library.ignore_files import EXPORT_MARK
from playshuffle.library.listing import is_audio_name
from playshuffle.system.mounts import device_kind
from playshuffle.system.regular_file import open_regular, read_regular, status_of

_IS_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
# There is no mark, or what has its name is not a regular file.
_NO_MARK = frozenset((errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EINVAL))
_TIME_NS = 2_000_000_000  # FAT counts time in steps of two seconds
_QUARTER_NS = 900_000_000_000  # FAT has local time: summer time and other time zones shift it
_CHUNK = 1 << 20
_UPLOAD_S = 30  # rclone reads no file of a renamed folder until it is uploaded
KEPT = b", names kept"  # ends the source in a mark of copies with the names of their tracks
_ENTRY = 1024  # bytes of a track in folders, in the list of names and in the playlist
_CLUSTERS = 16  # for folders and lists

Working = Callable[[str, int, int], object]
Copies = dict[tuple[str, int], list[tuple[int, bytes]]]


class ExportFolder:
    """The folder of an export, on the drive that was mounted there at its start."""

    def __init__(self, folder: bytes) -> None:
        self.folder = folder
        self._identity = _identity(folder)

    def check(self) -> None:
        """Raise an error if the drive was unmounted: files would go to the disk below its mount point."""
        if _identity(self.folder) == self._identity:
            return
        raise PlayshuffleError(
            f"The drive of {shown(self.folder)} was removed or unmounted, so the export is not complete."
            " Mount it and run the same command again: it continues.",
            Exit.MISSING,
        )


def _identity(folder: bytes) -> tuple[int, int] | None:
    """Return device and inode of a folder while it is mounted; None if it is missing."""
    status = status_of(folder)
    return None if status is None else (status.st_dev, status.st_ino)


class Exported(NamedTuple):
    """The result of an export.

    Attributes:
        size: bytes of all copies.
    """

    folder: bytes
    tracks: int
    copied: int
    removed: int
    size: int


def exported(
    folder: bytes, tracks: Sequence[CopiedTrack], again: Mapping[int, bytes], removed: int
) -> Exported:
    """Return the result of an export; `again` maps the index of a track to its existing copy."""
    copied = sum(index not in again for index in range(len(tracks)))
    return Exported(folder, len(tracks), copied, removed, sum(track.size for track in tracks))


def of_other_list(folder: bytes, head: bytes) -> PlayshuffleError:
    """Return the error for a folder whose export mark names another list."""
    return PlayshuffleError(
        f"{shown(folder)} has the tracks of {shown(head[1:].removesuffix(KEPT))}. Nothing was changed. Choose"
        " another folder. If the list was moved since then, delete this folder. If both lists are yours,"
        " give one another name.",
        Exit.CANNOT_CREATE,
    )


def not_ours(folder: bytes, path: bytes) -> PlayshuffleError:
    """Return the error for a file that playshuffle did not write."""
    return PlayshuffleError(
        f"{shown(folder)} contains {shown(os.path.basename(path))}, which is from another program."
        " Nothing was changed. Choose another folder, or move that file.",
        Exit.CANNOT_CREATE,
    )


def our_paths(folder: bytes) -> set[bytes]:
    """Return the files and subfolders of a folder that playshuffle wrote or started to write."""
    names = {EXPORT_MARK, *marked(folder)}
    return {os.path.join(folder, name) for name in names | set(map(os.path.dirname, names))}


def marked(folder: bytes) -> list[bytes]:
    """Return the lines of a folder's export mark: the playlist, then the names of files."""
    path, began_s = os.path.join(folder, EXPORT_MARK), time.monotonic()
    while True:
        try:
            return read_regular(path, follow_links=False).splitlines()
        except OSError as error:
            if error.errno in _NO_MARK:
                return []
            is_patient = error.errno == errno.EIO and time.monotonic() - began_s < _UPLOAD_S
            if not (is_patient and (device_kind(folder) or (0, ""))[1] == "fuse.rclone"):
                raise PlayshuffleError(
                    f"{shown(path)}, which lists the copies, cannot be read: {error.strerror}. Nothing was"
                    " changed.",
                    Exit.CANNOT_CREATE,
                ) from error
        time.sleep(_UPLOAD_S / 60)


def our_files(folder: bytes) -> Iterator[bytes]:
    """Yield the files that playshuffle wrote in a folder, and the export mark."""
    ours = our_paths(folder)
    for path, _, names in os.walk(folder):
        yield from (file for name in names if (file := os.path.join(path, name)) in ours)


def find_copies(paths: Iterable[bytes], name_of: Callable[[bytes], str]) -> Copies:
    """Map the name and size of each copied track to time and path of its earlier copies."""
    copies = defaultdict(list)
    for path in filter(is_audio_name, paths):
        status = os.lstat(path)
        copies[name_of(path), status.st_size].append((status.st_mtime_ns, path))
    return copies


def found_again(tracks: Sequence[CopiedTrack], copies: Copies) -> dict[int, bytes]:
    """Map the index of each copied track to its existing copy, and remove this copy from `copies`."""
    again = {}
    shifts = (0, _shift_ns(tracks, copies))
    for index, track in enumerate(tracks):
        group = copies.get((track.name, track.size), [])
        for copy in group:
            if any(abs(copy[0] - track.mtime_ns - shift) <= _TIME_NS for shift in shifts):
                group.remove(copy)
                again[index] = copy[1]
                break
    return again


def _shift_ns(tracks: Sequence[CopiedTrack], copies: Copies) -> int:
    """Return by how much the file times on the stick differ from the originals, in nanoseconds.

    It is the multiple of 15 minutes that fits most copies. FAT stores local time.
    """
    shifts = Counter(
        round((time - track.mtime_ns) / _QUARTER_NS) * _QUARTER_NS
        for track in tracks
        for time, _ in copies.get((track.name, track.size), ())
    )
    return max(shifts, key=lambda shift: shifts[shift], default=0)


def fitting(
    tracks: Sequence[CopiedTrack], before: Iterable[bytes], folder: bytes, most_bytes: int | None
) -> int:
    """Return how many tracks fit if the copies of earlier runs, `before`, are removed.

    Raises:
        PlayshuffleError: no track fits.
    """
    disk = os.statvfs(folder)
    cluster = disk.f_frsize or 1

    def occupied(size: int) -> int:
        return -(-size // cluster) * cluster + _ENTRY

    # Some file systems do not report their size; then copy until the disk is full.
    room = disk.f_bavail * cluster - _CLUSTERS * cluster if disk.f_blocks else 1 << 62
    room += sum(occupied(os.lstat(path).st_size) for path in before)
    room = room if most_bytes is None else min(room, most_bytes)
    sizes = itertools.accumulate(occupied(track.size) for track in tracks)
    count = sum(size <= room for size in sizes)
    if not count:
        raise PlayshuffleError(
            f"No track fits into {shown(folder)}. Nothing was changed.", Exit.CANNOT_CREATE
        )
    return count


def fill(
    place: ExportFolder,
    folder: bytes,
    tracks: Sequence[CopiedTrack],
    names: Sequence[bytes],
    again: Mapping[int, bytes],
    working: Working,
) -> int:
    """Move existing copies to `folder` and copy other tracks there, in order; return how many fitted."""
    total = sum(track.size for index, track in enumerate(tracks) if index not in again)
    done = 0
    for index, track in enumerate(tracks):
        path = os.path.join(folder, names[index])
        if again.get(index) == path:
            continue
        place.check()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        move(path, path)
        if index in again:
            os.rename(again[index], path)
            _set_time(track, path)
        elif _copy(track, path, working, done, total):
            done += track.size
        else:
            return index
    return len(tracks)


def _copy(track: CopiedTrack, path: bytes, working: Working, done: int, total: int) -> bool:
    """Copy a track; return False if the disk is full.

    The next run recognises a complete copy by the track's time.
    """
    try:
        with open(path, "xb") as copy:
            for chunk in _chunks(track.source):
                copy.write(chunk)
                done += len(chunk)
                working("Copying (MB)", done >> 20, total >> 20)
            copy.flush()
            os.fsync(copy.fileno())
    except PlayshuffleError:  # the source cannot be read
        os.unlink(path)
        raise
    except OSError as error:
        if error.errno not in _IS_FULL:
            raise
        os.unlink(path)
        return False
    _set_time(track, path)
    return True


def _set_time(track: CopiedTrack, path: bytes) -> None:
    with contextlib.suppress(OSError):  # some mounts cannot set it: the track is copied each time
        os.utime(path, ns=(track.mtime_ns, track.mtime_ns))


def _chunks(source: bytes) -> Iterator[bytes]:
    try:
        descriptor, _ = open_regular(source)
        with os.fdopen(descriptor, "rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise PlayshuffleError(
            f"{shown(source)} cannot be read: {error.strerror}. Run the same command again: it continues.",
            Exit.NO_INPUT,
        ) from error


def write(path: bytes, content: bytes) -> None:
    """Write a new file, and sync it to the disk."""
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync(folder: bytes) -> None:
    """Sync the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot sync a folder
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def move(path: bytes, place: bytes) -> None:
    """Move the file of another program at `path`, if any, to `place` or a free name beside it."""
    while os.path.lexists(path) and os.path.lexists(place):
        place = b"~".join(os.path.splitext(place))
    if os.path.lexists(path):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.rename(path, place)
