"""Build tracks and their tags from paths, without files on disk."""

import os
from array import array
from collections import defaultdict
from collections.abc import Mapping

from playshuffle.library.folder import Folder
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.ordering.groups import TagsOf
from playshuffle.tags.reading import Tags

_NOTHING = Folder(b"", 0, 0, 0, 0, b"", True, False, b"", b"", b"")


def tagged(files: Mapping[str, Tags | None]) -> tuple[Tracks, TagsOf]:
    """A library of these files, by absolute path."""
    by_folder: defaultdict[bytes, dict[bytes, Tags | None]] = defaultdict(dict)
    for path in sorted(files, key=os.fsencode):
        folder, name = os.path.split(os.fsencode(path))
        by_folder[folder + b"/"][name] = files[path]
    library, _, _ = tracks([[_folder(path, mine) for path, mine in by_folder.items()]])
    return library, lambda folder: list(by_folder[folder.path].values())


def numbered(count: int) -> Tracks:
    """A library without tags, of files that are called 00.ogg, 01.ogg and so on."""
    return tagged({f"/m/{number:02}.ogg": None for number in range(count)})[0]


def by_artists(*artists: str) -> tuple[Tracks, TagsOf]:
    """A library with these artists, one track after the other."""
    return tagged({f"/m/{number:02}.ogg": Tags(artist=artist) for number, artist in enumerate(artists)})


def _folder(path: bytes, files: Mapping[bytes, Tags | None]) -> Folder:
    said = [tags or Tags() for tags in files.values()]
    return _NOTHING._replace(
        path=path,
        names=b"/".join(files),
        stamps=bytes(32 * len(files)),
        durations_ms=array("I", [tags.duration_ms or 0 for tags in said]).tobytes(),
        artists=b"\0".join(tags.artist.encode() for tags in said),
    )
