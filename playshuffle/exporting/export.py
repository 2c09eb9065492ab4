"""Copy tracks into a folder of their own, numbered, and created in their order.

Players list a stick by names, or in the order in which FAT has them. On FAT a new file takes the place of a
deleted one, so each run makes a new folder NAME.playshuffle-new: it moves the copies that it finds again,
copies the others, and replaces the folder NAME at its end. A run that was killed leaves copies in its
folder, which the next run renames NAME.playshuffle-old1, and takes them from there.

A file in each folder lists the names that playshuffle wrote there. No other file is ever changed.
"""

import contextlib
import errno
import os
import re
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.exporting.tracks import Track
from playshuffle.library.ignore_files import EXPORT_MARK
from playshuffle.players.profiles import PLAYERS
from playshuffle.system.atomic_file import held
from playshuffle.system.regular_file import open_regular
from playshuffle.system.write_errors import refusal

# Of the folders of a run: names that nobody else gives, for an empty folder has no mark.
_NEW, _OLD = b".playshuffle-new", b".playshuffle-old"

_IS_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_TIME_NS = 2_000_000_000  # FAT counts time in steps of two seconds
_CHUNK = 1 << 20
_ENTRY = 1024  # bytes of a track in folders, in the list of names and in the playlist
_CLUSTERS = 16  # for folders and lists

_PART = PLAYERS["car"].part or 255  # tracks of a playlist

Working = Callable[[str, int, int], object]


class Exported(NamedTuple):
    """What an export did. tracks: number of those that fit. removed: number of copies not wanted any more."""

    folder: bytes
    tracks: int
    copied: int
    removed: int
    size: int


def export(
    tracks: Sequence[Track],
    folder: bytes,
    name: str,
    source: str,
    working: Working,
    *,
    most_bytes: int | None = None,
    max_per_folder: int | None = None,
) -> Exported:
    """Copy the tracks that fit into the folder NAME of a folder; it ends before the first one that does not.

    Args:
        tracks: in their order.
        folder: where the folder is made. It is made, too, if the folder above it exists.
        name: of the folder, and of the playlist in it.
        source: the playlist in words. Another one of the same name does not replace its copies.
        working: called with the megabytes that were copied.
        most_bytes: of all copies together.
        max_per_folder: divides the copies into folders `01`, `02` and so on.

    Raises:
        PlayshuffleError: there are other files in the folder, or those of another list; or it cannot be
            written.
    """
    target = os.path.join(folder, os.fsencode(name))
    try:
        if not os.path.lexists(folder):
            with contextlib.suppress(FileExistsError):  # another run made it meanwhile
                os.mkdir(folder)
        with held(folder):
            return _export(tracks, target, source, working, most_bytes, max_per_folder or len(tracks))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EILSEQ):
            raise PlayshuffleError(
                f"{shown(target)} does not accept a name of a track. Add --ascii.", Exit.CANNOT_CREATE
            ) from error
        raise refusal(target, folder, error) from error


def _export(
    tracks: Sequence[Track],
    target: bytes,
    source: str,
    working: Working,
    most_bytes: int | None,
    per_folder: int,
) -> Exported:
    inside = os.path.realpath(target) + b"/"
    if any(os.path.realpath(track.source).startswith(inside) for track in tracks):
        raise PlayshuffleError(
            f"The list names tracks in {shown(target)} itself. Choose another list or folder.", Exit.USAGE
        )
    new = target + _NEW
    head = f"#{source}".encode()
    _check_source([target, new], head)
    before = _former_folders(target, new)
    copies = _copies(before)
    count = _fitting(tracks, before, os.path.dirname(target), most_bytes)
    if not count:
        raise PlayshuffleError(
            f"No track fits into {shown(target)}. Nothing was changed.", Exit.CANNOT_CREATE
        )
    tracks = tracks[:count]
    names = _names(tracks, per_folder)
    again = _found_again(tracks, copies)
    unwanted = [path for group in copies.values() for _, path in group]
    for path in unwanted:
        os.unlink(path)
    # All names that may come to be: fewer tracks may need a playlist of another name.
    lists = [b"%s%s.m3u" % (os.path.basename(target), end) for end in (b"", *_parts(count))]
    os.mkdir(new)
    _write(os.path.join(new, EXPORT_MARK), b"".join(name + b"\n" for name in (head, *names, *lists)))
    count = _fill(new, tracks, names, again, working)
    for name, content in _playlists(target, tracks[:count], names).items():
        _write(os.path.join(new, name), content)
    for former in before:
        _remove(former)
    os.rename(new, target)
    _sync(os.path.dirname(target))
    copied = sum(index not in again for index in range(count))
    size = sum(track.size for track in tracks[:count])
    return Exported(target, count, copied, len(unwanted), size)


def _fill(
    folder: bytes,
    tracks: Sequence[Track],
    names: Sequence[bytes],
    again: Mapping[int, bytes],
    working: Working,
) -> int:
    """Move or copy the tracks into a folder in their order; return how many there was room for."""
    total = sum(track.size for index, track in enumerate(tracks) if index not in again)
    done = 0
    for index, track in enumerate(tracks):
        path = os.path.join(folder, names[index])
        if not os.path.lexists(os.path.dirname(path)):
            os.mkdir(os.path.dirname(path))
        if index in again:
            os.rename(again[index], path)
        elif _copy(track, path, working, done, total):
            done += track.size
        else:
            return index
    return len(tracks)


def _names(tracks: Sequence[Track], per_folder: int) -> list[bytes]:
    """Return the numbered name of each copy, below the folder of all."""
    digits = max(4, len(str(len(tracks))))
    names = [f"{number:0{digits}} {track.name}".encode() for number, track in enumerate(tracks, 1)]
    if per_folder >= len(tracks):
        return names
    digits = max(2, len(str(-(-len(tracks) // per_folder))))
    return [b"%0*d/%s" % (digits, 1 + index // per_folder, name) for index, name in enumerate(names)]


def _playlists(target: bytes, tracks: Sequence[Track], names: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the playlists for the device by name: several, if a car radio does not read as many tracks."""
    entries = [track.extinf + name + b"\n" for track, name in zip(tracks, names, strict=False)]
    stem = os.path.basename(target)
    return {
        stem + end + b".m3u": b"#EXTM3U\n" + b"".join(entries[part * _PART : (part + 1) * _PART])
        for part, end in enumerate(_parts(len(tracks)))
    }


def _parts(count: int) -> list[bytes]:
    """Return what the name of each playlist has at its end."""
    parts = range(1, 1 + -(-count // _PART))
    return [b"-%d" % part for part in parts] if len(parts) > 1 else [b""]


def _former_folders(target: bytes, new: bytes) -> list[bytes]:
    """Return the folders of former runs, after a check that nothing else is in them."""
    if os.path.lexists(new):
        _check(new)
        number = 1
        while os.path.lexists(old := target + _OLD + b"%d" % number):
            number += 1
        os.rename(new, old)
    above, name = os.path.split(target)
    is_ours = re.compile(re.escape(name) + b"(" + re.escape(_OLD) + rb"\d+)?").fullmatch
    folders = [os.path.join(above, found) for found in sorted(os.listdir(above)) if is_ours(found)]
    for folder in folders:
        _check(folder)
    return folders


def _check(folder: bytes) -> None:
    """Check that playshuffle made all that is in a folder.

    Raises:
        PlayshuffleError: there is another file, or it is not a folder.
    """
    ours = _ours(folder)
    is_folder = stat.S_ISDIR(os.lstat(folder).st_mode)
    other = next((path for path in _files(folder) if path not in ours), None) if is_folder else folder
    if other is not None:
        raise PlayshuffleError(
            f"{shown(folder)} contains {shown(os.path.basename(other))}, which is from another program."
            " Nothing was changed. Choose another folder, or move that file.",
            Exit.CANNOT_CREATE,
        )


def _check_source(folders: Sequence[bytes], head: bytes) -> None:
    """Check that no folder has tracks of another playlist.

    Raises:
        PlayshuffleError: it has.
    """
    for folder in folders:
        former = next(iter(_marked(folder)), b"")
        if former.startswith(b"#") and former != head:
            raise PlayshuffleError(
                f"{shown(folder)} has the tracks of {shown(former[1:])}. Nothing was changed. Choose another"
                " folder, or give one of the lists another name.",
                Exit.CANNOT_CREATE,
            )


def _ours(folder: bytes) -> set[bytes]:
    """Return the files that playshuffle wrote, or began to write, into a folder."""
    return {os.path.join(folder, name) for name in (EXPORT_MARK, *_marked(folder))}


def _marked(folder: bytes) -> list[bytes]:
    """Return the lines of the mark in a folder, if it has one: its playlist, then the names of its files."""
    try:
        descriptor, _ = open_regular(os.path.join(folder, EXPORT_MARK), follow_links=False)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        return file.read().splitlines()


def _files(folder: bytes) -> Iterator[bytes]:
    """Yield all that is in a folder and is not a folder."""
    for path, folders, names in os.walk(folder):
        yield from (os.path.join(path, name) for name in names)
        yield from (link for name in folders if os.path.islink(link := os.path.join(path, name)))


def _copies(folders: Sequence[bytes]) -> dict[tuple[str, int], list[tuple[int, bytes]]]:
    """Return time and path of the copies of former runs, by their name without its number, and their size."""
    copies = defaultdict(list)
    for folder in folders:
        for path in _files(folder):
            _, is_track, name = os.fsdecode(os.path.basename(path)).partition(" ")
            status = os.lstat(path)
            if is_track:
                copies[name, status.st_size].append((status.st_mtime_ns, path))
    return copies


def _found_again(
    tracks: Sequence[Track], copies: dict[tuple[str, int], list[tuple[int, bytes]]]
) -> dict[int, bytes]:
    """Take the copy of each track out of those of former runs; return them by the index of the track."""
    again = {}
    for index, track in enumerate(tracks):
        group = copies.get((track.name, track.size), [])
        copy = next((copy for copy in group if abs(copy[0] - track.mtime_ns) <= _TIME_NS), None)
        if copy is not None:
            group.remove(copy)
            again[index] = copy[1]
    return again


def _fitting(tracks: Sequence[Track], before: Sequence[bytes], folder: bytes, most_bytes: int | None) -> int:
    """Return how many tracks fit, if the copies of former runs are removed."""
    disk = os.statvfs(folder)
    cluster = disk.f_frsize or 1

    def occupied(size: int) -> int:
        return -(-size // cluster) * cluster + _ENTRY

    # Some file systems do not tell; then the copies go on until the disk is full.
    room = disk.f_bavail * cluster - _CLUSTERS * cluster if disk.f_blocks else 1 << 62
    room += sum(occupied(os.lstat(path).st_size) for former in before for path in _files(former))
    room = room if most_bytes is None else min(room, most_bytes)
    for index, track in enumerate(tracks):
        room -= occupied(track.size)
        if room < 0:
            return index
    return len(tracks)


def _copy(track: Track, path: bytes, working: Working, done: int, total: int) -> bool:
    """Copy a track; return False if there is no room for it.

    The time of the copy is set when it is complete: by that the next run knows it.
    """
    try:
        with open(path, "xb") as copy:
            for chunk in _chunks(track.source):
                copy.write(chunk)
                done += len(chunk)
                working("Copying (MB)", done >> 20, total >> 20)
            copy.flush()
            os.fsync(copy.fileno())
    except OSError as error:
        if error.errno not in _IS_FULL:
            raise
        os.unlink(path)
        return False
    with contextlib.suppress(PermissionError):  # some mounts let nobody set it: it is copied again each time
        os.utime(path, ns=(track.mtime_ns, track.mtime_ns))
    return True


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


def _write(path: bytes, content: bytes) -> None:
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _remove(folder: bytes) -> None:
    """Remove a folder of a former run: its mark last, so that it can be continued."""
    mark = os.path.join(folder, EXPORT_MARK)
    for path in _files(folder):
        if path != mark:
            os.unlink(path)
    for path, folders, _ in os.walk(folder, topdown=False):
        for name in folders:
            os.rmdir(os.path.join(path, name))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(mark)
    os.rmdir(folder)


def _sync(folder: bytes) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot sync a folder
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
