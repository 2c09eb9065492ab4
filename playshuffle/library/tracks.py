"""Collect the tracks below folders: each file once, in path order, tags read where needed."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from operator import itemgetter, lt, mul, not_, or_
from typing import TypeVar
from zlib import crc32

from playshuffle.library import spoken
from playshuffle.library.extinf import extinf
from playshuffle.library.folder import STAMP_BYTES, Folder, Reading, Skipped, Tags
from playshuffle.library.listing import fits
from playshuffle.library.marks import file_id, mark_at
from playshuffle.library.suspect_names import is_plain
from playshuffle.library.tag_columns import Row, pack
from playshuffle.system.birth_time import birth_of

# A reader of tags: paths in; (number of the path, what came of it) out, in any order.
ReadAll = Callable[[Sequence[bytes]], Iterable[tuple[int, Reading]]]

TWICE = "reached by another path, too"  # the reason of a file that is skipped, but not lost

_LONGEST_MS = (1 << 32) - 1
_NO_SIZE = -1  # a size that no file has, so that its stamp is another one in the next pass
_path = itemgetter(0)

T = TypeVar("T")


class Tracks:
    """The library: tracks in order, of which each column is put together when it is asked for.

    folders: with their tracks one after the other. chosen: numbers of the tracks in them that
    are meant, in order; None for all.
    """

    def __init__(self, folders: Sequence[Folder], chosen: Sequence[int] | None = None) -> None:
        self.folders = folders
        self.chosen = chosen

    def __len__(self) -> int:
        return len(self.durations_ms)

    @cached_property
    def paths(self) -> list[bytes]:
        """Absolute, as they were found."""
        return self.column(Folder.file_paths)

    @cached_property
    def durations_ms(self) -> "array[int]":
        """0 where unknown."""
        durations = array("I")
        for folder in self.folders:
            durations.frombytes(folder.durations_ms or bytes(folder.track_count * 4))
        return durations if self.chosen is None else array("I", [durations[row] for row in self.chosen])

    @cached_property
    def artists(self) -> list[bytes]:
        """As tagged; empty where there is none."""
        return self.column(Folder.all_artists)

    @cached_property
    def marks(self) -> bytes:
        """Return the marks of all tracks, by which `identity` recognises them under other names."""
        numbers, contents, ids = array("q"), array("q"), array("q")
        for folder in self.folders:
            numbers.frombytes(folder.stamps)
            contents.frombytes(folder.contents or bytes(8 * folder.track_count))
            ids.frombytes(folder.file_ids or bytes(8 * folder.track_count))
        if 0 in ids:  # no birth time
            ids = array("q", map(or_, ids, map(mul, numbers[3::4], map(not_, ids))))
        numbers[2::4], numbers[3::4] = contents, ids
        if self.chosen is None:
            return numbers.tobytes()
        all_marks = numbers.tobytes()
        return b"".join([mark_at(all_marks, row) for row in self.chosen])

    @cached_property
    def digest(self) -> bytes:
        """Return a digest of the paths, to tell one library from another."""
        digest = blake2b(digest_size=16)
        for folder in self.folders:
            digest.update(b"%b\0%b\0" % (folder.path, folder.names))
        digest.update(b"" if self.chosen is None else array("I", self.chosen).tobytes())
        return digest.digest()

    def column(self, make: Callable[[Folder], Iterable[T]]) -> list[T]:
        """Return a value for each track; `make` returns those of a folder's files."""
        values = self._whole_column(make)
        return values if self.chosen is None else [values[row] for row in self.chosen]

    def _whole_column(self, make: Callable[[Folder], Iterable[T]]) -> list[T]:
        values: list[T] = []
        for folder in self.folders:
            values += make(folder)
        return values

    def only(self, indices: Sequence[int]) -> "Tracks":
        """Return these tracks alone, in this order."""
        chosen = self.chosen
        some = Tracks(self.folders, indices if chosen is None else [chosen[index] for index in indices])
        if "paths" in self.__dict__:  # were put together: the same texts take no more memory
            some.paths = [self.paths[index] for index in indices]
        return some


def with_readings(
    folders: Iterable[Folder],
    known: Mapping[bytes, Folder],
    known_fields: Callable[[Folder], Sequence[Row]],
    read_all: ReadAll,
) -> Iterator[tuple[Folder, str]]:
    """Read what is not known: the folders that have no readings, with them, and all tags as JSON.

    A file that has the stamp it had last time is not read again, whatever its folder went
    through. One that could not be read stands by the tags it had, and is read again next time.
    Each folder comes out as soon as its last file was read.
    """
    paths: list[bytes] = []
    to_read: list[tuple[_Rows, int]] = []
    for folder in folders:
        if folder.durations_ms is not None:
            continue
        folder_rows = _Rows(folder)
        before = known.get(folder.path)
        if before is not None:
            folder_rows.take_over(before, known_fields(before))
        missing = folder_rows.missing
        if not missing:
            yield folder_rows.finished()
        paths += [folder.path + folder_rows.names[row] for row in missing]
        to_read += [(folder_rows, row) for row in missing]
    for number, reading in read_all(paths) if paths else ():
        folder_rows, row = to_read[number]
        folder_rows.put(row, reading)
        if not folder_rows.missing:
            yield folder_rows.finished()


class _Rows:
    """The readings of one folder while they come in."""

    def __init__(self, folder: Folder) -> None:
        self.names = folder.file_names()
        count = len(self.names)
        self._folder = folder
        self._stamps = array("q", folder.stamps)
        self.missing = dict.fromkeys(range(count))  # a set that keeps its order
        self._fields: list[Row] = [None] * count
        self._durations_ms = array("I", bytes(4 * count))
        self._extinfs = [b""] * count
        self._artists = [b""] * count
        self._file_ids = array("q", bytes(8 * count))
        self._audio = array("I", bytes(4 * count))
        self._reasons: dict[int, tuple[str, bool]] = {}
        self._spoken: dict[int, str] = {}

    def take_over(self, before: Folder, fields: Sequence[Row]) -> None:
        """Take over the readings of files that have not changed; of others, the tags until they are read."""
        names = before.file_names()
        if before.durations_ms is None or len(fields) != len(names):
            return
        fields = list(fields)
        durations_ms = array("I", before.durations_ms)
        extinfs = before.extinf_lines()
        artists = before.all_artists()
        file_ids, contents = array("q", before.file_ids), array("q", before.contents)
        old_row = {name: row for row, name in enumerate(names)}
        for row, name in enumerate(self.names):
            old = old_row.get(name)
            if old is None:
                continue
            self._fields[row] = fields[old]
            self._durations_ms[row] = durations_ms[old]
            self._extinfs[row] = extinfs[old]
            self._artists[row] = artists[old]
            self._audio[row] = contents[old] >> 32 if contents else 0
            if old in before.odd.spoken:
                self._spoken[row] = before.odd.spoken[old]
            if _stamp(before, old) == _stamp(self._folder, row):
                del self.missing[row]
                self._file_ids[row] = file_ids[old] if file_ids else 0
                if old in before.odd.reasons:
                    self._reasons[row] = before.odd.reasons[old]

    def put(self, row: int, reading: Reading) -> None:
        """Note what came of reading one file."""
        del self.missing[row]
        if reading.reason:
            self._reasons[row] = (reading.reason, reading.is_audio)
        if not reading.is_final:
            self._stamps[4 * row] = _NO_SIZE
            return
        birth = birth_of(self._folder.path + self.names[row])
        if birth is not None and fits(birth.inode) == self._stamps[4 * row + 3]:
            self._file_ids[row] = file_id(birth)
        tags = reading.tags or Tags()
        self._spoken.pop(row, None)
        if why := spoken.reason(self.names[row], reading.tags):
            self._spoken[row] = why
        self._audio[row] = _audio_sum(tags)
        self._fields[row] = None if reading.tags is None else list(tags)
        self._durations_ms[row] = min(tags.duration_ms or 0, _LONGEST_MS)
        self._extinfs[row] = extinf(tags, self.names[row])
        self._artists[row] = tags.artist.encode(errors="replace").replace(b"\0", b" ")

    def finished(self) -> tuple[Folder, str]:
        """Return the folder with its readings, and all tags packed as text."""
        artists = self._artists[:1] if len(set(self._artists)) == 1 else self._artists
        folder = self._folder._replace(
            stamps=self._stamps.tobytes(),
            durations_ms=self._durations_ms.tobytes(),
            lines=b"\0".join(map(b"%b\0/%b\n".__mod__, zip(self._extinfs, self.names, strict=True))),
            artists=b"\0".join(artists),
            has_odd_names=bool(self.names) and not is_plain(self._folder.path, self._folder.names),
            file_ids=self._file_ids.tobytes(),
            contents=array("q", map(_content_sum, self._audio, self._extinfs)).tobytes(),
            odd=self._folder.odd._replace(reasons=self._reasons, spoken=self._spoken),
        )
        return folder, pack(self._fields)


def tracks(roots: Sequence[Sequence[Folder]]) -> tuple[Tracks, list[Skipped], list[Skipped]]:
    """Line up the tracks of all roots: sorted by path bytes within a root, the roots as given.

    Returns:
        The tracks; files that are none, with the reason; tracks without tags, with the reason.
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
    """Return whether the files of each folder come before those of the next."""
    ends = (folder.path + folder.names.rpartition(b"/")[2] for folder in folders)
    starts = (folder.path + folder.names.partition(b"/")[0] for folder in islice(folders, 1, None))
    return all(map(lt, ends, starts))


def _staying(
    folder: Folder, twice: Collection[bytes], skipped: list[Skipped], untagged: list[Skipped]
) -> Iterator[int]:
    """Return the rows of a folder that are tracks and are not reached by another path."""
    for row, name in enumerate(folder.file_names()):
        path = folder.path + name
        reason, is_track = folder.odd.reasons.get(row, ("", True))
        if path in twice:
            skipped.append(Skipped(path, TWICE))
        elif not is_track:
            skipped.append(Skipped(path, reason))
        else:
            if reason:
                untagged.append(Skipped(path, reason))
            yield row


def _reached_twice(folders: Sequence[Folder]) -> set[bytes]:
    """Return the paths to skip, of files that are reached by another path, too.

    Of the paths to one file a real one stays, and of those the smallest.
    """
    if not any(folder.has_hard_links or folder.odd.linked for folder in folders):
        return set()
    candidates = []
    for folder in folders:
        linked = folder.odd.linked
        for name, inode in zip(folder.file_names(), folder.stamp_column(3), strict=True):
            file = (linked.get(name, folder.device), inode)
            candidates.append((name in linked, folder.path + name, file))
    files = set()
    twice = set()
    for _, path, file in sorted(candidates):
        if file in files:
            twice.add(path)
        files.add(file)
    return twice


def _audio_sum(tags: Tags) -> int:
    """Return a checksum of what a file says of its audio, 0 if its length is unknown.

    For a variable bit rate the average tells as much as the number of bytes.
    """
    if tags.duration_ms is None:
        return 0
    facts = (tags.duration_ms, tags.bitrate, tags.sample_rate, tags.lossless)
    return crc32(repr(facts).encode()) & 0x7FFFFFFF or 1


def _content_sum(audio: int, extinf: bytes) -> int:
    """Return the checksums of one file as one number: of its audio, and of its EXTINF line."""
    return audio << 32 | crc32(extinf)


def _stamp(folder: Folder, row: int) -> bytes:
    return folder.stamps[STAMP_BYTES * row : STAMP_BYTES * (row + 1)]
