"""Find remembered tracks among those of now, whatever they are called now.

A renamed file keeps size, time and inode. A retagged file keeps its audio and mostly its inode, and
a copy on another file system its audio alone. An inode number proves nothing by itself, since that
of a deleted file is used again: it counts with the birth time of the file, or with size and time.
"""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from playshuffle.system.birth_time import Birth

# The mark of a track is four 64-bit numbers: size; mtime_ns; content: a checksum of its audio in
# the high half and of its EXTINF line in the low half; file: `file_id` where the file system has
# birth times, else the inode number.
MARK_BYTES = 32
_SIZE, _CONTENT, _FILE = 0, 2, 3
_TAGS_BITS = 32
_FEW_LEFT = 4
_CHANCE = 100  # of this many tracks two may have the same length and rates by chance

_Mark = tuple[int, int, int, int]
_SizeAndTime = tuple[int, int]


def file_id(birth: Birth) -> int:
    """Return a number that no other file has or will have; below 0, as no inode number is."""
    digest = blake2b(b"%d %d" % birth, digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True) | -(1 << 63)


def mark_at(marks: bytes, index: int) -> bytes:
    """Return the mark of one track."""
    return marks[MARK_BYTES * index : MARK_BYTES * (index + 1)]


class Remembered(NamedTuple):
    """An order as it was remembered.

    paths: all tracks that it holds, in library order. marks: of each `MARK_BYTES` that tell it
        again; empty if none were kept. places: the order, an index array over the paths.
    gone: of these the tracks that are not there at the time, by index, and since when, in seconds.
    """

    paths: Sequence[bytes]
    marks: bytes
    places: Sequence[int]
    gone: Mapping[int, int]

    def is_over(self, paths: Sequence[bytes], marks: bytes) -> bool:
        """Return whether the order is over just these tracks, each with the same mark."""
        return self.marks == marks and self.paths == paths

    @property
    def present_count(self) -> int:
        """Return how many tracks, from the first on, existed at the time; vanished ones come after them."""
        present_count = len(self.paths) - len(self.gone)
        return present_count if min(self.gone, default=present_count) == present_count else len(self.paths)


class Identity(NamedTuple):
    """Which is which.

    now: of each remembered track its index among those of now, None if it is not there.
    new: indices of those that were not remembered, ascending.
    """

    now: list[int | None]
    new: list[int]


def identify(
    before: Remembered,
    paths: Sequence[bytes],
    marks: bytes,
    moved: Iterable[tuple[bytes, bytes]] = (),
) -> Identity:
    """Find each remembered track among those of now.

    The rules, in this order: by what no renaming changes; by the file itself where birth times
    are known; for marks of older versions, by size and time if no other track in question has
    them; by the moves that were seen; by its path if the audio is the same; by its audio if
    that is rare and no other track in question has it; by its path; by size, time and content.

    Args:
        before: as it was remembered.
        paths: the tracks of now, in library order.
        marks: of these.
        moved: files and folders that were seen to be moved: from, to.
    """
    head, tail = _same_tracks(before, paths, marks)
    # Mostly all that has changed lies in one folder, or in few.
    middle, vanished = (
        range(head, before.present_count - tail),
        range(before.present_count, len(before.paths)),
    )
    middle_rows = slice(head, len(paths) - tail)
    search = _Search(
        [before.paths[old] for old in (*middle, *vanished)],
        b"".join(
            before.marks[MARK_BYTES * part.start : MARK_BYTES * part.stop] for part in (middle, vanished)
        ),
        paths[middle_rows],
        marks[MARK_BYTES * middle_rows.start : MARK_BYTES * middle_rows.stop],
        (before.marks, marks),
    )
    search.go(moved, {number for number, old in enumerate((*middle, *vanished)) if old in before.gone})
    new_indices = [None if index is None else head + index for index in search.now]
    now = [
        *range(head),
        *new_indices[: len(middle)],
        *range(middle_rows.stop, len(paths)),
        *new_indices[len(middle) :],
    ]
    return Identity(now, [head + index for index in sorted(search.free)])


def same_ends(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """Return how many entries are equal at the start, and how many of the others at the end."""
    head, tail = _common_length(old, new), _common_length(old[::-1], new[::-1])
    return head, min(tail, min(len(old), len(new)) - head)


def _common_length(old: Sequence[object], new: Sequence[object]) -> int:
    # By halves, since slices are compared at the speed of C.
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _same_tracks(before: Remembered, paths: Sequence[bytes], marks: bytes) -> tuple[int, int]:
    """Return how many tracks are equal in path and mark at the start, and how many at the end."""
    were = before.paths[: before.present_count]
    head, tail = _common_length(were, paths), _common_length(were[::-1], paths[::-1])
    if before.marks:
        old = before.marks[: MARK_BYTES * before.present_count]
        head = min(head, _common_length(old, marks) // MARK_BYTES)
        tail = min(tail, _common_length(old[::-1], marks[::-1]) // MARK_BYTES)
    return head, min(tail, min(len(were), len(paths)) - head)


_Find = Callable[[int], int | None]


class _Search:
    """A search for remembered tracks, rule by rule: what one rule has found is not there for the next.

    now: as `Identity` has it. free: tracks of now that none is.
    """

    def __init__(
        self,
        old_paths: Sequence[bytes],
        old_marks: bytes,
        paths: Sequence[bytes],
        marks: bytes,
        all_marks: tuple[bytes, bytes],
    ) -> None:
        """Begin with what has the path and the mark it had.

        Args:
            old_paths: the remembered tracks to find.
            old_marks: of these; empty if there are none.
            paths: the tracks of now to find them among.
            marks: of these.
            all_marks: of all remembered tracks, and of all tracks of now.
        """
        self._all_marks = all_marks
        self._old_paths = old_paths
        self._index_of = {path: index for index, path in enumerate(paths)}
        self._marks = _rows(marks)
        self._old_marks = _rows(old_marks) if old_marks else [None] * len(old_paths)
        # Nearly all have the path and the mark they had.
        self.now: list[int | None] = [
            index if index is not None and mark in (None, self._marks[index]) else None
            for index, mark in zip(map(self._index_of.get, old_paths), self._old_marks, strict=True)
        ]
        self._left = [old for old, index in enumerate(self.now) if index is None]
        self.free = set(self._index_of.values()).difference(self.now)

    def go(self, moved: Iterable[tuple[bytes, bytes]], gone: Collection[int]) -> None:
        """Search by all rules, one after the other."""
        self._take(self._by_mark(_rename_key))
        self._take(self._by_mark(_file_key))
        self._take(self._by_older_mark())
        # A vanished track cannot have been moved: the moved file was another of the same path.
        where = _followed({old: self._old_paths[old] for old in self._left if old not in gone}, moved)
        self._take(lambda old: self._index_of.get(where.get(old, b"")))
        self._take(self._by_path_and_audio)
        self._take(self._by_content(0))
        self._take(self._by_content(_TAGS_BITS))
        self._take(lambda old: self._index_of.get(self._old_paths[old]))
        self._take(self._by_mark(_copy_key))
        self._take(self._by_mark(_copy_rename_key))

    def _take(self, find: _Find) -> None:
        """Let a rule find tracks."""
        still = []
        for old in self._left:
            index = find(old)
            if index is not None and index in self.free:
                self.now[old] = index
                self.free.discard(index)
            else:
                still.append(old)
        self._left = still

    def _by_path_and_audio(self, old: int) -> int | None:
        """Find the track with the same path and the same audio."""
        index, mark = self._index_of.get(self._old_paths[old]), self._old_marks[old]
        is_same = index is not None and mark is not None and _audio(mark) == _audio(self._marks[index])
        return index if is_same else None

    def _by_content(self, ignored_bits: int) -> _Find:
        """Find tracks by audio and tags, or by audio alone, that no other track in question has.

        Few tracks of the whole library may have it, so that it is no clip that many files share.
        """
        if not self._left or not self.free:
            return lambda _: None
        contents = [_contents(marks, ignored_bits) for marks in self._all_marks]
        few = 1 + len(contents[1]) // _CHANCE
        old_counts = Counter(
            mark[_CONTENT] >> ignored_bits for mark in map(self._old_marks.__getitem__, self._left) if mark
        )
        # Counting one number takes a fourth of the time that counting all of them takes.
        in_all = [Counter(one) if len(old_counts) > _FEW_LEFT else one for one in contents]
        free: defaultdict[int, list[int]] = defaultdict(list)
        for index in self.free:
            free[self._marks[index][_CONTENT] >> ignored_bits].append(index)

        def find(old: int) -> int | None:
            mark = self._old_marks[old]
            if mark is None or not _audio(mark):
                return None
            content = mark[_CONTENT] >> ignored_bits
            is_rare = max(_count(counts, content) for counts in in_all) <= few
            return free[content][0] if is_rare and old_counts[content] == len(free[content]) == 1 else None

        return find

    def _by_older_mark(self) -> _Find:
        """Find tracks by a size and time that no other track in question has.

        Only for marks of older versions, which know no audio and no birth time, and look like no
        mark of now.
        """
        older = {
            old: _size_and_time(mark)
            for old in self._left
            if (mark := self._old_marks[old]) and _is_older(mark)
        }
        if not older:
            return lambda _: None
        left = Counter(older.values())
        free: defaultdict[_SizeAndTime, list[int]] = defaultdict(list)
        for index in self.free:
            if not _is_older(self._marks[index]):
                free[_size_and_time(self._marks[index])].append(index)

        def find(old: int) -> int | None:
            key = older.get(old)
            return free[key][0] if key is not None and left[key] == len(free[key]) == 1 else None

        return find

    def _by_mark(self, key: Callable[[_Mark], object | None]) -> _Find:
        """Find tracks by this key of their marks; of several the first in path order."""
        by_key = defaultdict(list)
        for index in sorted(self.free, reverse=True) if self._left else ():
            by_key[key(self._marks[index])].append(index)

        def find(old: int) -> int | None:
            mark = self._old_marks[old]
            mark_key = None if mark is None else key(mark)
            return by_key[mark_key].pop() if mark_key is not None and by_key.get(mark_key) else None

        return find


def _contents(marks: bytes, ignored_bits: int) -> "array[int]":
    """Return the contents of marks, without the bits that tell of tags if these are ignored."""
    contents = array("q", marks)[_CONTENT::4]
    if not ignored_bits:
        return contents
    return array("i", contents.tobytes())[sys.byteorder == "little" :: 2]  # the high halves


def _count(counts: "Counter[int] | array[int]", content: int) -> int:
    return counts[content] if isinstance(counts, Counter) else counts.count(content)


def _rows(marks: bytes) -> list[_Mark]:
    numbers = array("q", marks)
    return list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4], strict=True))


def _rename_key(mark: _Mark) -> object | None:
    """Return what stays when a file is renamed; its tags may have been read meanwhile.

    None without stamps: all such files look alike.
    """
    return (*mark[:_CONTENT], mark[_FILE]) if mark[_SIZE] > 0 else None


def _file_key(mark: _Mark) -> object | None:
    """Return what stays when a file is retagged in place and renamed; None without a birth time."""
    return mark[_FILE] if mark[_FILE] < 0 else None


def _is_older(mark: _Mark) -> bool:
    """Return whether a mark has neither a birth time nor audio, like those of older versions."""
    return mark[_SIZE] > 0 and mark[_FILE] >= 0 and not _audio(mark)


def _size_and_time(mark: _Mark) -> _SizeAndTime:
    return mark[0], mark[1]


def _copy_key(mark: _Mark) -> object | None:
    """Return what stays when a file is moved to another file system."""
    return mark[:_FILE] if mark[_SIZE] > 0 else None


def _copy_rename_key(mark: _Mark) -> object | None:
    """Return what stays of a file without a title, whose EXTINF line has its name; None without audio."""
    return (*mark[:_CONTENT], _audio(mark)) if mark[_SIZE] > 0 and _audio(mark) else None


def _audio(mark: _Mark) -> int:
    """Return the checksum of the audio, 0 if unknown."""
    return mark[_CONTENT] >> _TAGS_BITS


def _followed(paths: Mapping[int, bytes], moved: Iterable[tuple[bytes, bytes]]) -> dict[int, bytes]:
    """Return the path, after all moves in their order, of each track that was moved."""
    track_at = {path: old for old, path in paths.items()}
    folders = {folder for path in track_at for folder in _above(path)}
    where: dict[int, bytes] = {}
    for source, target in moved if track_at else ():
        moving = [source] if source in track_at else []
        if source in folders:
            moving += [path for path in track_at if path.startswith(source + b"/")]
        for path in moving:
            to = target + path[len(source) :]
            old = track_at.pop(path)
            where.pop(track_at.get(to, old), None)  # what stood there is overwritten
            track_at[to], where[old] = old, to
            folders.update(_above(to))
    return where


def _above(path: bytes) -> Iterator[bytes]:
    """Yield the folders that a path is in, the nearest first."""
    while (end := path.rfind(b"/")) > 0:
        path = path[:end]
        yield path
