"""Find remembered tracks among those of now, whatever they are called now.

A renamed file keeps size, time and inode. A retagged file keeps its audio and mostly its inode, and
a copy on another file system its audio alone. An inode number proves nothing by itself, since that
of a deleted file is used again: it counts with the birth time of the file, or with size and time.
"""

import contextlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from playshuffle.library.marks import (
    CONTENT,
    MARK_BYTES,
    TAGS_BITS,
    Mark,
    audio_of,
    contents_of,
    copy_key,
    copy_rename_key,
    file_key,
    mark_rows,
    rename_key,
)
from playshuffle.library.observed_moves import paths_after

_BLOCK = 1 << 14  # entries that are compared at once
_FEW_LEFT = 4
_CHANCE = 100  # of this many tracks two may have the same length and rates by chance


class Remembered(NamedTuple):
    """An order as it was remembered.

    paths: all its tracks, in library order. marks: `MARK_BYTES` for each track, by which a renamed one
        is recognised; empty if none were stored. places: the order, an index array over the paths.
    gone: the tracks that had disappeared, by index, and since when, in Unix seconds.
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

    @property
    def absent(self) -> list[int]:
        """The remembered tracks that are missing now, ascending."""
        found: list[int] = []
        with contextlib.suppress(ValueError):
            while True:  # index() is fast, and mostly few are missing
                found.append(self.now.index(None, found[-1] + 1 if found else 0))
        return found

    def indices(self, absent: int) -> list[int]:
        """Return the present index of each remembered track; `absent` for a missing one."""
        indices = [*self.now]
        for old in self.absent:
            indices[old] = absent
        return indices  # type: ignore[return-value] # None of them is None


def identify(
    before: Remembered,
    paths: Sequence[bytes],
    marks: bytes,
    moved: Iterable[tuple[bytes, bytes]] = (),
    *,
    is_whole: bool = True,
) -> Identity:
    """Find each remembered track among those of now.

    The rules, in this order: by what no renaming changes; by the file itself where birth times
    are known; by the moves that were seen; by its path if the audio is the same; by its audio if
    that is rare and no other track in question has it; by its path; by size, time and content.

    Args:
        before: as it was remembered.
        paths: the tracks of now, in library order.
        marks: of these.
        moved: files and folders that were seen to be moved: from, to.
        is_whole: no drive is missing. Else a track may have moved there, so that its path alone does
            not identify it.
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
        is_whole=is_whole,
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
    head, tail = _common_start(old, new), _common_end(old, new)
    return head, min(tail, min(len(old), len(new)) - head)


def _common_start(old: Sequence[object], new: Sequence[object]) -> int:
    return _equal_count(min(len(old), len(new)), lambda start, end: old[start:end] == new[start:end])


def _common_end(old: Sequence[object], new: Sequence[object]) -> int:
    return _equal_count(
        min(len(old), len(new)),
        lambda start, end: old[len(old) - end : len(old) - start] == new[len(new) - end : len(new) - start],
    )


def _equal_count(count: int, are_equal: Callable[[int, int], bool]) -> int:
    """Return how many entries are equal before the first difference.

    are_equal: returns whether the entries from its first argument up to its second are equal.
    """
    # Slices are compared at the speed of C, and short ones take little memory.
    low = 0
    while low < count and are_equal(low, min(low + _BLOCK, count)):
        low = min(low + _BLOCK, count)
    high = min(low + _BLOCK, count)
    while low < high:
        middle = (low + high + 1) // 2
        if are_equal(low, middle):
            low = middle
        else:
            high = middle - 1
    return low


def _same_tracks(before: Remembered, paths: Sequence[bytes], marks: bytes) -> tuple[int, int]:
    """Return how many tracks are equal in path and mark at the start, and how many at the end."""
    were = before.paths[: before.present_count]
    head, tail = _common_start(were, paths), _common_end(were, paths)
    if before.marks:
        old = before.marks[: MARK_BYTES * before.present_count]
        head = min(head, _common_start(old, marks) // MARK_BYTES)
        tail = min(tail, _common_end(old, marks) // MARK_BYTES)
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
        *,
        is_whole: bool = True,
    ) -> None:
        """Begin with what has the path and the mark it had.

        Args:
            old_paths: the remembered tracks to find.
            old_marks: of these; empty if there are none.
            paths: the tracks of now to find them among.
            marks: of these.
            all_marks: of all remembered tracks, and of all tracks of now.
            is_whole: as `identify` has it.
        """
        self._is_whole = is_whole
        self._all_marks = all_marks
        self._old_paths = old_paths
        self._index_of = {path: index for index, path in enumerate(paths)}
        self._marks = mark_rows(marks)
        self._old_marks = mark_rows(old_marks) if old_marks else [None] * len(old_paths)
        # Nearly all have the path and the mark they had.
        self.now: list[int | None] = [
            index if index is not None and mark in (None, self._marks[index]) else None
            for index, mark in zip(map(self._index_of.get, old_paths), self._old_marks, strict=True)
        ]
        self._left = [old for old, index in enumerate(self.now) if index is None]
        self.free = set(self._index_of.values()).difference(self.now)

    def go(self, moved: Iterable[tuple[bytes, bytes]], gone: Collection[int]) -> None:
        """Search by all rules, one after the other."""
        self._take(self._by_mark(rename_key))
        self._take(self._by_mark(file_key))
        # A vanished track cannot have been moved: the moved file was another of the same path.
        where = paths_after({old: self._old_paths[old] for old in self._left if old not in gone}, moved)
        self._take(lambda old: self._index_of.get(where.get(old, b"")))
        self._take(self._by_path_and_audio)
        self._take(self._by_content(0))
        self._take(self._by_content(TAGS_BITS))
        self._take(self._by_path)
        self._take(self._by_mark(copy_key))
        self._take(self._by_mark(copy_rename_key))

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
        is_same = index is not None and mark is not None and audio_of(mark) == audio_of(self._marks[index])
        return index if is_same else None

    def _by_path(self, old: int) -> int | None:
        """Find the track with the same path: a new version, unless the old one may be on a missing drive."""
        index, mark = self._index_of.get(self._old_paths[old]), self._old_marks[old]
        if index is None or self._is_whole or mark is None:
            return index
        return None if audio_of(mark) and audio_of(self._marks[index]) else index

    def _by_content(self, ignored_bits: int) -> _Find:
        """Find tracks by audio and tags, or by audio alone, that no other track in question has.

        Few tracks of the whole library may have it, so that it is no clip that many files share.
        """
        if not self._left or not self.free:
            return lambda _: None
        contents = [contents_of(marks, ignored_bits) for marks in self._all_marks]
        few = 1 + len(contents[1]) // _CHANCE
        old_counts = Counter(
            mark[CONTENT] >> ignored_bits for mark in map(self._old_marks.__getitem__, self._left) if mark
        )
        # Counting one number takes a fourth of the time that counting all of them takes.
        in_all = [Counter(one) if len(old_counts) > _FEW_LEFT else one for one in contents]
        free: defaultdict[int, list[int]] = defaultdict(list)
        for index in self.free:
            free[self._marks[index][CONTENT] >> ignored_bits].append(index)

        def find(old: int) -> int | None:
            mark = self._old_marks[old]
            if mark is None or not audio_of(mark):
                return None
            content = mark[CONTENT] >> ignored_bits
            is_rare = max(_count(counts, content) for counts in in_all) <= few
            return free[content][0] if is_rare and old_counts[content] == len(free[content]) == 1 else None

        return find

    def _by_mark(self, key: Callable[[Mark], object | None]) -> _Find:
        """Find tracks by this key of their marks; of several the first in path order."""
        by_key = defaultdict(list)
        for index in sorted(self.free, reverse=True) if self._left else ():
            by_key[key(self._marks[index])].append(index)

        def find(old: int) -> int | None:
            mark = self._old_marks[old]
            mark_key = None if mark is None else key(mark)
            return by_key[mark_key].pop() if mark_key is not None and by_key.get(mark_key) else None

        return find


def _count(counts: "Counter[int] | array[int]", content: int) -> int:
    return counts[content] if isinstance(counts, Counter) else counts.count(content)
