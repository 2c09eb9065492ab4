"""Copy tracks into a separate folder under numbered names, in playlist order.

Players list a stick by names, or in the order of its FAT, where a new file takes the place of a deleted one.
So each run makes a new folder NAME.playshuffle-new, moves existing copies there, copies the other tracks, and
replaces the folder NAME at the end. The folder of a killed run is renamed NAME.playshuffle-old1, and the next
run takes copies from there.

Other files in these folders are refused at the start. If they appear later, they are moved to the new folder.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Sequence

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.exporting import copying
from playshuffle.exporting.copied_tracks import CopiedTrack
from playshuffle.exporting.copying import Exported, ExportFolder, Working
from playshuffle.exporting.kept_names import export_names
from playshuffle.library.ignore_files import EXPORT_MARK
from playshuffle.players.profiles import PLAYERS
from playshuffle.system import mounts
from playshuffle.system.atomic_file import held
from playshuffle.system.write_errors import refusal

# Suffixes of a run's folders. Nobody else uses such names: an empty folder has no other mark.
_NEW, _OLD = b".playshuffle-new", b".playshuffle-old"

_KEPT = "Complete copies stay, and the same command continues."
_PART = PLAYERS["car"].most or 255  # maximum number of tracks in a playlist


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
    keeps_names: bool = False,
) -> Exported:
    """Copy tracks into the subfolder `name` of a folder; stop before the first track that does not fit.

    Args:
        folder: parent of the new folder. It must exist: if a stick is not mounted, it does not.
        source: the playlist and its owner. The copies of another source are not replaced.
        max_per_folder: maximum tracks of each folder `01`, `02` and so on.
        keeps_names: copy into the folder itself, under the tracks' names, and share copies with other lists.

    Raises:
        PlayshuffleError: the folder has other files, is a music folder of the list, or does not exist.
    """
    if not os.path.lexists(folder):
        drives = ", ".join(map(shown, mounts.removable(mounts.table()))) or "none"
        raise PlayshuffleError(
            f"{shown(folder)} does not exist, so nothing was copied. Mount its drive, or make the folder."
            f" Mounted removable drives: {drives}.",
            Exit.CANNOT_CREATE,
        )
    _check_music(tracks, folder, roots, keeps_names=keeps_names)
    target = os.path.join(folder, os.fsencode(name))
    _check_sources(tracks, folder if keeps_names else target)
    place = ExportFolder(folder)
    try:
        with held(folder):
            if keeps_names:
                return export_names(tracks, place, name, source, working, most_bytes)
            return _export(tracks, place, target, source, working, most_bytes, max_per_folder or len(tracks))
    except OSError as error:
        place.check()
        if error.errno in (errno.EINVAL, errno.EILSEQ):
            raise PlayshuffleError(
                f"{shown(target)} does not accept a name of a track. Add --ascii.", Exit.CANNOT_CREATE
            ) from error
        path = os.fsencode(error.filename or target)
        raise refusal(path, os.path.dirname(path), error, _KEPT) from error


def _export(
    tracks: Sequence[CopiedTrack],
    place: ExportFolder,
    target: bytes,
    source: str,
    working: Working,
    most_bytes: int | None,
    per_folder: int,
) -> Exported:
    new = target + _NEW
    head = f"#{source}".encode()
    before = _former_folders(target, new, head)
    files = [path for former in before for path in copying.our_files(former)]
    copies = copying.find_copies(files, lambda path: os.fsdecode(os.path.basename(path)).partition(" ")[2])
    count = copying.fitting(tracks, files, os.path.dirname(target), most_bytes)
    tracks = tracks[:count]
    names = _names(tracks, per_folder)
    again = copying.found_again(tracks, copies)
    unwanted = [path for group in copies.values() for _, path in group]
    for path in unwanted:
        os.unlink(path)
    # All possible names: fewer tracks may need a playlist of another name.
    lists = [b"%s%s.m3u" % (os.path.basename(target), end) for end in (b"", *_parts(count))]
    os.mkdir(new)
    copying.write(os.path.join(new, EXPORT_MARK), b"".join(name + b"\n" for name in (head, *names, *lists)))
    count = copying.fill(place, new, tracks, names, again, working)
    place.check()
    for name, content in _playlists(target, tracks[:count], names).items():
        copying.move(os.path.join(new, name), os.path.join(new, name))
        copying.write(os.path.join(new, name), content)
    before = [_set_aside(former, target) if former == target else former for former in before]
    os.rename(new, target)
    for former in before:
        _remove(former, target)
    copying.sync(os.path.dirname(target))
    return copying.exported(target, tracks[:count], again, len(unwanted))


def _names(tracks: Sequence[CopiedTrack], per_folder: int) -> list[bytes]:
    digits = max(4, len(str(len(tracks))))
    names = [f"{number:0{digits}} {track.name}".encode() for number, track in enumerate(tracks, 1)]
    if per_folder >= len(tracks):
        return names
    digits = max(2, len(str(-(-len(tracks) // per_folder))))
    return [b"%0*d/%s" % (digits, 1 + index // per_folder, name) for index, name in enumerate(names)]


def _playlists(target: bytes, tracks: Sequence[CopiedTrack], names: Sequence[bytes]) -> dict[bytes, bytes]:
    entries = [track.extinf + name + b"\n" for track, name in zip(tracks, names, strict=False)]
    stem = os.path.basename(target)
    return {
        stem + end + b".m3u": b"#EXTM3U\n" + b"".join(entries[part * _PART : (part + 1) * _PART])
        for part, end in enumerate(_parts(len(tracks)))
    }


def _parts(count: int) -> list[bytes]:
    parts = range(1, 1 + -(-count // _PART))
    return [b"-%d" % part for part in parts] if len(parts) > 1 else [b""]


def _former_folders(target: bytes, new: bytes, head: bytes) -> list[bytes]:
    above, name = os.path.split(target)
    is_ours = re.compile(
        re.escape(name) + rb"(%b|%b\d+)?" % (re.escape(_NEW), re.escape(_OLD)), re.DOTALL
    ).fullmatch
    folders = [os.path.join(above, name) for name in sorted(os.listdir(above)) if is_ours(name)]
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
    former = next(iter(copying.marked(folder)), b"")
    if former.startswith(b"#") and former != head:
        raise copying.of_other_list(folder, former)
    is_folder = stat.S_ISDIR(os.lstat(folder).st_mode)
    other = next(_others(folder), None) if is_folder else folder
    if other is not None:
        raise copying.not_ours(folder, other)


def _check_music(
    tracks: Sequence[CopiedTrack], folder: bytes, roots: Iterable[bytes], *, keeps_names: bool
) -> None:
    """Check that a folder does not contain the tracks: players would list them twice.

    Refuse a music folder, too: lists ignore a folder with an export mark. A folder above all music
    folders, such as a drive's top, is accepted.
    """
    real = os.path.join(os.path.realpath(folder), b"")
    tops = {*map(os.path.realpath, {os.path.dirname(track.source) for track in tracks})}
    is_music = any(real.startswith(os.path.join(os.path.realpath(root), b"")) for root in roots)
    if keeps_names and is_music:
        raise PlayshuffleError(
            f"{shown(folder)} is a music folder, and lists would leave it out. Choose another folder."
        )
    if real[:-1] in tops or (is_music and any(top.startswith(real) for top in tops)):
        raise PlayshuffleError(
            f"{shown(folder)} is a music folder of the list: each track would be there twice. Choose another"
            " folder."
        )


def _check_sources(tracks: Sequence[CopiedTrack], place: bytes) -> None:
    inside = os.path.join(os.path.realpath(place), b"")
    if any(os.path.realpath(track.source).startswith(inside) for track in tracks):
        raise PlayshuffleError(
            f"The list names tracks in {shown(place)} itself. Choose another list or folder."
        )


def _others(folder: bytes) -> Iterator[bytes]:
    ours = copying.our_paths(folder)
    for path, folders, names in os.walk(folder, onerror=_raise):
        for name in [*names, *folders]:
            file = os.path.join(path, name)
            if file not in ours or os.path.islink(file):
                yield file
        folders[:] = [name for name in folders if os.path.join(path, name) in ours]


def _raise(error: OSError) -> None:
    raise error


def _remove(folder: bytes, new: bytes) -> None:
    """Remove a folder of an earlier run: the export mark last, so that a killed removal can continue.

    Files added meanwhile are moved to the new folder.
    """
    mark = os.path.join(folder, EXPORT_MARK)
    for path in list(_others(folder)):
        copying.move(path, new + path[len(folder) :])
    for path in list(copying.our_files(folder)):
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
