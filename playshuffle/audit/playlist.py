"""Audit a playlist file: duplicate and missing entries, and how artists and albums are mixed."""

import os
import stat
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from playshuffle.audit.mix import Mix, mix, successors
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder, Tags
from playshuffle.library.folder_readings import ReadAll, with_readings
from playshuffle.library.listing import file_stamp, fits
from playshuffle.library.tag_columns import unpack
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.groups import ALBUM, ARTIST, albums, artist_keys, group_keys
from playshuffle.playlist.reading import read


class PlaylistAudit(NamedTuple):
    """The figures of an audited playlist.

    entries: how many there are; foreign: those that name no local file; missing: those whose file
        is not there. All others count below.
    duplicates: paths that are listed more than once, with how often.
    successors: how many follow the one before them in path order.
    untagged: how many tell no artist.
    tracks: the paths of the entries that count.
    groups: of each of them the number and the name of its artist, album or genre; a number is
        negative where the tag is missing.
    """

    path: bytes
    entries: int
    foreign: int
    missing: list[bytes]
    duplicates: list[tuple[bytes, int]]
    playable: int
    artists: int
    untagged: int
    by_artist: Mix
    by_album: Mix
    successors: int
    tracks: list[bytes]
    groups: list[tuple[int, str]]

    @property
    def is_good(self) -> bool:
        """Return whether every listed track exists, and is listed once."""
        return not (self.missing or self.duplicates)


def look_into(path: bytes, read_all: ReadAll, by: str = ARTIST) -> PlaylistAudit:
    """Read a playlist and the tags of its tracks, from the cache where they are known.

    Args:
        path: of the playlist.
        read_all: reads the tags of files.
        by: what `groups` are: artist, album or genre.

    Raises:
        PlayshuffleError: it cannot be read, or names no file.
    """
    entries = read(path).entries
    count = len(entries)
    paths = [entry.path for entry in entries if entry.form]
    foreign = count - len(paths)
    del entries  # each large; playlists may have a million
    if not paths:
        raise PlayshuffleError(
            f"{shown(path)} has no entries, so there is nothing to audit.", Exit.NOTHING_TO_PLAY
        )
    times = Counter(paths)
    duplicates = [(path, number) for path, number in times.items() if number > 1]
    stamps = {path: stamp for path in times if (stamp := _stamp(path)) is not None}
    missing = [path for path in times if path not in stamps]
    present = [path for path in paths if path in stamps]
    del paths, times
    tracks, fields = _tagged(stamps, read_all)
    del stamps
    where = _positions(present, tracks.paths)
    artist, artists = artist_keys(tracks.artists)

    def tags_of(folder: Folder) -> list[Tags | None]:
        return _tags(fields[folder.path])

    album = albums(tracks, tags_of).keys
    keys = {ARTIST: artist, ALBUM: album}.get(by) or group_keys(tracks, tags_of, by)
    names: list[str] = tracks.column(lambda folder: [_value(tags, by) for tags in tags_of(folder)])
    return PlaylistAudit(
        path,
        count,
        foreign,
        missing,
        duplicates,
        len(present),
        artists,
        sum(not tracks.artists[number] for number in where),
        mix(present, [artist[number] for number in where]),
        mix(present, [album[number] for number in where]),
        successors(present),
        present,
        [(keys[number], names[number]) for number in where],
    )


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


def _tags(fields: str) -> list[Tags | None]:
    return [None if values is None else Tags(*values) for values in unpack(fields.encode())]


def _tagged(stamps: dict[bytes, bytes], read_all: ReadAll) -> tuple[Tracks, dict[bytes, str]]:
    """Return the tracks, and the tag fields of each folder as JSON, which takes a fifth of the memory."""
    names_by_folder: dict[bytes, list[bytes]] = {}
    for path in sorted(stamps):
        parent, name = os.path.split(path)
        names_by_folder.setdefault(os.path.join(parent, b""), []).append(name)
    unread = [_folder(path, names, stamps) for path, names in names_by_folder.items()]
    folders: dict[bytes, Folder] = {}
    fields_of: dict[bytes, str] = {}
    with Cache() as cache:
        cached = cache.folders(_tops(names_by_folder))
        for folder, fields in with_readings(unread, cached, cache.fields, read_all):
            folders[folder.path] = folder
            fields_of[folder.path] = fields
    return Tracks([folders[path] for path in names_by_folder]), fields_of


def _folder(path: bytes, names: Sequence[bytes], stamps: dict[bytes, bytes]) -> Folder:
    """Return a folder with these files alone; it must not be stored in the cache."""
    return Folder(
        path,
        device=0,
        inode=0,
        mtime_ns=0,
        ctime_ns=0,
        digest=b"",
        is_plain=False,
        has_hard_links=False,
        folders=b"",
        names=b"/".join(names),
        stamps=b"".join(stamps[path + name] for name in names),
    )


def _tops(folders: Iterable[bytes]) -> list[bytes]:
    """Those that lie in no other."""
    tops: list[bytes] = []
    for folder in sorted(folders):
        if not tops or not folder.startswith(tops[-1]):
            tops.append(folder)
    return tops
