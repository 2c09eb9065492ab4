"""Audit a playlist file: how its artists and albums are mixed."""

import os
import shlex
import stat
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from playshuffle.audit.mix import Mix, mix, successors
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.listing import file_stamp, fits
from playshuffle.library.tag_columns import unpack
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.groups import ALBUM, ARTIST, TagsOf, albums, artist_keys, group_keys
from playshuffle.pipeline.tag_rows import rows_of, tags_from
from playshuffle.playlist.reading import Listed, content_of, read_as_written, resolved
from playshuffle.tags.reading import ReadAll, Tags


class PlaylistAudit(NamedTuple):
    """The figures of an audited playlist.

    entries: how many there are; foreign: those without a file here. All others count below.
    successors: how many follow the one before them in path order.
    untagged: how many tell no artist.
    tracks: the paths of the entries that count.
    groups: the number and the name of the artist, album or genre of each of them, if they were asked
        for. A number is negative if the tag is missing.
    """

    path: bytes
    entries: int
    foreign: int
    playable: int
    artists: int
    untagged: int
    by_artist: Mix
    by_album: Mix
    successors: int
    tracks: list[bytes]
    groups: list[tuple[int, str]]


def look_into(path: bytes, read_all: ReadAll, by: str | None = None) -> PlaylistAudit:
    """Read a playlist and the tags of its tracks, from the cache where they are known.

    Args:
        path: of the playlist.
        read_all: reads the tags of files.
        by: what `groups` are: artist, album or genre; None leaves them empty.

    Raises:
        PlayshuffleError: it cannot be read, or names no file.
    """
    listed = read_as_written(content_of(path), path)
    count = len(listed.entries)
    paths, stamps = _stamped(listed)
    del listed  # entries are large; playlists may have a million
    paths = [path for path in paths if stamps[path] is not None]
    if not paths:
        raise PlayshuffleError(
            f"{shown(path)} has no entry with a file, so there is nothing to audit. See: playshuffle check"
            f" {shlex.quote(shown(path))}",
            Exit.NOTHING_TO_PLAY,
        )
    with Cache() as cache:
        tracks, tags_of = _tagged(cache, stamps, read_all)
        del stamps
        where = _positions(paths, tracks.paths)
        artist, artists = artist_keys(tracks.artists)
        album = albums(tracks, tags_of).keys
        groups: list[tuple[int, str]] = []
        if by is not None:
            keys = {ARTIST: artist, ALBUM: album}.get(by) or group_keys(tracks, tags_of, by)
            names = tracks.column(lambda folder: [_value(tags, by) for tags in tags_of(folder)])
            groups = [(keys[number], names[number]) for number in where]
    return PlaylistAudit(
        path,
        count,
        count - len(paths),
        len(paths),
        artists,
        sum(not tracks.artists[number] for number in where),
        mix(paths, [artist[number] for number in where]),
        mix(paths, [album[number] for number in where]),
        successors(paths),
        paths,
        groups,
    )


def _stamped(listed: Listed) -> tuple[list[bytes], dict[bytes, bytes | None]]:
    """Return the path of each entry that is a local file, and the stamp of each path."""
    paths: list[bytes] = []
    stamps: dict[bytes, bytes | None] = {}
    for entry in listed.entries:
        path = entry.path
        if entry.form and stamps.get(path) is None:
            stamp = _stamp(path)
            if stamp is None:
                path = resolved(entry, listed.back).path
                stamp = _stamp(path)
            stamps[path] = stamp
        if entry.form:
            paths.append(path)
    return paths, stamps


def _value(tags: Tags | None, name: str) -> str:
    return str(getattr(tags, name)) if tags is not None else ""


def _stamp(path: bytes) -> bytes | None:
    """Return the packed stamp of a regular file; None if there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return array("q", map(fits, file_stamp(status))).tobytes() if stat.S_ISREG(status.st_mode) else None


def _positions(paths: Sequence[bytes], library: Sequence[bytes]) -> list[int]:
    """Return the index of each path in the library."""
    index = {path: number for number, path in enumerate(library)}
    return [index[path] for path in paths]


def _tagged(cache: Cache, stamps: Mapping[bytes, bytes | None], read_all: ReadAll) -> tuple[Tracks, TagsOf]:
    """Return the tracks with these stamps, and a function for their tags that needs the open cache."""
    by_folder: dict[bytes, list[bytes]] = {}
    for path in sorted(path for path, stamp in stamps.items() if stamp is not None):
        by_folder.setdefault(path[: path.rfind(b"/") + 1], []).append(path)
    cached = cache.folders(_tops(by_folder))
    folders = {path: _folder(path, files, stamps, cached.get(path)) for path, files in by_folder.items()}
    packed: dict[bytes, bytes] = {}  # tags of folders that differ from the cache
    for folder, fields in with_readings(folders.values(), cached, cache.fields, read_all):
        packed[folder.path] = fields.encode()
        folders[folder.path] = folder
    tracks = Tracks(list(folders.values()))
    tracks.paths = list(chain.from_iterable(by_folder.values()))  # the same objects take no more memory
    rows = rows_of(cache, read_all)
    return tracks, tags_from(
        lambda folder: unpack(packed[folder.path]) if folder.path in packed else rows(folder)
    )


def _folder(
    path: bytes, files: Sequence[bytes], stamps: Mapping[bytes, bytes | None], cached: Folder | None
) -> Folder:
    """Return the cached folder if it has exactly these files, else one without readings.

    The latter must not be stored in the cache, since it may lack files.
    """
    folder = Folder(
        path,
        device=0,
        inode=0,
        mtime_ns=0,
        ctime_ns=0,
        digest=b"",
        is_plain=False,
        has_hard_links=False,
        folders=b"",
        names=b"/".join([file[len(path) :] for file in files]),
        stamps=b"".join([stamps[file] or b"" for file in files]),
    )
    is_same = cached is not None and (cached.names, cached.stamps) == (folder.names, folder.stamps)
    return cached if cached is not None and is_same else folder


def _tops(folders: Iterable[bytes]) -> list[bytes]:
    """Those that lie in no other."""
    tops: list[bytes] = []
    for folder in sorted(folders):
        if not tops or not folder.startswith(tops[-1]):
            tops.append(folder)
    return tops
