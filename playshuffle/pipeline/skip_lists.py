"""Read skip lists: playlists whose tracks are omitted from another playlist.

Any player may edit them. Besides entries, a list may have rules, which players skip as comments. They leave
out a folder or the tracks of a query, also those to come: `#NEVER:~/Music/Kids/` or `#NEVER:genre:metal`.
If a list cannot be read, its last known content counts, so that no track returns by accident. Playlists
inside a list are not followed.
"""

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.folder import Folder
from playshuffle.library.listing import fits
from playshuffle.library.missing import is_gone
from playshuffle.library.tag_columns import RowsOf
from playshuffle.library.tracks import Tracks
from playshuffle.playlist import playlist_reader
from playshuffle.store import skip_list_entries as store
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.system.near_file import near_file
from playshuffle.system.regular_file import status_of
from playshuffle.text import folded, shortened

RULE = b"#NEVER:"  # begins a line that leaves out a folder or a query
_MOST_UNKNOWN = 5  # entries of a list that a note names


class SkipList(NamedTuple):
    """A skip list.

    Attributes:
        lines: maps the path of each entry, and each rule, to its line number, 0 if unknown.
        problem: why it could not be read; empty if it could.
        new: entries that no earlier run has read, or whose tracks were deleted since.
    """

    path: bytes
    lines: Mapping[bytes, int]
    problem: str = ""
    new: frozenset[bytes] = frozenset()

    def unknown(self, tracks: Collection[bytes], elsewhere: Sequence[bytes]) -> list[str]:
        """Return a text for each new entry that names neither a track nor a file.

        Entries below the folders in `elsewhere` get no text.
        """
        tops = tuple(os.path.join(root, b"") for root in elsewhere)
        texts = []
        for entry in sorted(self.new.difference(tracks), key=self.lines.__getitem__):
            path = folder_of(entry) if entry.startswith(RULE) else entry
            if path is not None and not os.path.lexists(path) and not path.startswith(tops):
                near = near_file(path)
                hint = f" Did you mean {shown(near)}?" if near is not None else ""
                texts.append(f"{shown(self.path)}, line {self.lines[entry]}: no file {shown(path)}.{hint}")
        return shortened(texts, _MOST_UNKNOWN)


def check_skip_lists(lists: Iterable[bytes], own: Collection[bytes]) -> None:
    """Check that no skip list is the playlist to be written, whose resolved paths are `own`.

    Raises:
        PlayshuffleError: one is the playlist, so each run would reverse the last.
    """
    for path in lists:
        if atomic_file.resolved(path) in own:
            raise OptionError(
                "{path} is the playlist that is written, and one of its skip lists. Change {} or {}.",
                "without",
                "output",
                path=path,
            )


def read_skip_lists(
    lists: Iterable[bytes], state: State, playlist: bytes | None, *, writes: bool, goes_on: bool
) -> list[SkipList]:
    """Read the skip lists of a playlist.

    Args:
        playlist: resolved path.
        writes: the playlist is written, so store their content.
        goes_on: a list that cannot be read, and that no run has read before, is left out instead of an error.

    Raises:
        PlayshuffleError: a list cannot be read.
    """
    saved = store.load(state, playlist) if playlist is not None else {}
    read = [_read(path, saved.get(path), state, goes_on=goes_on) for path in lists]
    content = {
        skip_list.path: list(skip_list.lines)
        for skip_list in read
        if not skip_list.problem or skip_list.path in saved
    }
    if writes and playlist is not None and content != saved:
        store.save(state, playlist, content)
    return read


def _read(path: bytes, saved: Sequence[bytes] | None, state: State, *, goes_on: bool) -> SkipList:
    try:
        entries = playlist_reader.read(path).entries
        rules = rules_in(playlist_reader.lines_of(path))
    except PlayshuffleError as error:
        if saved is None and goes_on:
            return SkipList(path, {}, f"{error} The playlist goes on without it.")
        if saved is None:
            raise OptionError(
                "{}: {problem} The playlist was not changed.", "without", code=Exit.NO_INPUT, problem=error
            ) from error
        return SkipList(path, dict.fromkeys(saved, 0), f"{error} Its last content counts.")
    lines: dict[bytes, int] = {}
    for entry in entries:
        if entry.path and b"\0" not in entry.path:
            lines.setdefault(os.path.normpath(entry.path), entry.line)
    lines |= rules
    new = frozenset(lines).difference(saved or ())
    if new:
        new = new.difference(store.entries(state, path))
    return SkipList(path, lines, new=new)


def rules_in(content: bytes) -> dict[bytes, int]:
    """Map each rule in the lines of a skip list to its number."""
    lines = enumerate(content.split(b"\n"), 1)
    rules = ((line.strip(), number) for number, line in lines if line.startswith(RULE))
    return {rule: number for rule, number in rules if rule != RULE}


def folder_of(rule: bytes) -> bytes | None:
    """Return the folder that a rule leaves out, None if it is a query."""
    text = rule.removeprefix(RULE)
    return os.path.normpath(os.path.expanduser(text)) if text.startswith((b"/", b"~/")) else None


def _left_out_by(rule: bytes, tracks: Tracks, rows_of: RowsOf) -> Sequence[int]:
    """Return the indices of the tracks that a rule leaves out: none, if it is a mistyped query."""
    folder = folder_of(rule)
    if folder is not None:
        tops = tuple(os.path.join(top, b"") for top in {folder, os.path.realpath(folder)})
        return [index for index, path in enumerate(tracks.paths) if path.startswith(tops)]
    from playshuffle.selection.query import parse  # few lists have rules

    with suppress(PlayshuffleError):
        query = parse(os.fsdecode(rule.removeprefix(RULE)))
        return query.select(tracks, range(len(tracks)), rows_of).kept
    return ()


def followed(
    lists: Sequence[SkipList],
    tracks: Tracks,
    former_paths: Callable[[], Mapping[bytes, int]],
    deleted: Collection[bytes],
) -> list[SkipList]:
    """Return the lists with the present paths of renamed tracks.

    Args:
        former_paths: returns the number of the track that had each path last.
        deleted: paths of tracks that were just found to be deleted.
    """

    def path_of() -> dict[bytes, bytes]:
        former = former_paths()
        indices = zip(former, tracks.indices_of(former.values()), strict=True)
        return {path: tracks.paths[index] for path, index in indices if index >= 0}

    new_place, result = present_places(path_of, lambda: tracks.paths), []
    for skip_list in lists:
        now = {entry: with_new_places(entry, new_place) for entry in skip_list.lines}
        new = skip_list.new.union(skip_list.lines.keys() & deleted)
        lines = {now[entry]: line for entry, line in skip_list.lines.items()}
        result.append(skip_list._replace(lines=lines, new=new.intersection(lines)))
    return result


def present_places(
    path_of: Callable[[], Mapping[bytes, bytes]], paths: Callable[[], Iterable[bytes]]
) -> Callable[[bytes], bytes]:
    """Return a function that returns the present path of a renamed track or folder; other paths unchanged.

    A folder is renamed if most tracks that were in it are in the same other folder, under the same names, and
    are most tracks there. Links and other spellings of a path count, too.

    Args:
        path_of: returns the present path of each renamed track by its former paths.
        paths: returns the present paths of all tracks.
    """

    @cache
    def known() -> tuple[Mapping[bytes, bytes], dict[str, bytes], list[bytes]]:
        now = path_of()
        return now, {folded(os.fsdecode(path)): after for path, after in now.items()}, sorted(now)

    def new_place(path: bytes) -> bytes:
        if path[:1] != b"/" or not is_gone(path):
            return path
        now, by_form, former = known()
        for name in (path, os.path.realpath(path)):
            found = now.get(name) or by_form.get(folded(os.fsdecode(name)))
            if found is not None:
                return found
            top = os.path.join(name, b"")
            inside = former[bisect_left(former, top) : bisect_left(former, top[:-1] + b"0")]
            ends = ((now[each], each[len(top) - 1 :]) for each in inside)
            places = Counter(after[: -len(end)] for after, end in ends if after.endswith(end))
            for place, count in places.most_common(1):
                there = sum(track.startswith(os.path.join(place, b"")) for track in paths())
                if 2 * count > max(len({now[each] for each in inside}), there):
                    return place
        return path

    return new_place


def with_new_places(entry: bytes, new_place: Callable[[bytes], bytes]) -> bytes:
    """Return an entry or a rule with each absolute path changed by `new_place`."""
    if not entry.startswith(RULE):
        return new_place(entry)
    folder = folder_of(entry)
    if folder is not None:
        after = new_place(folder)
        return entry if after == folder else RULE + os.path.join(after, b"")
    from playshuffle.selection.query import with_new_paths  # few lists have rules

    return RULE + os.fsencode(with_new_paths(os.fsdecode(entry.removeprefix(RULE)), new_place))


def reasons_to_skip(
    tracks: Tracks, lists: Sequence[SkipList], rows_of: RowsOf
) -> tuple[dict[int, tuple[str, str]], list[bytes]]:
    """Map each omitted index to a reason and its skip list; return also the skip lists that omit none.

    An entry names a track by its path, or by another path to the same file.
    """
    index_of = {path: index for index, path in enumerate(tracks.paths)} if lists else {}
    reasons: dict[int, tuple[str, str]] = {}
    idle: list[bytes] = []
    for skip_list in lists:
        lines = _lines_by_index(skip_list, index_of, tracks, rows_of)
        for index, line in lines.items():
            where = f"in {shown(skip_list.path)}" + (f", line {line}" if line else "")
            reasons.setdefault(index, (where, os.fsdecode(skip_list.path)))
        if skip_list.lines and not lines:
            idle.append(skip_list.path)
    return reasons, idle


def _lines_by_index(
    listed: SkipList, index_of: Mapping[bytes, int], tracks: Tracks, rows_of: RowsOf
) -> dict[int, int]:
    """Map the index of each omitted track to the line of the skip list that omits it."""
    lines: dict[int, int] = {}
    others: dict[tuple[int, int], int] = {}
    for path, line in listed.lines.items():
        index = index_of.get(path)
        if path.startswith(RULE):
            lines = dict.fromkeys(_left_out_by(path, tracks, rows_of), line) | lines
        elif index is not None:
            lines.setdefault(index, line)
        elif (file := file_at(path)) is not None:
            others.setdefault(file, line)
    if others:
        for index, file in enumerate(tracks.column(Folder.files)):
            if file in others:
                lines.setdefault(index, others[file])
    return lines


def file_at(path: bytes) -> tuple[int, int] | None:
    """Return the device and inode of the file at a path, if any."""
    status = status_of(path)
    return None if status is None else (status.st_dev, fits(status.st_ino))
