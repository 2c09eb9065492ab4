"""Give each track a number that it keeps, whatever happens to its file.

The table has a row for each folder, so that a folder without changes costs nothing. Which file is which
track is found out once for each scan, for all playlists. A number is never used again.
"""

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from playshuffle.library.identity import Search
from playshuffle.library.marks import MARK_BYTES, Mark, audio_of, copy_key, mark_rows, same_file_key
from playshuffle.library.missing import Root, is_gone
from playshuffle.library.tracks import Tracks, marks_of

# A track that vanished keeps its number for so long. A round of a deck may take months, and a track that
# was dealt in it must be known when it returns.
_VANISHED_S = 366 * 86_400

# For so long it keeps its position in the orders that it was in.
_POSITION_S = 30 * 86_400


class FolderRow(NamedTuple):
    """The tracks of one folder: names joined by '/', and of each a number and a mark.

    A number has four bytes, a mark `MARK_BYTES`.
    """

    names: bytes
    numbers: bytes
    marks: bytes

    def each(self) -> Iterator[tuple[bytes, int, bytes]]:
        """Return the name, the number and the mark of each track."""
        return zip(self.names.split(b"/"), array("I", self.numbers), _marks_in(self.marks), strict=True)


class Vanished(NamedTuple):
    """A track without a file: its last path and mark, and since when, in Unix seconds."""

    path: bytes
    mark: bytes
    since_s: int


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
    roots: Mapping[RootKey, Root] = field(default_factory=dict)
    renamed: frozenset[int] = frozenset()

    def paths_of(self, numbers: Collection[int]) -> dict[int, bytes]:
        """Return the path of each track that is known, and the last one of a track that vanished."""
        wanted = frozenset(numbers)
        paths = {number: self.vanished[number].path for number in wanted.intersection(self.vanished)}
        for folder, row in self.folders.items() if wanted else ():
            if not wanted.isdisjoint(array("I", row.numbers)):
                paths |= {number: folder + name for name, number, _ in row.each() if number in wanted}
        return paths

    def lost_numbers(self) -> frozenset[int]:
        """Return the numbers that were given to tracks which are not in the table any more."""
        known = chain(self.vanished, *(array("I", row.numbers) for row in self.folders.values()))
        return frozenset(range(1, self.next_number)).difference(known)

    def vanished_long_ago(self, now_s: int) -> frozenset[int]:
        """Return the numbers of the tracks without a file whose positions in orders are given up."""
        return frozenset(
            number for number, track in self.vanished.items() if now_s - track.since_s > _POSITION_S
        )

    def numbers_of(self, tracks: Tracks) -> "array[int]":
        """Return the number of each track of a library that was recognised."""
        numbers = array("I")
        for folder in tracks.folders:
            row = self.folders.get(folder.path)
            if row is not None and row.names == folder.names:
                numbers.frombytes(row.numbers)
            else:
                known = {name: number for name, number, _ in row.each()} if row is not None else {}
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
    changed = _changed(table, found)
    if changed and table.vanished:
        table = _without_new_versions(table, found, changed)
        changed = _changed(table, found)
    reach = _Reach(_tops(scanned), _tops(missing))
    gone = [
        (number, path + name, mark)
        for path, row in table.folders.items()
        if path not in found and reach.was_scanned(path)
        for name, number, mark in _gone_rows(path, row)
    ]
    if not changed and not gone:
        return _expired(table, now_s)
    return _Recognition(table, found, changed, gone, reach, now_s).table(moved, is_whole=not missing)


# Name, number and mark of a track in a folder.
_Row = tuple[bytes, int, bytes]

# Number, path and mark of a track.
_Known = tuple[int, bytes, bytes]


class _Found(NamedTuple):
    """The tracks of a folder that a scan found: names joined by '/', and their marks."""

    names: bytes
    marks: bytes


def _found(libraries: Iterable[Tracks], table: TrackTable) -> dict[bytes, _Found]:
    """Return the tracks that a scan found, by folder; those of several libraries together."""
    found: dict[bytes, _Found] = {}
    for tracks in libraries:
        marks = marks_of(tracks.folders)
        chosen = None if tracks.chosen is None else frozenset(tracks.chosen)
        end = 0
        for folder in tracks.folders:
            rows = range(end, end := end + folder.track_count)
            one = _Found(folder.names, marks[MARK_BYTES * rows.start : MARK_BYTES * end])
            if chosen is not None and not chosen.issuperset(rows):
                named = zip(rows, _marks_by_name(one).items(), strict=True)
                one = _packed(dict(each for row, each in named if row in chosen))
            if folder.durations_ms is None:  # tags were not read
                known = _marks_by_name(table.folders.get(folder.path))
                one = _packed({name: known.get(name, mark) for name, mark in _marks_by_name(one).items()})
            if one != found.get(folder.path, one):
                one = _packed(_marks_by_name(found[folder.path]) | _marks_by_name(one))
            if one.names:
                found[folder.path] = one
    return found


def _marks_by_name(row: FolderRow | _Found | None) -> dict[bytes, bytes]:
    """Return the mark of each track of a folder."""
    if row is None or not row.names:
        return {}
    return dict(zip(row.names.split(b"/"), _marks_in(row.marks), strict=True))


def _packed(marks: Mapping[bytes, bytes]) -> _Found:
    names = sorted(marks)
    return _Found(b"/".join(names), b"".join(map(marks.__getitem__, names)))


def _marks_in(marks: bytes) -> list[bytes]:
    return [marks[at : at + MARK_BYTES] for at in range(0, len(marks), MARK_BYTES)]


def _changed(table: TrackTable, found: Mapping[bytes, _Found]) -> list[bytes]:
    """Return the folders whose tracks are not as they are known."""
    return [
        path
        for path, (names, marks) in found.items()
        if (row := table.folders.get(path)) is None or row.names != names or row.marks != marks
    ]


def _without_new_versions(
    table: TrackTable, found: Mapping[bytes, _Found], changed: Sequence[bytes]
) -> TrackTable:
    """Return the table without new versions of tracks whose former version is among the changed files."""
    files = {same_file_key(mark) for path in changed for mark in mark_rows(found[path].marks)} - {None}
    returned = {
        number for number, former in table.vanished.items() if same_file_key(*mark_rows(former.mark)) in files
    }
    return replace(table, folders=_without(table.folders, returned))


def _without(folders: Mapping[bytes, FolderRow], numbers: Collection[int]) -> dict[bytes, FolderRow]:
    """Return folders without some tracks."""
    rest = dict(folders)
    wanted = frozenset(numbers)
    for path, row in folders.items() if wanted else ():
        if not wanted.isdisjoint(array("I", row.numbers)):
            _put(rest, path, [each for each in row.each() if each[1] not in wanted])
    return rest


class _Reach(NamedTuple):
    """Which folders a scan could reach: the innermost root that a folder is below decides."""

    scanned: Sequence[bytes]
    missing: Sequence[bytes]

    def was_scanned(self, folder: bytes) -> bool:
        """Return whether a folder is below a root that was scanned, and not below a missing one."""
        return _depth(folder, self.scanned) > _depth(folder, self.missing)

    def is_missing(self, folder: bytes) -> bool:
        """Return whether a folder is below a missing root."""
        return _depth(folder, self.missing) > _depth(folder, self.scanned)


def _tops(roots: Iterable[bytes]) -> list[bytes]:
    return [root.rstrip(b"/") + b"/" for root in roots]


def _depth(folder: bytes, tops: Sequence[bytes]) -> int:
    """Return the length of the innermost root that a folder is below, 0 if there is none."""
    return max(map(len, filter(folder.startswith, tops)), default=0)


def _gone_rows(folder: bytes, row: FolderRow) -> list[_Row]:
    """Return the tracks of a folder whose files are gone."""
    is_all = is_gone(folder)
    return [each for each in row.each() if is_all or is_gone(folder + each[0])]


def _expired(table: TrackTable, now_s: int) -> TrackTable:
    """Return the table without tracks that vanished long ago."""
    vanished = {
        number: each for number, each in table.vanished.items() if now_s - each.since_s <= _VANISHED_S
    }
    return replace(table, vanished=vanished, renamed=frozenset())


class _Recognition:
    """The recognition of one scan: what is looked for, and where."""

    def __init__(
        self,
        table: TrackTable,
        found: Mapping[bytes, _Found],
        changed: Sequence[bytes],
        gone: Sequence[_Known],
        reach: _Reach,
        now_s: int,
    ) -> None:
        self._old = table
        self._all_found = found
        self._changed = changed
        self._reach = reach
        self._now_s = now_s
        # Files of the changed folders.
        self._paths = [path + name for path in changed for name in found[path].names.split(b"/")]
        self._marks = b"".join([found[path].marks for path in changed])
        # Known tracks that may be any of them.
        self._known: list[_Known] = [
            (number, path + name, mark)
            for path in changed
            if path in table.folders
            for name, number, mark in table.folders[path].each()
        ]
        entered_count = len(self._known)
        self._known += gone
        self._known += self._from_elsewhere({number for number, _, _ in gone})
        # Those that are removed from folders that the scan did not enter.
        self._left = {number for number, _, _ in self._known[entered_count:]}
        self._present_count = len(self._known)
        numbers = chain.from_iterable(array("I", row.numbers) for row in table.folders.values())
        present = frozenset(table.vanished).intersection(numbers)
        self._former = {number: each for number, each in table.vanished.items() if number in present}
        self._known += [
            (number, each.path, each.mark) for number, each in table.vanished.items() if number not in present
        ]

    def table(self, moved: Sequence[tuple[bytes, bytes]], *, is_whole: bool) -> TrackTable:
        """Return the table after the scan."""
        search = Search(
            [path for _, path, _ in self._known],
            b"".join([mark for _, _, mark in self._known]),
            self._paths,
            self._marks,
            self._all_marks,
            is_whole=is_whole,
        )
        search.go(moved, range(self._present_count, len(self._known)))
        numbers = array("I", bytes(4 * len(self._paths)))
        renamed = set()
        for old, ((number, path, _), index) in enumerate(zip(self._known, search.now, strict=True)):
            if index is not None:
                numbers[index] = number
                if old < self._present_count and path != self._paths[index]:
                    renamed.add(number)
        for number, index in enumerate(sorted(search.free), self._old.next_number):
            numbers[index] = number
        kept, vanished = self._not_found(search.now)
        vanished |= self._former | self._new_versions(search.now)
        table = replace(
            self._old,
            folders=self._folders(numbers, kept),
            vanished=vanished,
            next_number=self._old.next_number + len(search.free),
        )
        return replace(_expired(table, self._now_s), renamed=frozenset(renamed))

    def _new_versions(self, now: Sequence[int | None]) -> dict[int, Vanished]:
        """Return the former versions of tracks whose path has another file, if that may be elsewhere.

        A scan of some folders cannot tell whether the former file was replaced or moved to another folder.
        A file with the same audio has replaced it: some editors write a new file for each change of tags.
        """
        marks = _marks_in(self._marks)
        replaced = {
            number: Vanished(path, mark, self._now_s)
            for (number, path, mark), index in zip(self._known, now, strict=True)
            if index is not None and path == self._paths[index] and mark != marks[index]
            if _is_another(*mark_rows(mark + marks[index]))
        }
        return {} if not replaced or all(map(self._reach.was_scanned, self._old.folders)) else replaced

    def _from_elsewhere(self, gone: Collection[int]) -> Iterator[_Known]:
        """Yield other tracks of folders that the scan did not enter, if a new file may be one of them."""
        elsewhere = [path for path in self._old.folders if path not in self._all_found]
        if not elsewhere:
            return
        known = {(path, mark) for _, path, mark in self._known}
        files = zip(self._paths, _marks_in(self._marks), mark_rows(self._marks), strict=True)
        new = [mark for path, packed, mark in files if (path, packed) not in known]
        same = {same_file_key(mark) for mark in new} - {None}
        copies = {copy_key(mark) for mark in new} - {None}
        for path in elsewhere if same or copies else ():
            row = self._old.folders[path]
            may_be_copied = not self._reach.is_missing(path)
            for (name, number, packed), mark in zip(row.each(), mark_rows(row.marks), strict=True):
                # The same file may be reached by another path now, or have left a drive that is missing.
                if number not in gone and (
                    same_file_key(mark) in same
                    or (may_be_copied and copy_key(mark) in copies and is_gone(path + name))
                ):
                    yield number, path + name, packed

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
        for (number, path, mark), index in zip(self._known, now, strict=True):
            if index is not None:
                continue
            before = self._old.vanished.get(number)
            if before is not None:
                vanished[number] = before._replace(since_s=min(before.since_s, self._now_s))
            elif path in taken or (not self._reach.is_missing(path) and is_gone(path)):
                vanished[number] = Vanished(path, mark, self._now_s)
            else:  # hidden, ignored, or not taken for a track now
                cut = path.rfind(b"/") + 1
                kept.setdefault(path[:cut], []).append((path[cut:], number, mark))
        return kept, vanished

    def _folders(self, numbers: "array[int]", kept: Mapping[bytes, Sequence[_Row]]) -> dict[bytes, FolderRow]:
        """Return the rows of all folders."""
        folders = _without(self._old.folders, self._left)
        start = 0
        for path in self._changed:
            names, marks = self._all_found[path]
            end = start + len(marks) // MARK_BYTES
            folders[path] = FolderRow(names, numbers[start:end].tobytes(), marks)
            start = end
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


def _is_another(mark: Mark, other: Mark) -> bool:
    """Return whether two marks are of different files that are not known to have the same audio."""
    is_same_audio = audio_of(mark) != 0 and audio_of(mark) == audio_of(other)
    return same_file_key(mark) != same_file_key(other) and not is_same_audio
