"""Find known tracks among the files of a scan.

A renamed file keeps size, time and inode; a retagged file keeps its audio and mostly its inode; a copy on
another file system keeps only its audio. A later file may reuse an inode, so an inode counts only with the
birth time, or with size and time.
"""

import os
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import NamedTuple

from playshuffle.library.marks import (
    CONTENT,
    FILE,
    TAGS_BITS,
    Mark,
    Marks,
    audio_of,
    copy_key,
    copy_rename_key,
    file_key,
    is_certain,
    is_new_version,
    is_unread,
    rename_key,
)
from playshuffle.library.missing import is_gone
from playshuffle.system import mounts

_CHANCE = 100  # of this many tracks, two may have the same length and rates by chance

_Find = Callable[[int], int | None]


class Origin(Enum):
    """Where a known track was before a scan."""

    ENTERED = "a folder in which the scan found files"
    GONE = "another folder, where nothing is at its path"
    ELSEWHERE = "another folder; it may have been moved or be reached by another path"
    VANISHED = "no folder: it vanished before"


class KnownTrack(NamedTuple):
    """A track as known before a scan."""

    number: int
    path: bytes
    mark: Mark
    origin: Origin


class Search:
    """A search for known tracks, rule by rule. A track found by one rule is not searched for by later ones.

    The rules compare, in this order: path and mark; path, size, time and audio, if the file system may give
    its files other inodes at each mount; the part of the mark that renaming keeps; birth time and
    inode; the path after observed moves; path and audio; audio, if it is rare and no other searched track has
    it; path; path without suffix, and tags; time, if the tags were never read; size, time and audio. If only
    length and rates of the audio are known, tags, name or folder must be the same, too.
    """

    def __init__(
        self,
        known_tracks: Sequence[KnownTrack],
        paths: Sequence[bytes],
        marks: Marks,
        contents: Callable[[], tuple["array[int]", "array[int]"]],
        *,
        is_drive_missing: bool,
    ) -> None:
        """Find the tracks whose path and mark are unchanged.

        Args:
            contents: returns the checksums of audio and tags, for all known tracks and for all files of the
                scan.
            is_drive_missing: a track may be on a missing drive, so a path alone identifies no track.
        """
        self.known = known_tracks
        self._is_drive_missing = is_drive_missing
        self._contents = contents
        self._index_of = {path: index for index, path in enumerate(paths)}
        self._paths = paths
        self._marks = marks
        self._numbers_last = cache(_numbers_last)
        # Nearly all are unchanged. Two known tracks may have one path: a present track, and one that vanished
        # before.
        self.indices: list[int | None] = [None] * len(known_tracks)
        taken: set[int] = set()
        for old, track in enumerate(known_tracks):
            index = self._index_of.get(track.path)
            if index is not None and track.mark == marks[index] and index not in taken:
                self.indices[old] = index
                taken.add(index)
        self._left = [old for old, index in enumerate(self.indices) if index is None]
        self.free = set(self._index_of.values())
        self.free.difference_update(taken)

    def run(self, moved: Iterable[tuple[bytes, bytes]]) -> None:
        self._take(self._by_path_and_copy)
        self._take(self._by_mark(rename_key))
        self._take(self._by_mark(file_key))
        # A vanished track cannot have been moved: the moved file was another one at the same path.
        present = (old for old in self._left if self.known[old].origin is not Origin.VANISHED)
        where = _paths_after({old: self.known[old].path for old in present}, moved)
        self._take(lambda old: self._index_of.get(where.get(old, b"")))
        # Before the content, so that a retagged file stays its track though a copy has its old tags.
        self._take(self._by_path_and_audio)
        self._take(self._by_content(0))
        self._take(self._by_content(TAGS_BITS))
        self._take(self._by_path)
        self._take(self._by_stem())
        by_time = self._by_mark(lambda mark: mark[1])
        self._take(lambda old: by_time(old) if is_unread(self.known[old].mark) else None)
        self._take(self._by_mark(copy_key))
        self._take(self._by_mark(copy_rename_key))

    def _take(self, find: _Find) -> None:
        still = []
        for old in self._left:
            index = find(old)
            if index is not None and index in self.free:
                self.indices[old] = index
                self.free.discard(index)
            else:
                still.append(old)
        self._left = still

    def _by_path_and_copy(self, old: int) -> int | None:
        _, path, mark, _ = self.known[old]
        index = self._index_of.get(path)
        if index is None or min(mark[FILE], self._marks[index][FILE]) < 0:  # it has a birth time
            return None
        is_same = copy_key(mark) is not None and copy_key(mark) == copy_key(self._marks[index])
        return None if not is_same or self._numbers_last(os.path.dirname(path)) else index

    def _by_path_and_audio(self, old: int) -> int | None:
        _, path, mark, _ = self.known[old]
        index = self._index_of.get(path)
        is_same = index is not None and audio_of(mark) == audio_of(self._marks[index])
        return index if is_same else None

    def _by_path(self, old: int) -> int | None:
        _, path, mark, _ = self.known[old]
        index = self._index_of.get(path)
        if index is None or not self._is_drive_missing:
            return index
        return None if audio_of(mark) and audio_of(self._marks[index]) else index

    def _by_stem(self) -> _Find:
        by_stem: defaultdict[bytes, list[int]] = defaultdict(list)
        for index in sorted(self.free) if self._left else ():
            by_stem[os.path.splitext(self._paths[index])[0]].append(index)

        def find(old: int) -> int | None:
            _, path, mark, _ = self.known[old]
            versions = by_stem.get(os.path.splitext(path)[0], ())
            matching = (index for index in versions if is_new_version(mark, self._marks[index]))
            index = next((index for index in matching if index in self.free), None)
            return index if index is not None and self._paths[index] != path and is_gone(path) else None

        return find

    def _by_content(self, ignored_bits: int) -> _Find:
        """Find tracks by audio and tags, or by audio alone, unless several searched tracks have equal ones.

        Audio that many tracks of the library have, such as a clip of silence, identifies no track.
        """
        old_counts = Counter(self.known[old].mark[CONTENT] >> ignored_bits for old in self._left)
        free: defaultdict[int, list[int]] = defaultdict(list)
        for index in self.free if self._left else ():
            free[self._marks[index][CONTENT] >> ignored_bits].append(index)
        if free.keys().isdisjoint(old_counts):
            return lambda _: None
        contents = self._contents()
        few = 1 + len(contents[1]) // _CHANCE
        in_all = [Counter(content >> ignored_bits for content in part) for part in contents]

        def find(old: int) -> int | None:
            mark = self.known[old].mark
            if not audio_of(mark):
                return None
            content = mark[CONTENT] >> ignored_bits
            is_rare = max(counts[content] for counts in in_all) <= few
            if not is_rare or not old_counts[content] == len(free[content]) == 1:
                return None
            index = free[content][0]
            is_same = not ignored_bits or is_certain(mark) or self._is_near(old, index)
            return index if is_same else None

        return find

    def _is_near(self, old: int, index: int) -> bool:
        folder, _, name = self.known[old].path.rpartition(b"/")
        other_folder, _, other_name = self._paths[index].rpartition(b"/")
        return folder == other_folder or name == other_name

    def _by_mark(self, key: Callable[[Mark], object | None]) -> _Find:
        by_key = defaultdict(list)
        for index in sorted(self.free, reverse=True) if self._left else ():
            by_key[key(self._marks[index])].append(index)

        def find(old: int) -> int | None:
            mark = self.known[old].mark
            mark_key = key(mark)
            return by_key[mark_key].pop() if mark_key is not None and by_key.get(mark_key) else None

        return find


def _numbers_last(folder: bytes) -> bool:
    kind = mounts.device_kind(folder)
    return kind is not None and kind[1] in mounts.LASTING_NUMBERS


def _paths_after(paths: Mapping[int, bytes], moved: Iterable[tuple[bytes, bytes]]) -> dict[int, bytes]:
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
            where.pop(track_at.get(to, old), None)  # the file there is overwritten
            track_at[to], where[old] = old, to
            folders.update(_above(to))
    return where


def _above(path: bytes) -> Iterator[bytes]:
    while (end := path.rfind(b"/")) > 0:
        path = path[:end]
        yield path
