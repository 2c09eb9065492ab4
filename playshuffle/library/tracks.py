"""Collect the tracks below folders in path order, each file once."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice
from operator import itemgetter, lt, mul, not_, or_
from typing import TypeVar
from zlib import crc32

from playshuffle.library.folder import NO_DEVICE, Folder, Skipped
from playshuffle.library.marks import MARK_BYTES
from playshuffle.tags.cause import DUPLICATE_PATH, Cause

_path = itemgetter(0)

T = TypeVar("T")

_NO_NUMBERS = array("I")
_PART = 4096  # values


# Bytes: a cluster of a usual FAT stick; a track in its folders and playlist.
_CLUSTER, _NAMES = 1 << 15, 1024


class Tracks:
    """The library: tracks in order, with columns built on demand. An index is a position in this order.

    Attributes:
        rows: positions of the tracks among all files of `folders`; None if all files are tracks.
        numbers: lasting number of each track, from `TrackTable`; empty before they are known.
    """

    def __init__(
        self,
        folders: Sequence[Folder],
        rows: Sequence[int] | None = None,
        numbers: "array[int]" = _NO_NUMBERS,
    ) -> None:
        self.folders = folders
        self.rows = rows
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.durations_ms)

    @cached_property
    def paths(self) -> list[bytes]:
        return self.column(Folder.file_paths)

    def paths_of(self, indices: Sequence[int]) -> list[bytes]:
        return self.paths if len(indices) == len(self) else [self.paths[index] for index in indices]

    @cached_property
    def odd_folders(self) -> list[Folder]:
        """The folders with unusual names, and those whose names were not looked at yet."""
        return [folder for folder in self.folders if folder.has_odd_names or not folder.file_ids]

    @cached_property
    def durations_ms(self) -> "array[int]":
        durations = array("I")
        for folder in self.folders:
            durations.frombytes(folder.durations_ms or bytes(folder.track_count * 4))
        return durations if self.rows is None else array("I", [durations[row] for row in self.rows])

    @cached_property
    def stick_sizes(self) -> list[int]:
        """The bytes that each track takes on a stick, in whole clusters; 0 if unknown."""
        sizes = self.column(lambda folder: folder.stamp_column(0))
        return [-(-size // _CLUSTER) * _CLUSTER + _NAMES if size >= 0 else 0 for size in sizes]

    def indices_of(self, numbers: Collection[int]) -> "array[int]":
        """Return the index of the track with each number; `~number` if no track has it."""
        return _looked_up("i", self._indices, numbers)

    def numbers_of(self, indices: Collection[int]) -> "array[int]":
        """Return the number of the track with each index. An absent track's index is `~number`."""
        return _looked_up("I", self.numbers, indices)

    def indices_at(self, paths: Collection[bytes]) -> list[int]:
        """Return the index of the track at each path, without repeats; no index for another path."""
        index_of = {path: index for index, path in enumerate(self.paths if paths else ())}
        return list(dict.fromkeys(index_of[path] for path in paths if path in index_of))

    def indices_in(self, folder: Folder) -> Sequence[int]:
        """Return the index of each file of a folder; -1 for a file that is not a track."""
        start = self._starts[folder.path, folder.names]
        files = range(start, start + folder.track_count)
        return files if self.rows is None else [self._index_of_row.get(row, -1) for row in files]

    @cached_property
    def _starts(self) -> dict[tuple[bytes, bytes], int]:
        # A folder of a missing drive may be here twice: its files with cached tags, and the others.
        ends = accumulate((folder.track_count for folder in self.folders), initial=0)
        return dict(zip(((folder.path, folder.names) for folder in self.folders), ends, strict=False))

    @cached_property
    def _index_of_row(self) -> dict[int, int]:
        return {row: index for index, row in enumerate(self.rows or ())}

    @cached_property
    def _indices(self) -> "array[int]":
        indices = array("i", range(-1, -2 - max(self.numbers, default=-1), -1))
        for index, number in enumerate(self.numbers):
            indices[number] = index
        return indices

    @cached_property
    def artists(self) -> list[bytes]:
        """Return the artist of each track; empty without one."""
        return self.column(Folder.all_artists)

    def digest(self, indices: Sequence[int]) -> bytes:
        """Return a checksum of paths, numbers and marks."""
        return self._digest if len(indices) == len(self) else self._digest_of(indices)

    @cached_property
    def _digest(self) -> bytes:
        return self._digest_of(range(len(self)))

    def _digest_of(self, indices: Sequence[int]) -> bytes:
        checksum = 0
        for folder in self.folders:
            checksum = crc32(b"%b\0%b\0" % (folder.path, folder.names), checksum)
        marks = marks_of(self.folders)
        rows, numbers = self.rows, self.numbers
        if len(indices) < len(self):
            numbers = self.numbers_of(indices)
            rows = indices if rows is None else [rows[index] for index in indices]
        if rows is not None:
            marks = b"".join([marks[MARK_BYTES * row : MARK_BYTES * (row + 1)] for row in rows])
        return b"%08x" % crc32(marks, crc32(numbers, checksum))

    def column(self, make: Callable[[Folder], Iterable[T]], indices: Sequence[int] | None = None) -> list[T]:
        """Return a value for each track, or for the tracks at ascending indices.

        `make` returns the values of a folder's files.
        """
        values = self.of_tracks([value for folder in self.folders for value in make(folder)])
        return values if indices is None or len(indices) == len(values) else [values[row] for row in indices]

    def of_tracks(self, values: list[T]) -> list[T]:
        return values if self.rows is None else [values[row] for row in self.rows]


def _looked_up(kind: str, table: "array[int]", keys: Iterable[int]) -> "array[int]":
    """Return the value of each key; `~key` for a key that the table does not have."""
    values, left, end = array(kind), iter(keys), len(table)
    # A comprehension is twice as fast as `map` over an array. A whole list takes nine times the memory.
    while part := [table[key] if 0 <= key < end else ~key for key in islice(left, _PART)]:
        values.fromlist(part)
    return values


def marks_of(folders: Iterable[Folder]) -> bytes:
    """Return the marks of all audio files in some folders."""
    numbers, contents, ids = array("q"), array("q"), array("q")
    for folder in folders:
        numbers.frombytes(folder.stamps)
        contents.frombytes(folder.contents or bytes(8 * folder.track_count))
        ids.frombytes(folder.file_ids or bytes(8 * folder.track_count))
    if 0 in ids:  # no birth time
        ids = array("q", map(or_, ids, map(mul, numbers[3::4], map(not_, ids))))
    numbers[2::4], numbers[3::4] = contents, ids
    return numbers.tobytes()


def tracks(roots: Sequence[Sequence[Folder]]) -> tuple[Tracks, list[Skipped], list[Skipped]]:
    """Return the tracks of all roots, sorted by path bytes within a root; the roots keep their order.

    Return also, with reasons, the files that are not tracks, and the tracks without tags.
    """
    by_root = [sorted((folder for folder in root if folder.names), key=_path) for root in roots]
    all_tracks = Tracks([folder for folders in by_root for folder in folders])
    twice = _reached_twice(all_tracks.folders)
    skipped: list[Skipped] = []
    untagged: list[Skipped] = []
    if not twice and all(map(_is_in_order, by_root)) and not any(f.odd.reasons for f in all_tracks.folders):
        return all_tracks, skipped, untagged
    indices: list[int] = []
    end = 0
    for folders in by_root:
        root_indices: list[int] = []
        for folder in folders:
            start, end = end, end + folder.track_count
            if twice or folder.odd.reasons:
                root_indices += (start + row for row in _staying(folder, twice, skipped, untagged))
            else:
                root_indices += range(start, end)
        if not _is_in_order(folders):
            root_indices.sort(key=all_tracks.paths.__getitem__)
        indices += root_indices
    return Tracks(all_tracks.folders, indices), skipped, untagged


def _is_in_order(folders: Sequence[Folder]) -> bool:
    ends = (folder.path + folder.names.rpartition(b"/")[2] for folder in folders)
    starts = (folder.path + folder.names.partition(b"/")[0] for folder in islice(folders, 1, None))
    return all(map(lt, ends, starts))


def _staying(
    folder: Folder, twice: Collection[bytes], skipped: list[Skipped], untagged: list[Skipped]
) -> Iterator[int]:
    for row, name in enumerate(folder.file_names()):
        path = folder.path + name
        code, detail, is_track = folder.odd.reasons.get(row, ("", "", True))
        if path in twice:
            skipped.append(Skipped(path, Cause(DUPLICATE_PATH)))
        elif not is_track:
            skipped.append(Skipped(path, Cause(code, detail)))
        else:
            if code:
                untagged.append(Skipped(path, Cause(code, detail)))
            yield row


def _reached_twice(folders: Sequence[Folder]) -> set[bytes]:
    """Return the paths to skip, because another path leads to the same file.

    A real path stays rather than a link; of several such paths, the smallest. Tracks of a missing drive stay:
    their last scan has found different files.
    """
    folders = [folder for folder in folders if folder.device != NO_DEVICE]
    if not any(folder.has_hard_links or folder.odd.linked for folder in folders):
        return set()
    inodes = array("q")
    for folder in folders:
        inodes += folder.stamp_column(3)
    if len(set(inodes)) == len(inodes):  # mostly, the other links are elsewhere
        return set()
    candidates = []
    for folder in folders:
        for name, file in zip(folder.file_names(), folder.files(), strict=True):
            candidates.append((name in folder.odd.linked, folder.path + name, file))
    files = set()
    twice = set()
    for _, path, file in sorted(candidates):
        if file in files:
            twice.add(path)
        files.add(file)
    return twice
