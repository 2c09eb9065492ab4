"""Find the track of each row of a play history: by its path, or by tags if a source has no paths."""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress, repeat
from operator import not_

from playshuffle.history.rows import HistoryRows, TagNames
from playshuffle.text import folded

_SAMPLE = 200  # rows that decide about the former music folder
_BETWEEN = "; "  # separates the artists of a track


def match(
    rows: HistoryRows,
    numbers_of: Mapping[bytes, Sequence[int]],
    roots: Sequence[bytes],
    tagged: Callable[[], Iterable[tuple[int, TagNames]]],
) -> list[Sequence[int]]:
    """Return the numbers of all tracks of each row's recording; none for a row that fits no track.

    A relative path is tried below each music folder and the folders above it. If no path leads to a track,
    the rows' common folder may be a music folder under another name.

    Args:
        numbers_of: maps the path of each track to a sequence with only its number.
        tagged: returns numbers and tags of all tracks; called only if a row has no path.
    """
    paths = rows.paths
    numbers = list(map(numbers_of.get, paths, repeat(())))
    relative = [row for row, path in enumerate(paths) if path[:1] not in (b"", b"/")]
    for top in dict.fromkeys(top for root in roots for top in _with_parents(root)):
        for row in relative:
            numbers[row] = numbers_of.get(top + paths[row], ())
        relative = [row for row in relative if not numbers[row]]
    if not any(numbers) and (swap := _moved(paths, numbers_of, roots)) is not None:
        start, root = swap
        paths = [b"/" + path.lstrip(b"/") for path in paths]
        numbers = [
            numbers_of.get(root + path[len(start) :], ()) if path.startswith(start) else () for path in paths
        ]
    if any(compress(rows.names, map(not_, rows.paths))):
        by_names = _ByNames(tagged())
        for row, names in enumerate(rows.names):
            numbers[row] = numbers[row] or (by_names.numbers(names) if names else ())
    return numbers


def _with_parents(folder: bytes) -> list[bytes]:
    folders = []
    while folder not in (b"", b"/"):
        folders.append(folder + b"/")
        folder = os.path.dirname(folder)
    return folders


def _moved(
    paths: Sequence[bytes], tracks: Collection[bytes], roots: Iterable[bytes]
) -> tuple[bytes, bytes] | None:
    """Return the start of the rows' paths that stands for a music folder, and this music folder.

    With it, at least half of a sample of rows must be tracks.
    """
    paths = [b"/" + path.lstrip(b"/") for path in paths if path]
    paths = paths[:: len(paths) // _SAMPLE + 1]
    if not paths:
        return None
    for start in _with_parents(os.path.commonpath([os.path.dirname(path) for path in paths])):
        for root in roots:
            top = root.rstrip(b"/") + b"/"
            if 2 * sum(top + path[len(start) :] in tracks for path in paths) >= len(paths):
                return start, top
    return None


class _ByNames:
    """Tracks by tags: the recording id, else artist, title and album, else artist and title."""

    def __init__(self, tagged: Iterable[tuple[int, TagNames]]) -> None:
        self._numbers: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, names in tagged:
            if names.recording_id:
                self._numbers[(folded(names.recording_id),)].append(number)
            artist, title, album = map(_plain, names[:3])
            for name in {artist, artist.partition(_BETWEEN)[0]} - {""} if title else ():
                self._numbers[name, title].append(number)
                self._numbers[name, title, album].append(number)

    def numbers(self, names: TagNames) -> Sequence[int]:
        artist, title, album = map(_plain, names[:3])
        keys = ((folded(names.recording_id),), (artist, title, album), (artist, title))
        return next((self._numbers[key] for key in keys if all(key) and key in self._numbers), ())


def _plain(text: str) -> str:
    return " ".join(folded(text).split())
