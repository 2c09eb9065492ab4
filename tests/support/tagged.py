"""Build tracks and their tags from paths, without files on disk."""

import os
from array import array
from collections import defaultdict
from collections.abc import Mapping

from playshuffle.library.folder import Folder
from playshuffle.library.marks import Mark
from playshuffle.library.tag_columns import TagsOf, no_tags
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.ordering.chosen import Chosen
from playshuffle.tags.reading import Tags

_NOTHING = Folder(b"", 0, 0, 0, 0, b"", True, False, b"", b"", b"")


def tagged(files: Mapping[str, Tags | None]) -> tuple[Tracks, TagsOf]:
    """Return a library of these files, by absolute path; their numbers are 1, 2, 3 and so on."""
    by_folder: defaultdict[bytes, dict[bytes, Tags | None]] = defaultdict(dict)
    for path in sorted(files, key=os.fsencode):
        folder, name = os.path.split(os.fsencode(path))
        by_folder[folder + b"/"][name] = files[path]
    library, _, _ = tracks([[_folder(path, mine) for path, mine in by_folder.items()]])
    library.numbers = array("I", range(1, len(library) + 1))
    return library, lambda folder: list(by_folder[folder.path].values())


def all_of(tracks: Tracks, tags_of: TagsOf = no_tags) -> Chosen:
    """Return all tracks of a library as chosen."""
    return Chosen(tracks, range(len(tracks)), tags_of)


def marked(files: Mapping[bytes, Mark]) -> Tracks:
    """Return a library of files with these marks, by absolute path, as a scan returns it."""
    by_folder: defaultdict[bytes, dict[bytes, Mark]] = defaultdict(dict)
    for path in sorted(files):
        folder, name = os.path.split(path)
        by_folder[folder + b"/"][name] = files[path]
    folders = []
    for path, named in sorted(by_folder.items()):
        marks = named.values()
        stamps = [number for size, mtime_ns, _, file in marks for number in (size, mtime_ns, 0, max(file, 0))]
        folders.append(
            _NOTHING._replace(
                path=path,
                names=b"/".join(named),
                stamps=array("q", stamps).tobytes(),
                durations_ms=bytes(4 * len(named)),
                contents=array("q", [content for _, _, content, _ in marks]).tobytes(),
                file_ids=array("q", [min(file, 0) for _, _, _, file in marks]).tobytes(),
            )
        )
    return Tracks(folders)


def numbered(count: int) -> Tracks:
    """Return a library without tags, of the files 00.ogg, 01.ogg and so on."""
    return tagged({f"/m/{number:02}.ogg": None for number in range(count)})[0]


def by_artists(*artists: str) -> tuple[Tracks, TagsOf]:
    """Return a library with these artists, one track after the other."""
    return tagged({f"/m/{number:02}.ogg": Tags(artist=artist) for number, artist in enumerate(artists)})


def _folder(path: bytes, files: Mapping[bytes, Tags | None]) -> Folder:
    said = [tags or Tags() for tags in files.values()]
    return _NOTHING._replace(
        path=path,
        names=b"/".join(files),
        stamps=bytes(32 * len(files)),
        durations_ms=array("I", [tags.duration_ms or 0 for tags in said]).tobytes(),
        artists=b"\0".join(tags.artist.encode() for tags in said),
        albums=tuple((tags.album, tags.album_artist, tags.release_id, tags.disc) for tags in said),
    )
