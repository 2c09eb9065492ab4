"""Copy tracks into a separate folder, numbered, and created in playlist order.

Players list a stick by names, or in the order of its FAT. On FAT a new file takes the place of a deleted
one. So each run makes a new folder NAME.playshuffle-new: it moves existing copies there, copies the other
tracks, and replaces the folder NAME at its end. The folder of an earlier or killed run is renamed
NAME.playshuffle-old1, and the next run takes copies from there.

A file in each folder lists the names that playshuffle wrote there. Other files there at the start are
refused. Files that are added during the run stay: each is moved into the new folder before the old one is
removed.
"""

import contextlib
import errno
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.exporting.copied_tracks import CopiedTrack
from playshuffle.library.ignore_files import EXPORT_MARK
from playshuffle.library.listing import is_audio_name
from playshuffle.players.profiles import PLAYERS
from playshuffle.system import mounts
from playshuffle.system.atomic_file import held
from playshuffle.system.regular_file import open_regular
from playshuffle.system.write_errors import refusal

# Suffixes of a run's folders. Nobody else uses such names: an empty folder has no other mark.
_NEW, _OLD = b".playshuffle-new", b".playshuffle-old"

_IS_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_TIME_NS = 2_000_000_000  # FAT counts time in steps of two seconds
_QUARTER_NS = 900_000_000_000  # FAT has local time: summer time and other time zones shift it
_CHUNK = 1 << 20
_ENTRY = 1024  # bytes of a track in folders, in the list of names and in the playlist
_CLUSTERS = 16  # for folders and lists

_PART = PLAYERS["car"].part or 255  # maximum number of tracks in a playlist

Working = Callable[[str, int, int], object]
Copies = dict[tuple[str, int], list[tuple[int, bytes]]]


class Exported(NamedTuple):
    """The result of an export.

    Attributes:
        folder: the new folder.
        tracks: number of tracks that fit.
        copied: number of tracks that were copied.
        removed: number of removed copies.
        size: bytes of all copies.
    """

    folder: bytes
    tracks: int
    copied: int
    removed: int
    size: int


def export(
    tracks: Sequence[CopiedTrack],
    folder: bytes,
    name: str,
    source: str,
    working: Working,
    *,
    roots: Iterable[bytes] = (),
    most_bytes: int | None = None,
    max_per_folder: int | None = None,
) -> Exported:
    """Copy the tracks that fit into the folder NAME of a folder; stop before the first one that does not.

    Args:
        tracks: in playlist order.
        folder: parent of the new folder. It must exist: if a stick is not mounted, it does not.
        name: name of the new folder, and of its playlist.
        source: the playlist and its owner. A playlist of the same name from another source does not
            replace the copies.
        working: called with the megabytes that were copied.
        roots: the known music folders.
        most_bytes: maximum size of all copies together.
        max_per_folder: divides the copies into folders `01`, `02` and so on.

    Raises:
        PlayshuffleError: the folder has other files, or files of another list; it is a music folder of the
            list; or it does not exist or cannot be written.
    """
    if not os.path.lexists(folder):
        drives = ", ".join(map(shown, mounts.removable(mounts.table()))) or "none"
        raise PlayshuffleError(
            f"{shown(folder)} does not exist, so nothing was copied. Is the drive mounted? Mounted removable"
            f" drives: {drives}.",
            Exit.CANNOT_CREATE,
        )
    _check_music(tracks, folder, roots)
    target = os.path.join(folder, os.fsencode(name))
    try:
        with held(folder):
            return _export(tracks, target, source, working, most_bytes, max_per_folder or len(tracks))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EILSEQ):
            raise PlayshuffleError(
                f"{shown(target)} does not accept a name of a track. Add --ascii.", Exit.CANNOT_CREATE
            ) from error
        raise refusal(target, folder, error) from error


def _export(
    tracks: Sequence[CopiedTrack],
    target: bytes,
    source: str,
    working: Working,
    most_bytes: int | None,
    per_folder: int,
) -> Exported:
    inside = os.path.realpath(target) + b"/"
    if any(os.path.realpath(track.source).startswith(inside) for track in tracks):
        raise PlayshuffleError(
            f"The list names tracks in {shown(target)} itself. Choose another list or folder."
        )
    new = target + _NEW
    head = f"#{source}".encode()
    before = _former_folders(target, new, head)
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
    # All possible names: fewer tracks may need a playlist of another name.
    lists = [b"%s%s.m3u" % (os.path.basename(target), end) for end in (b"", *_parts(count))]
    os.mkdir(new)
    _write(os.path.join(new, EXPORT_MARK), b"".join(name + b"\n" for name in (head, *names, *lists)))
    count = _fill(new, tracks, names, again, working)
    for name, content in _playlists(target, tracks[:count], names).items():
        _move(os.path.join(new, name), os.path.join(new, name))
        _write(os.path.join(new, name), content)
    before = [_set_aside(former, target) if former == target else former for former in before]
    os.rename(new, target)
    for former in before:
        _remove(former, target)
    _sync(os.path.dirname(target))
    copied = sum(index not in again for index in range(count))
    size = sum(track.size for track in tracks[:count])
    return Exported(target, count, copied, len(unwanted), size)


def _fill(
    folder: bytes,
    tracks: Sequence[CopiedTrack],
    names: Sequence[bytes],
    again: Mapping[int, bytes],
    working: Working,
) -> int:
    """Move or copy the tracks into a folder in playlist order; return the number that fitted."""
    total = sum(track.size for index, track in enumerate(tracks) if index not in again)
    done = 0
    for index, track in enumerate(tracks):
        path = os.path.join(folder, names[index])
        if not os.path.lexists(os.path.dirname(path)):
            os.mkdir(os.path.dirname(path))
        _move(path, path)
        if index in again:
            os.rename(again[index], path)
            _set_time(track, path)
        elif _copy(track, path, working, done, total):
            done += track.size
        else:
            return index
    return len(tracks)


def _names(tracks: Sequence[CopiedTrack], per_folder: int) -> list[bytes]:
    """Return the numbered name of each copy, relative to the new folder."""
    digits = max(4, len(str(len(tracks))))
    names = [f"{number:0{digits}} {track.name}".encode() for number, track in enumerate(tracks, 1)]
    if per_folder >= len(tracks):
        return names
    digits = max(2, len(str(-(-len(tracks) // per_folder))))
    return [b"%0*d/%s" % (digits, 1 + index // per_folder, name) for index, name in enumerate(names)]


def _playlists(target: bytes, tracks: Sequence[CopiedTrack], names: Sequence[bytes]) -> dict[bytes, bytes]:
    """Return the playlists for the device by name: several, if a car radio does not read that many tracks."""
    entries = [track.extinf + name + b"\n" for track, name in zip(tracks, names, strict=False)]
    stem = os.path.basename(target)
    return {
        stem + end + b".m3u": b"#EXTM3U\n" + b"".join(entries[part * _PART : (part + 1) * _PART])
        for part, end in enumerate(_parts(len(tracks)))
    }


def _parts(count: int) -> list[bytes]:
    """Return the end of each playlist's name."""
    parts = range(1, 1 + -(-count // _PART))
    return [b"-%d" % part for part in parts] if len(parts) > 1 else [b""]


def _former_folders(target: bytes, new: bytes, head: bytes) -> list[bytes]:
    """Return the folders of earlier runs, after a check that they contain nothing else."""
    above, name = os.path.split(target)
    is_ours = re.compile(
        re.escape(name) + rb"(%b|%b\d+)?" % (re.escape(_NEW), re.escape(_OLD)), re.DOTALL
    ).fullmatch
    folders = [os.path.join(above, found) for found in sorted(os.listdir(above)) if is_ours(found)]
    for folder in folders:
        _check(folder, head)
    return [_set_aside(folder, target) if folder == new else folder for folder in folders]


def _set_aside(folder: bytes, target: bytes) -> bytes:
    number = 1
    while os.path.lexists(old := target + _OLD + b"%d" % number):
        number += 1
    os.rename(folder, old)
    return old


def _check(folder: bytes, head: bytes) -> None:
    """Check that playshuffle made all files in a folder, for this playlist.

    Raises:
        PlayshuffleError: it has another file, is not a folder, or belongs to another playlist.
    """
    former = next(iter(_marked(folder)), b"")
    if former.startswith(b"#") and former != head:
        raise PlayshuffleError(
            f"{shown(folder)} has the tracks of {shown(former[1:])}. Nothing was changed. Choose another"
            " folder, or give one of the lists another name.",
            Exit.CANNOT_CREATE,
        )
    is_folder = stat.S_ISDIR(os.lstat(folder).st_mode)
    other = next(_others(folder), None) if is_folder else folder
    if other is not None:
        raise PlayshuffleError(
            f"{shown(folder)} contains {shown(os.path.basename(other))}, which is from another program."
            " Nothing was changed. Choose another folder, or move that file.",
            Exit.CANNOT_CREATE,
        )


def _check_music(tracks: Sequence[CopiedTrack], folder: bytes, roots: Iterable[bytes]) -> None:
    """Check that a folder does not contain the tracks: players would list them twice.

    A folder above all music folders, such as a drive's top folder, is accepted.

    Raises:
        PlayshuffleError: it contains tracks.
    """
    real = os.path.join(os.path.realpath(folder), b"")
    tops = {*map(os.path.realpath, {os.path.dirname(track.source) for track in tracks})}
    is_music = any(real.startswith(os.path.join(os.path.realpath(root), b"")) for root in roots)
    if real[:-1] in tops or (is_music and any(top.startswith(real) for top in tops)):
        raise PlayshuffleError(
            f"{shown(folder)} is a music folder of the list: each track would be there twice. Choose another"
            " folder."
        )


def _ours(folder: bytes) -> set[bytes]:
    """Return the files that playshuffle wrote, or started to write, into a folder, and its subfolders."""
    names = {EXPORT_MARK, *_marked(folder)}
    return {os.path.join(folder, name) for name in names | set(map(os.path.dirname, names))}


def _marked(folder: bytes) -> list[bytes]:
    """Return the lines of the mark in a folder, if it has one: its playlist, then the names of its files."""
    try:
        descriptor, _ = open_regular(os.path.join(folder, EXPORT_MARK), follow_links=False)
    except OSError:
        return []
    with os.fdopen(descriptor, "rb") as file:
        return file.read().splitlines()


def _others(folder: bytes) -> Iterator[bytes]:
    """Yield the files in a folder that are not from playshuffle; a subfolder as a whole."""
    ours = _ours(folder)
    for path, folders, names in os.walk(folder, onerror=_raise):
        for name in [*names, *folders]:
            found = os.path.join(path, name)
            if found not in ours or os.path.islink(found):
                yield found
        folders[:] = [name for name in folders if os.path.join(path, name) in ours]


def _raise(error: OSError) -> None:
    raise error


def _our_files(folder: bytes) -> Iterator[bytes]:
    ours = _ours(folder)
    for path, _, names in os.walk(folder):
        yield from (found for name in names if (found := os.path.join(path, name)) in ours)


def _copies(folders: Sequence[bytes]) -> Copies:
    """Return time and path of the copies of earlier runs, by name without number, and size."""
    copies = defaultdict(list)
    for path in filter(is_audio_name, (path for folder in folders for path in _our_files(folder))):
        _, _, name = os.fsdecode(os.path.basename(path)).partition(" ")
        status = os.lstat(path)
        copies[name, status.st_size].append((status.st_mtime_ns, path))
    return copies


def _found_again(tracks: Sequence[CopiedTrack], copies: Copies) -> dict[int, bytes]:
    """Remove the copy of each track from `copies`, and return it by the index of the track."""
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
    """Return the shift of the stick's times, in whole quarters of an hour, that fits most copies."""
    shifts = Counter(
        round((time - track.mtime_ns) / _QUARTER_NS) * _QUARTER_NS
        for track in tracks
        for time, _ in copies.get((track.name, track.size), ())
    )
    return max(shifts, key=lambda shift: shifts[shift], default=0)


def _fitting(
    tracks: Sequence[CopiedTrack], before: Sequence[bytes], folder: bytes, most_bytes: int | None
) -> int:
    """Return the number of tracks that fit, if the copies of earlier runs are removed."""
    disk = os.statvfs(folder)
    cluster = disk.f_frsize or 1

    def occupied(size: int) -> int:
        return -(-size // cluster) * cluster + _ENTRY

    # Some file systems do not report their size; then copy until the disk is full.
    room = disk.f_bavail * cluster - _CLUSTERS * cluster if disk.f_blocks else 1 << 62
    room += sum(occupied(os.lstat(path).st_size) for former in before for path in _our_files(former))
    room = room if most_bytes is None else min(room, most_bytes)
    for index, track in enumerate(tracks):
        room -= occupied(track.size)
        if room < 0:
            return index
    return len(tracks)


def _copy(track: CopiedTrack, path: bytes, working: Working, done: int, total: int) -> bool:
    """Copy a track; return False if the disk is full.

    The time of the copy is set when it is complete: it tells the next run so.
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
    _set_time(track, path)
    return True


def _set_time(track: CopiedTrack, path: bytes) -> None:
    with contextlib.suppress(PermissionError):  # some mounts refuse it: the track is copied each time
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


def _write(path: bytes, content: bytes) -> None:
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _move(path: bytes, place: bytes) -> None:
    """Move a file of another program, if it exists, to a path, or to a free name beside it."""
    while os.path.lexists(path) and os.path.lexists(place):
        place = b"~".join(os.path.splitext(place))
    if os.path.lexists(path):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.rename(path, place)


def _remove(folder: bytes, new: bytes) -> None:
    """Remove a folder of an earlier run: its mark last, so that a killed removal can continue.

    Files that others added meanwhile are moved to the same path in the new folder.
    """
    mark = os.path.join(folder, EXPORT_MARK)
    for path in list(_others(folder)):
        _move(path, new + path[len(folder) :])
    for path in list(_our_files(folder)):
        if path != mark:
            os.unlink(path)
    try:
        for path, folders, _ in os.walk(folder, topdown=False):
            for name in folders:
                os.rmdir(os.path.join(path, name))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(mark)
        os.rmdir(folder)
    except OSError as error:
        if error.errno != errno.ENOTEMPTY or next(_others(folder), None) is None:
            raise
        _remove(folder, new)  # another file was added


def _sync(folder: bytes) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):  # some file systems cannot sync a folder
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
