"""Copy the tracks of lists into one folder, under their paths below the music folder.

Programs that synchronise the folder see only new and removed tracks. One user's lists share copies. A file
in the folder, the export mark, has a part for each list whose playlist exists. A copy is removed when no part
names it.
"""

import contextlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.exporting import copying
from playshuffle.exporting.copied_tracks import CopiedTrack, plain
from playshuffle.exporting.copying import Exported, ExportFolder, Working
from playshuffle.library.ignore_files import EXPORT_MARK
from playshuffle.system import atomic_file
from playshuffle.text import folded


def export_names(
    tracks: Sequence[CopiedTrack],
    place: ExportFolder,
    name: str,
    source: str,
    working: Working,
    most_bytes: int | None,
) -> Exported:
    """Copy the tracks that fit, write the playlist beside them, and remove copies that no list names.

    Raises:
        PlayshuffleError: the folder has a playlist of this name from another source, files of another user,
            or a link or file in place of a folder; or no track fits.
    """
    folder, head = os.path.realpath(place.folder), f"#{source}".encode() + copying.KEPT
    playlist = f"{name}.m3u".encode()
    lists = _other_lists(folder, head, playlist)
    tracks = _spelled(folder, tracks)
    _check_places(folder, playlist, tracks)
    elsewhere = {os.path.join(folder, path) for lines in lists for path in lines[2:]}
    files = list(copying.our_files(folder))
    names_of = {path: plain(os.fsdecode(path[len(folder) + 1 :])) for path in files}
    copies = copying.find_copies(files, names_of.__getitem__)
    wanted = {track.name for track in tracks}
    usable = [path for path in files if path not in elsewhere or names_of[path] in wanted]
    tracks = tracks[: copying.fitting(tracks, usable, folder, most_bytes)]
    again = copying.found_again(tracks, copies)
    unwanted = [path for group in copies.values() for _, path in group if path not in elsewhere]
    _remove(unwanted)
    names = _names(folder, tracks, again, elsewhere)
    _write_mark(folder, [*lists, [head, playlist, *names]])
    if not os.path.lexists(os.path.join(folder, playlist)):  # without it, the copies would not count
        _write(folder, playlist, [b"#EXTM3U\n"])
    try:
        tracks = tracks[: copying.fill(place, folder, tracks, names, again, working)]
    finally:  # a name that was not copied may become that of another person's file
        place.check()
        there = [name for name in names if os.path.lexists(os.path.join(folder, name))]
        _write_mark(folder, [*lists, [head, playlist, *there]])
    entries = (b"./" + name if name.startswith(b"#") else name for name in names)
    lines = [track.extinf + entry + b"\n" for track, entry in zip(tracks, entries, strict=False)]
    _write(folder, playlist, [b"#EXTM3U\n", *lines])
    copying.sync(folder)
    return copying.exported(folder, tracks, again, len(unwanted))


def _remove(paths: Iterable[bytes]) -> None:
    """Remove files and emptied folders; the export mark keeps the top folder."""
    for path in paths:
        os.unlink(path)
        with contextlib.suppress(OSError):
            os.removedirs(os.path.dirname(path))


def _write(folder: bytes, name: bytes, content: list[bytes]) -> None:
    atomic_file.sweep(folder, name)
    atomic_file.write(os.path.join(folder, name), content)


def _write_mark(folder: bytes, parts: Sequence[Sequence[bytes]]) -> None:
    _write(folder, EXPORT_MARK, [b"\n\n".join(map(b"\n".join, parts)), b"\n"])


def _other_lists(folder: bytes, head: bytes, playlist: bytes) -> list[list[bytes]]:
    """Return the export mark's parts for other existing playlists: source, playlist, copies.

    Refuse an export mark with a part of another user, or with this playlist from another source.
    """
    lists = [part.split(b"\n") for part in b"\n".join(copying.marked(folder)).split(b"\n\n") if part]
    owner = head[head.rindex(b" of ") :]
    for source, *names in lists:
        if not source.endswith(owner) or (names[:1] == [playlist] and source != head):
            raise copying.of_other_list(folder, source)
    if not any(names[:1] == [playlist] for _, *names in lists):
        path = os.path.join(folder, playlist)
        if os.path.lexists(path):
            raise copying.not_ours(folder, path)
    return [
        lines
        for lines in lists
        if lines[1:2] != [playlist] and os.path.lexists(os.path.join(folder, *lines[1:2]))
    ]


def _check_places(folder: bytes, playlist: bytes, tracks: Sequence[CopiedTrack]) -> None:
    """Refuse links, whose targets would be changed, and files in place of folders."""
    folders = (os.path.join(os.path.dirname(track.name.encode()), b"") for track in tracks)
    for name in sorted({EXPORT_MARK, playlist, *folders}):
        path = os.path.join(folder, name).rstrip(b"/")
        if os.path.realpath(path) != path:
            raise PlayshuffleError(f"{shown(path)} is a link. Nothing was changed. Remove it.")
        try:
            os.stat(os.path.join(folder, name))
        except FileNotFoundError:
            pass
        except NotADirectoryError:
            text = f"{shown(path)} is not possible, as a file has the name of a folder. Nothing was changed."
            raise PlayshuffleError(f"{text} Move that file.", Exit.CANNOT_CREATE) from None


def _spelled(folder: bytes, tracks: Sequence[CopiedTrack]) -> list[CopiedTrack]:
    """Spell folders as on the device if only letter case differs: FAT has one folder for both spellings."""
    top = os.fsdecode(folder)
    below = (os.path.relpath(path, top) for path, _, _ in os.walk(top))
    spellings = {folded(path): path for path in below} | {"": ""}

    def spelled(path: str) -> str:
        if folded(path) not in spellings:
            above, name = os.path.split(path)
            spellings[folded(path)] = os.path.join(spelled(above), name)
        return spellings[folded(path)]

    parts = (os.path.split(track.name) for track in tracks)
    names = [os.path.join(spelled(above), name) for above, name in parts]
    return [track._replace(name=name) for track, name in zip(tracks, names, strict=True)]


def _names(
    folder: bytes, tracks: Sequence[CopiedTrack], again: Mapping[int, bytes], elsewhere: Collection[bytes]
) -> list[bytes]:
    """Return the relative name of each copy. No new name equals another, even in lower case."""
    names: list[bytes] = []
    taken = {folded(os.fsdecode(path[len(folder) + 1 :])) for path in (*again.values(), *elsewhere)}
    for index, track in enumerate(tracks):
        if index in again:
            names.append(again[index][len(folder) + 1 :])
            continue
        name = track.name
        while folded(name) in taken or os.path.lexists(os.path.join(folder, name.encode())):
            name = "~".join(os.path.splitext(name))
        taken.add(folded(name))
        names.append(name.encode())
    return names
