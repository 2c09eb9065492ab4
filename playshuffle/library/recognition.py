"""Map the files of a scan to known tracks, once for all playlists, and number new tracks."""

import os
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from playshuffle.library.identity import KnownTrack, Origin, Search
from playshuffle.library.marks import (
    MARK_BYTES,
    Mark,
    Marks,
    audio_of,
    contents_of,
    copy_key,
    is_unread,
    mark_rows,
    packed_marks,
    same_file_key,
)
from playshuffle.library.missing import is_gone
from playshuffle.library.track_table import VANISHED_S, FolderRow, FormerFile, PartError, TrackTable
from playshuffle.library.tracks import Tracks, marks_of


class _Files(NamedTuple):
    """A folder's tracks in a scan: names joined by '/', and marks as in `FolderRow`."""

    names: bytes
    marks: bytes

    def marks_by_name(self) -> dict[bytes, Mark]:
        return dict(zip(self.names.split(b"/"), mark_rows(self.marks), strict=True)) if self.names else {}


class _Extent(NamedTuple):
    """The scanned and the missing roots, with a slash at the end. A folder belongs to its innermost root."""

    scanned: Sequence[bytes]
    missing: Sequence[bytes]

    def was_scanned(self, folder: bytes) -> bool:
        return _depth(folder, self.scanned) > _depth(folder, self.missing)

    def is_missing(self, folder: bytes) -> bool:
        return _depth(folder, self.missing) > _depth(folder, self.scanned)


class _ScannedFiles(NamedTuple):
    """The files of a scan, to match to known tracks.

    Attributes:
        paths: paths of the files in changed folders, one folder after the other.
    """

    files: Mapping[bytes, _Files]
    changed: Sequence[bytes]
    paths: Sequence[bytes]
    marks: Marks
    extent: _Extent
    now_s: int


# Name, number and mark of a track in a folder.
_Row = tuple[bytes, int, Mark]


def recognise(
    table: TrackTable,
    libraries: Iterable[Tracks],
    moved: Sequence[tuple[bytes, bytes]],
    *,
    scanned: Collection[bytes],
    missing: Collection[bytes] = (),
    now_s: int,
) -> TrackTable:
    """Map the files of a scan to known tracks, and number new tracks.

    A track is gone if its path has no file any more. Tracks of missing roots, and of folders that the scan
    did not enter, such as hidden ones, stay as they are.

    Args:
        moved: old and new path of each observed move.
        scanned: roots, without a slash at the end, that were scanned completely.

    Raises:
        PartError: something has changed, and the table is not whole.

    Cost: O(folders + tracks of changed folders).
    """
    files = _files_by_folder(libraries, table)
    changed = _changed_folders(table, files)
    if changed and table.replaced:
        table = _with_former_versions(table, files, changed)
        changed = _changed_folders(table, files)
    extent = _Extent(_tops(scanned), _tops(missing))
    gone = list(_gone_tracks(table, files, extent))
    if not changed and not gone:
        return _without_old(table, now_s)._replace(renamed=frozenset())
    if not table.is_whole:
        raise PartError
    paths = [path + name for path in changed for name in files[path].names.split(b"/")]
    marks = Marks(b"".join([files[path].marks for path in changed]))
    scan = _ScannedFiles(files, changed, paths, marks, extent, now_s)
    searched = [*_entered_tracks(table, changed), *gone]
    searched += _tracks_elsewhere(table, scan, searched)
    searched += (KnownTrack(number, *file[:2], Origin.VANISHED) for number, file in table.vanished.items())
    search = Search(searched, paths, marks, partial(_contents, table, files), is_drive_missing=bool(missing))
    search.run(moved)
    return _without_old(_table_after(table, scan, search), now_s)


def _files_by_folder(libraries: Iterable[Tracks], table: TrackTable) -> dict[bytes, _Files]:
    files: dict[bytes, _Files] = {}
    for tracks in libraries:
        marks = marks_of(tracks.folders)
        chosen = None if tracks.rows is None else frozenset(tracks.rows)
        end = 0
        for folder in tracks.folders:
            rows = range(end, end := end + folder.track_count)
            folder_files = _Files(folder.names, marks[MARK_BYTES * rows.start : MARK_BYTES * end])
            if chosen is not None and not chosen.issuperset(rows):
                named = zip(rows, folder_files.marks_by_name().items(), strict=True)
                folder_files = _packed(dict(entry for row, entry in named if row in chosen))
            row_before = table.folders.get(folder.path)
            if folder.durations_ms is not None or row_before is None:
                pass
            elif folder_files.names == row_before.names:  # tags were not read
                folder_files = _Files(row_before.names, row_before.marks)
            else:
                known_marks = _Files(row_before.names, row_before.marks).marks_by_name()
                by_name = folder_files.marks_by_name()
                folder_files = _packed({name: known_marks.get(name, mark) for name, mark in by_name.items()})
            if folder_files != files.get(folder.path, folder_files):
                both = files[folder.path].marks_by_name() | folder_files.marks_by_name()
                folder_files = _packed(both)
            if folder_files.names:
                files[folder.path] = folder_files
    return files


def _packed(marks: Mapping[bytes, Mark]) -> _Files:
    names = sorted(marks)
    return _Files(b"/".join(names), packed_marks(map(marks.__getitem__, names)))


def _changed_folders(table: TrackTable, files: Mapping[bytes, _Files]) -> list[bytes]:
    return [
        path
        for path, (names, marks) in files.items()
        if (row := table.folders.get(path)) is None or row.names != names or row.marks != marks
    ]


def _with_former_versions(
    table: TrackTable, files: Mapping[bytes, _Files], changed: Sequence[bytes]
) -> TrackTable:
    """Undo guesses that a file is the new version of a track, if the track's former file was found.

    Until the former file is matched to the track, the track counts as vanished.
    """
    keys = {same_file_key(mark) for path in changed for mark in mark_rows(files[path].marks)} - {None}
    former = {number: file for number, file in table.replaced.items() if same_file_key(file.mark) in keys}
    rest = {number: file for number, file in table.replaced.items() if number not in former}
    folders = _without(table.folders, former)
    return table._replace(folders=folders, vanished={**table.vanished, **former}, replaced=rest)


def _without(folders: Mapping[bytes, FolderRow], numbers: Collection[int]) -> dict[bytes, FolderRow]:
    rest = dict(folders)
    wanted = frozenset(numbers)
    for path, row in folders.items() if wanted else ():
        if not wanted.isdisjoint(array("I", row.numbers)):
            _put(rest, path, [track for track in row.tracks() if track[1] not in wanted])
    return rest


def _put(folders: dict[bytes, FolderRow], path: bytes, rows: list[_Row]) -> None:
    if not rows:
        folders.pop(path, None)
        return
    rows.sort()
    row = FolderRow(
        b"/".join([name for name, _, _ in rows]),
        array("I", [number for _, number, _ in rows]).tobytes(),
        packed_marks(mark for _, _, mark in rows),
    )
    if row != folders.get(path):
        folders[path] = row


def _tops(roots: Iterable[bytes]) -> list[bytes]:
    return [root.rstrip(b"/") + b"/" for root in roots]


def _depth(folder: bytes, tops: Sequence[bytes]) -> int:
    return max(map(len, filter(folder.startswith, tops)), default=0)


def _entered_tracks(table: TrackTable, changed: Iterable[bytes]) -> Iterator[KnownTrack]:
    for path in changed:
        row = table.folders.get(path)
        for name, number, mark in row.tracks() if row is not None else ():
            yield KnownTrack(number, path + name, mark, Origin.ENTERED)


def _gone_tracks(table: TrackTable, files: Mapping[bytes, _Files], extent: _Extent) -> Iterator[KnownTrack]:
    for path, row in table.folders.items():
        if path in files or not extent.was_scanned(path):
            continue
        is_all = is_gone(path)  # spares a look at each file of a removed folder
        for name, number, mark in row.tracks():
            if is_all or is_gone(path + name):
                yield KnownTrack(number, path + name, mark, Origin.GONE)


def _tracks_elsewhere(
    table: TrackTable, scan: _ScannedFiles, searched: Iterable[KnownTrack]
) -> Iterator[KnownTrack]:
    """Yield the known tracks that a new file may be, from folders that the scan did not find."""
    elsewhere = [path for path in table.folders if path not in scan.files]
    if not elsewhere:
        return
    # Only a new or changed file may be a track from elsewhere: otherwise no other folder is read.
    as_before = {track[1:3] for track in searched}
    gone = {track.number for track in searched if track.origin is Origin.GONE}
    new = [mark for path, mark in zip(scan.paths, scan.marks, strict=True) if (path, mark) not in as_before]
    same = {same_file_key(mark) for mark in new} - {None}
    copies = {copy_key(mark) for mark in new} - {None}
    for path in elsewhere if same or copies else ():
        may_be_copied = not scan.extent.is_missing(path)
        for name, number, mark in table.folders[path].tracks():
            # The same file may be reached by another path now, or have left a drive that is missing.
            if number not in gone and (
                same_file_key(mark) in same
                or (may_be_copied and copy_key(mark) in copies and is_gone(path + name))
            ):
                yield KnownTrack(number, path + name, mark, Origin.ELSEWHERE)


def _contents(table: TrackTable, files: Mapping[bytes, _Files]) -> tuple["array[int]", "array[int]"]:
    marks = [row.marks for row in table.folders.values()]
    marks.append(packed_marks(file.mark for file in table.vanished.values()))
    return contents_of(b"".join(marks)), contents_of(b"".join([folder.marks for folder in files.values()]))


def _table_after(table: TrackTable, scan: _ScannedFiles, search: Search) -> TrackTable:
    numbers = array("I", bytes(4 * len(scan.paths)))
    marks = bytearray(scan.marks.packed)
    renamed: set[int] = set()
    lost: list[KnownTrack] = []
    for track, index in zip(search.known, search.indices, strict=True):
        if index is None:
            lost.append(track)
            continue
        numbers[index] = track.number
        if is_unread(scan.marks[index]):  # the known mark is more complete
            marks[MARK_BYTES * index : MARK_BYTES * (index + 1)] = packed_marks([track.mark])
        # A path that a scan did not enter may lead to the same file, by a link.
        has_moved = track.origin is not Origin.VANISHED and track.path != scan.paths[index]
        if has_moved and (track.origin is not Origin.ELSEWHERE or is_gone(track.path)):
            renamed.add(track.number)
    # By path: the same folder gets the same numbers after a loss of the state, whatever order it was read in.
    for number, index in enumerate(sorted(search.free), table.next_number):
        numbers[index] = number
    replaced = {**table.replaced, **_replaced_files(table, scan, search)}
    kept, vanished = _kept_and_vanished(table, scan, lost)
    # A track whose new version vanished may still be found as the version before.
    former = {number: replaced[number] for number in replaced.keys() & vanished.keys()}
    vanished |= {n: file._replace(since_s=vanished[n].since_s) for n, file in former.items()}
    return table._replace(
        folders=_folders_after(table, scan, search.known, numbers, bytes(marks), kept),
        vanished=vanished,
        replaced={number: file for number, file in replaced.items() if number not in former},
        next_number=table.next_number + len(search.free),
        renamed=frozenset(renamed),
    )


def _replaced_files(table: TrackTable, scan: _ScannedFiles, search: Search) -> dict[int, FormerFile]:
    """Return the former files of tracks whose path has another file now, if the former file may be elsewhere.

    It is not if the new file has the same audio: some editors write a new file for each change of tags.
    """
    replaced = {
        track.number: FormerFile(track.path, track.mark, scan.now_s)
        for track, index in zip(search.known, search.indices, strict=True)
        if index is not None and track.mark != scan.marks[index]
        if os.path.splitext(track.path)[0] == os.path.splitext(scan.paths[index])[0]
        if _is_another(track.mark, scan.marks[index])
    }
    return {} if not replaced or all(map(scan.extent.was_scanned, table.folders)) else replaced


def _is_another(mark: Mark, other: Mark) -> bool:
    is_same_audio = audio_of(mark) != 0 and audio_of(mark) == audio_of(other)
    return same_file_key(mark) != same_file_key(other) and not is_same_audio


def _kept_and_vanished(
    table: TrackTable, scan: _ScannedFiles, lost: Iterable[KnownTrack]
) -> tuple[dict[bytes, list[_Row]], dict[int, FormerFile]]:
    taken = frozenset(scan.paths)
    kept: dict[bytes, list[_Row]] = {}
    vanished: dict[int, FormerFile] = {}
    for number, path, mark, origin in lost:
        if origin is Origin.VANISHED:
            before = table.vanished[number]
            vanished[number] = before._replace(since_s=min(before.since_s, scan.now_s))
        # If another track has its path now, it cannot stay there.
        elif path in taken or (not scan.extent.is_missing(path) and is_gone(path)):
            vanished[number] = FormerFile(path, mark, scan.now_s)
        else:  # hidden, ignored, or not a track any more
            cut = path.rfind(b"/") + 1
            kept.setdefault(path[:cut], []).append((path[cut:], number, mark))
    return kept, vanished


def _folders_after(
    table: TrackTable,
    scan: _ScannedFiles,
    searched: Iterable[KnownTrack],
    numbers: "array[int]",
    marks: bytes,
    kept: Mapping[bytes, Sequence[_Row]],
) -> dict[bytes, FolderRow]:
    left = {track.number for track in searched if track.origin in (Origin.GONE, Origin.ELSEWHERE)}
    folders = _without(table.folders, left)
    start = 0
    for path in scan.changed:
        names = scan.files[path].names
        end = start + 1 + names.count(b"/")
        folders[path] = FolderRow(
            names, numbers[start:end].tobytes(), marks[MARK_BYTES * start : MARK_BYTES * end]
        )
        start = end
    for path, rows in kept.items():
        row = folders.get(path)
        _put(folders, path, [*(row.tracks() if row is not None else ()), *rows])
    return folders


def _without_old(table: TrackTable, now_s: int) -> TrackTable:
    vanished, replaced = (
        {number: file for number, file in files.items() if now_s - file.since_s <= VANISHED_S}
        for files in (table.vanished, table.replaced)
    )
    return table._replace(vanished=vanished, replaced=replaced)
