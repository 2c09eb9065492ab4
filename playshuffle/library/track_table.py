"""Give each track a number that it keeps, whatever happens to its file.

The table has a row for each folder, so that a folder without changes costs nothing. Which file is which
track is found out once for each scan, for all playlists. A number is never used again.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple, Self

from playshuffle.library.identity import Search
from playshuffle.library.marks import MARK_BYTES, Mark, copy_key, file_key, mark_rows, rename_key
from playshuffle.library.missing import is_gone
from playshuffle.library.tracks import Tracks, marks_of
from playshuffle.system.mounts import Mount

# A track that vanished keeps its number for so long. A round of a deck may take months, and a track that
# was dealt in it must be known when it returns.
_VANISHED_S = 366 * 86_400


class FolderRow(NamedTuple):
    """The tracks of one folder: names joined by '/', and of each a number and a mark.

    A number has four bytes, a mark `MARK_BYTES`.
    """

    names: bytes
    numbers: bytes
    marks: bytes

    def each(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Return the name, the number and the mark of each track."""
        marks = (self.marks[at : at + MARK_BYTES] for at in range(0, len(self.marks), MARK_BYTES))
        return zip(self.names.split(b"/"), array("I", self.numbers), marks, strict=True)


class Vanished(NamedTuple):
    """A track without a file: its last path and mark, and since when, in Unix seconds."""

    path: bytes
    mark: bytes
    since_s: int


class KnownRoot(NamedTuple):
    """A root as the last scan found it: the numbers of its tracks, and the mounts it is on."""

    numbers: "array[int]"
    mounts: Sequence[Mount]


# The path of a root, and whether its scan used ignore files.
RootKey = tuple[bytes, bool]


@dataclass(frozen=True, slots=True)
class TrackTable:
    """All known tracks.

    Attributes:
        folders: by path, which ends in a slash.
        vanished: by number. A number may be in a folder, too, if another file has taken the path of a track
            and counts as its new version: then this is its former version, which may still be found.
        next_number: of the next new track.
        roots: what the last scan of each root found.
        renamed: numbers of the tracks that got another path in the last scan.
    """

    folders: Mapping[bytes, FolderRow] = field(default_factory=dict)
    vanished: Mapping[int, Vanished] = field(default_factory=dict)
    next_number: int = 1
    roots: Mapping[RootKey, KnownRoot] = field(default_factory=dict)
    renamed: frozenset[int] = frozenset()

    def paths_of(self, numbers: Collection[int]) -> dict[int, bytes]:
        """Return the path of each track that is known, and the last one of a track that vanished."""
        wanted = frozenset(numbers)
        paths = {number: self.vanished[number].path for number in wanted.intersection(self.vanished)}
        for folder, row in self.folders.items() if wanted else ():
            if not wanted.isdisjoint(array("I", row.numbers)):
                paths |= {number: folder + name for name, number, _ in row.each() if number in wanted}
        return paths

    def numbers_of(self, tracks: Tracks) -> "array[int]":
        """Return the number of each track of a library that was recognised."""
        numbers = array("I")
        for folder in tracks.folders:
            row = self.folders.get(folder.path)
            if row is not None and row.names == folder.names:
                numbers.frombytes(row.numbers)
            else:
                known = (
                    {}
                    if row is None
                    else dict(zip(row.names.split(b"/"), array("I", row.numbers), strict=True))
                )
                numbers.extend(known.get(name, 0) for name in folder.file_names())
        return numbers if tracks.chosen is None else array("I", [numbers[row] for row in tracks.chosen])


def recognise(
    table: TrackTable,
    libraries: Iterable[Tracks],
    moved: Sequence[tuple[bytes, bytes]],
    *,
    scanned: Collection[bytes],
    missing: Collection[bytes] = (),
    now_s: int,
) -> TrackTable:
    """Find out which file of a scan is which known track, and number the new ones.

    A track is gone if there is nothing at its path any more. What the scan did not enter, such as a hidden
    folder, says nothing, and what is below a missing root stays as it is.

    Args:
        table: as the last scan left it.
        libraries: the tracks that the scan found.
        moved: files and folders that were seen to be moved: from, to.
        scanned: roots, without a slash at the end, in which the scan has looked for everything.
        missing: roots that cannot be reached now.
        now_s: Unix time.

    Cost: O(number of folders), and O(n) for the tracks of those that have changed.
    """
    found = _found(libraries, table)
    changed = [path for path, row in found.items() if not _is_same(table.folders.get(path), row)]
    if changed and table.vanished:
        table = _without_new_versions(table, found, changed)
        changed = [path for path, row in found.items() if not _is_same(table.folders.get(path), row)]
    reach = _Reach(scanned, missing)
    unfound = [path for path in table.folders if path not in found and reach.was_scanned(path)]
    gone = {path: rows for path in unfound if (rows := _gone_rows(path, table.folders[path]))}
    if not changed and not gone:
        return _expired(table, now_s)
    return _Recognition(table, found, changed, gone, reach, now_s).table(moved, is_whole=not missing)


def _without_new_versions(
    table: TrackTable, found: Mapping[bytes, "_Found"], changed: Sequence[bytes]
) -> TrackTable:
    """Return the table without new versions of tracks whose former version is among the changed files."""
    files = {_FileKey.of(mark) for path in changed for mark in mark_rows(found[path].marks)}
    files.discard(_FileKey(None))
    returned = {
        number for number, former in table.vanished.items() if _FileKey.of(*mark_rows(former.mark)) in files
    }
    folders = dict(table.folders)
    for path, row in table.folders.items() if returned else ():
        if not returned.isdisjoint(array("I", row.numbers)):
            _put(folders, path, [each for each in row.each() if each[1] not in returned])
    return replace(table, folders=folders) if returned else table


class _FileKey(NamedTuple):
    """What identifies a file: its birth, or inode, size and time."""

    key: object

    @classmethod
    def of(cls, mark: Mark) -> Self:
        """Return the key of the file with a mark."""
        return cls(file_key(mark) or rename_key(mark))


class _Reach:
    """Which folders a scan could reach: the innermost root that a folder is below decides."""

    def __init__(self, scanned: Collection[bytes], missing: Collection[bytes]) -> None:
        self._scanned = _tops(scanned)
        self._missing = _tops(missing)

    def was_scanned(self, folder: bytes) -> bool:
        """Return whether a folder is below a root that was scanned, and not below a missing one."""
        return _depth(folder, self._scanned) > _depth(folder, self._missing)

    def is_missing(self, folder: bytes) -> bool:
        """Return whether a folder is below a missing root."""
        return bool(self._missing) and _depth(folder, self._missing) > _depth(folder, self._scanned)


def _tops(roots: Iterable[bytes]) -> tuple[bytes, ...]:
    return tuple(root.rstrip(b"/") + b"/" for root in roots)


def _depth(folder: bytes, tops: Sequence[bytes]) -> int:
    """Return the length of the innermost root that a folder is below, 0 if there is none."""
    return max((len(top) for top in tops if folder.startswith(top)), default=0)


# Name, number and mark of a track.
_Row = tuple[bytes, int, bytes]


def _gone_rows(folder: bytes, row: FolderRow) -> list[_Row]:
    """Return the tracks of a folder whose files are gone."""
    if is_gone(folder):
        return [*row.each()]
    return [each for each in row.each() if is_gone(folder + each[0])]


def _expired(table: TrackTable, now_s: int) -> TrackTable:
    """Return the table without tracks that vanished long ago."""
    if all(now_s - each.since_s <= _VANISHED_S for each in table.vanished.values()):
        return replace(table, renamed=frozenset())
    vanished = {
        number: each for number, each in table.vanished.items() if now_s - each.since_s <= _VANISHED_S
    }
    return replace(table, vanished=vanished, renamed=frozenset())


class _Found(NamedTuple):
    """The tracks of a folder that a scan found: names joined by '/', and their marks."""

    names: bytes
    marks: bytes


def _found(libraries: Iterable[Tracks], table: TrackTable) -> dict[bytes, _Found]:
    """Return the tracks that a scan found, by folder; those of several libraries together."""
    found: dict[bytes, _Found] = {}
    seen: set[int] = set()
    for tracks in libraries:
        marks = marks_of(tracks.folders)
        rows = None if tracks.chosen is None else frozenset(tracks.chosen)
        start = 0
        for folder in tracks.folders:
            end = start + folder.track_count
            if rows is None:
                if id(folder) not in seen:  # another library may have the same folder, whole
                    one = _Found(folder.names, marks[MARK_BYTES * start : MARK_BYTES * end])
                    found[folder.path] = _united(found.get(folder.path), one)
                    seen.add(id(folder))
            else:
                names = folder.file_names()
                kept = [row for row in range(start, end) if row in rows]
                if kept:
                    one = _Found(
                        b"/".join([names[row - start] for row in kept]),
                        b"".join([marks[MARK_BYTES * row : MARK_BYTES * (row + 1)] for row in kept]),
                    )
                    found[folder.path] = _united(found.get(folder.path), one)
            start = end
            if folder.durations_ms is None and folder.path in found:  # tags were not read, nor times compared
                found[folder.path] = _with_known_marks(found[folder.path], table.folders.get(folder.path))
    return found


def _with_known_marks(found: _Found, row: FolderRow | None) -> _Found:
    """Return the tracks of a folder with the marks that they are known by."""
    if row is None:
        return found
    known = dict(zip(row.names.split(b"/"), _marks_in(row.marks), strict=True))
    names = found.names.split(b"/")
    marks = zip(names, _marks_in(found.marks), strict=True)
    return _Found(found.names, b"".join([known.get(name, mark) for name, mark in marks]))


def _united(one: _Found | None, other: _Found) -> _Found:
    if one is None or one == other:
        return other
    marks = dict(zip(one.names.split(b"/"), _marks_in(one.marks), strict=True))
    marks |= zip(other.names.split(b"/"), _marks_in(other.marks), strict=True)
    names = sorted(marks)
    return _Found(b"/".join(names), b"".join(map(marks.__getitem__, names)))


def _marks_in(marks: bytes) -> list[bytes]:
    return [marks[at : at + MARK_BYTES] for at in range(0, len(marks), MARK_BYTES)]


def _is_same(row: FolderRow | None, found: _Found) -> bool:
    return row is not None and row.names == found.names and row.marks == found.marks


class _Recognition:
    """The recognition of one scan: what is looked for, and where."""

    def __init__(
        self,
        table: TrackTable,
        found: Mapping[bytes, _Found],
        changed: Sequence[bytes],
        gone: Mapping[bytes, Sequence[_Row]],
        reach: _Reach,
        now_s: int,
    ) -> None:
        self._old = table
        self._all_found = found
        self._now_s = now_s
        self._changed = changed
        self._gone = gone
        self._reach = reach
        # Files of the changed folders.
        self._paths: list[bytes] = []
        marks = []
        for path in changed:
            self._paths += map(path.__add__, found[path].names.split(b"/"))
            marks.append(found[path].marks)
        self._marks = b"".join(marks)
        # Known tracks that may be any of them.
        self._numbers: list[int] = []
        self._old_paths: list[bytes] = []
        self._old_marks: list[bytes] = []
        for path in changed:
            row = table.folders.get(path)
            for name, number, mark in row.each() if row is not None else ():
                self._add(number, path + name, mark)
        for path, rows in gone.items():
            for name, number, mark in rows:
                self._add(number, path + name, mark)
        self._present_count = len(self._numbers)
        present = frozenset(chain.from_iterable(array("I", row.numbers) for row in table.folders.values()))
        self._former = {number: each for number, each in table.vanished.items() if number in present}
        for number, each in table.vanished.items():
            if number not in present:
                self._add(number, each.path, each.mark)
        self._known_count = len(self._numbers)

    def _add(self, number: int, path: bytes, mark: bytes) -> None:
        self._numbers.append(number)
        self._old_paths.append(path)
        self._old_marks.append(mark)

    def table(self, moved: Sequence[tuple[bytes, bytes]], *, is_whole: bool) -> TrackTable:
        """Return the table after the scan."""
        self._add_from_elsewhere()
        search = Search(
            self._old_paths,
            b"".join(self._old_marks),
            self._paths,
            self._marks,
            self._all_marks,
            is_whole=is_whole,
        )
        vanished_indices = range(self._present_count, self._known_count)
        search.go(moved, vanished_indices)
        numbers = array("I", bytes(4 * len(self._paths)))
        for old, index in enumerate(search.now):
            if index is not None:
                numbers[index] = self._numbers[old]
        next_number = self._old.next_number
        for index in sorted(search.free):
            numbers[index] = next_number
            next_number += 1
        kept, vanished = self._not_found(search.now)
        vanished |= self._former | self._new_versions(search.now)
        renamed = frozenset(
            self._numbers[old]
            for old, index in enumerate(search.now)
            if index is not None
            and old not in vanished_indices
            and self._old_paths[old] != self._paths[index]
        )
        folders = self._folders(numbers, kept)
        table = replace(
            self._old, folders=folders, vanished=vanished, next_number=next_number, renamed=renamed
        )
        return replace(_expired(table, self._now_s), renamed=renamed)

    def _new_versions(self, now: Sequence[int | None]) -> dict[int, Vanished]:
        """Return the former versions of tracks whose path has another file, if that may be elsewhere.

        A scan of some folders cannot tell whether the former file was replaced or moved to another folder.
        """
        if self._all_found.keys() >= self._old.folders.keys():
            return {}
        marks = mark_rows(self._marks)
        former = {}
        for old, index in enumerate(now):
            if index is not None and self._old_paths[old] == self._paths[index]:
                [mark] = mark_rows(self._old_marks[old])
                if _FileKey.of(mark) != _FileKey.of(marks[index]):
                    former[self._numbers[old]] = Vanished(
                        self._old_paths[old], self._old_marks[old], self._now_s
                    )
        return former

    def _add_from_elsewhere(self) -> None:
        """Add tracks of folders that the scan did not enter, if a new file may be one of them."""
        elsewhere = [path for path in self._old.folders if path not in self._all_found]
        if not elsewhere:
            return
        known = frozenset(zip(self._old_paths, self._old_marks, strict=True))
        gone = {number for rows in self._gone.values() for _, number, _ in rows}
        new = [
            mark
            for path, mark, packed in zip(
                self._paths, mark_rows(self._marks), _marks_in(self._marks), strict=True
            )
            if (path, packed) not in known
        ]
        files = {_FileKey.of(mark) for mark in new} - {_FileKey(None)}
        copies = {copy_key(mark) for mark in new} - {None}
        if not files and not copies:
            return
        for path in elsewhere:
            row = self._old.folders[path]
            may_be_copied = not self._reach.is_missing(path)
            for (name, number, packed), mark in zip(row.each(), mark_rows(row.marks), strict=True):
                # The same file may be reached by another path now, or have left a drive that is missing.
                is_copied = may_be_copied and copy_key(mark) in copies and is_gone(path + name)
                if number not in gone and (is_copied or _FileKey.of(mark) in files):
                    self._add(number, path + name, packed)

    def _all_marks(self) -> tuple[bytes, bytes]:
        """Return the marks of all known tracks, and of all files."""
        old = [row.marks for row in self._old.folders.values()]
        old += [each.mark for each in self._old.vanished.values()]
        return b"".join(old), b"".join([each.marks for each in self._all_found.values()])

    def _not_found(self, now: Sequence[int | None]) -> tuple[dict[bytes, list[_Row]], dict[int, Vanished]]:
        """Return the tracks that were not found, but are at their path still, by folder; and the others."""
        taken = frozenset(self._paths)
        kept: dict[bytes, list[_Row]] = {}
        vanished: dict[int, Vanished] = {}
        for old, index in enumerate(now):
            if index is not None:
                continue
            number, path, mark = self._numbers[old], self._old_paths[old], self._old_marks[old]
            before = self._old.vanished.get(number)
            if before is not None:
                vanished[number] = before._replace(since_s=min(before.since_s, self._now_s))
            elif path in taken or (is_gone(path) and not self._reach.is_missing(path)):
                vanished[number] = Vanished(path, mark, self._now_s)
            else:  # hidden, ignored, or not taken for a track now
                cut = path.rfind(b"/") + 1
                kept.setdefault(path[:cut], []).append((path[cut:], number, mark))
        return kept, vanished

    def _folders(self, numbers: "array[int]", kept: Mapping[bytes, Sequence[_Row]]) -> dict[bytes, FolderRow]:
        """Return the rows of all folders."""
        folders = dict(self._old.folders)
        # Some of the tracks in folders that the scan did not enter are gone, or were found elsewhere.
        left = {number for rows in self._gone.values() for _, number, _ in rows}
        left.update(self._numbers[self._known_count :])
        for path, row in self._old.folders.items() if left else ():
            if path not in self._all_found and not left.isdisjoint(array("I", row.numbers)):
                _put(folders, path, [each for each in row.each() if each[1] not in left])
        start = 0
        for path in self._changed:
            one = self._all_found[path]
            count = len(one.marks) // MARK_BYTES
            folders[path] = FolderRow(one.names, numbers[start : start + count].tobytes(), one.marks)
            start += count
        for path, rows in kept.items():
            there = folders.get(path)
            _put(folders, path, [*(there.each() if there is not None else ()), *rows])
        return folders


def _put(folders: dict[bytes, FolderRow], path: bytes, rows: list[_Row]) -> None:
    """Replace the row of a folder; without tracks it has none."""
    if not rows:
        folders.pop(path, None)
        return
    rows.sort()
    row = FolderRow(
        b"/".join([name for name, _, _ in rows]),
        array("I", [number for _, number, _ in rows]).tobytes(),
        b"".join([mark for _, _, mark in rows]),
    )
    if row != folders.get(path):
        folders[path] = row
