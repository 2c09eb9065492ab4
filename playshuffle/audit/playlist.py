"""A playlist file in; what is listed twice or missing, and how artists and albums are mixed, out."""

import json
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
from playshuffle.library.listing import file_stamp, fits
from playshuffle.library.tracks import ReadAll, Tracks, with_readings
from playshuffle.ordering.groups import albums, artist_keys
from playshuffle.playlist.reading import read


class Found(NamedTuple):
    """What is found in a playlist.

    entries: how many there are; foreign: those that name no local file; missing: those whose file
        is not there. All others count below.
    duplicates: paths that are listed more than once, with how often.
    successors: how many follow the one before them in path order.
    untagged: how many tell no artist.
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

    @property
    def is_good(self) -> bool:
        """Whether every track that is listed is there, and listed once."""
        return not (self.missing or self.duplicates)


def look_into(path: bytes, read_all: ReadAll) -> Found:
    """Read a playlist and the tags of its tracks, from the cache where they are known.

    Raises:
        PlayshuffleError: it cannot be read, or names no file.
    """
    listed = read(path)
    paths = [entry.path for entry in listed.entries if entry.form]
    if not paths:
        raise PlayshuffleError(f"{shown(path)} names no file.", Exit.NOTHING_TO_PLAY)
    stats = {path: found for path in dict.fromkeys(paths) if (found := _file(path)) is not None}
    present = [path for path in paths if path in stats]
    tracks, tags = _tagged(stats, read_all)
    index = {path: number for number, path in enumerate(tracks.paths)}
    where = [index[path] for path in present]
    artist, artists = artist_keys(tracks.artists)
    album = albums(tracks, lambda folder: tags[folder.path]).keys
    return Found(
        path,
        len(listed.entries),
        len(listed.entries) - len(paths),
        [path for path in dict.fromkeys(paths) if path not in stats],
        [(path, times) for path, times in Counter(paths).items() if times > 1],
        len(present),
        artists,
        sum(not tracks.artists[number] for number in where),
        mix(present, [artist[number] for number in where]),
        mix(present, [album[number] for number in where]),
        successors(present),
    )


def _file(path: bytes) -> os.stat_result | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _tagged(
    stats: dict[bytes, os.stat_result], read_all: ReadAll
) -> tuple[Tracks, dict[bytes, Sequence[Tags | None]]]:
    """The tracks, and of each folder the tags of those that are wanted there."""
    wanted: dict[bytes, list[bytes]] = {}
    for path in sorted(stats):
        parent, name = os.path.split(path)
        wanted.setdefault(os.path.join(parent, b""), []).append(name)
    unread = [_folder(path, names, stats) for path, names in wanted.items()]
    folders: dict[bytes, Folder] = {}
    tags: dict[bytes, Sequence[Tags | None]] = {}
    with Cache() as cache:
        known = cache.folders(_tops(wanted))
        for folder, fields in with_readings(unread, known, cache.fields, read_all):
            folders[folder.path] = folder
            tags[folder.path] = [found and Tags(*found) for found in json.loads(fields)]
    return Tracks([folders[path] for path in wanted]), tags


def _folder(path: bytes, names: Sequence[bytes], stats: dict[bytes, os.stat_result]) -> Folder:
    """A folder as if it held these files alone; not to be kept in the cache."""
    stamps = array("q", [fits(part) for name in names for part in file_stamp(stats[path + name])])
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
        stamps=stamps.tobytes(),
    )


def _tops(folders: Iterable[bytes]) -> list[bytes]:
    """Those that lie in no other."""
    tops: list[bytes] = []
    for folder in sorted(folders):
        if not tops or not folder.startswith(tops[-1]):
            tops.append(folder)
    return tops
