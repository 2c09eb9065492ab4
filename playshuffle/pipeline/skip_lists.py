"""Read skip lists: playlists whose tracks are omitted from another playlist.

Any player may edit them. If a list cannot be read, its last known content counts, so that no track returns by
accident. Playlists inside a list are not followed.
"""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.folder import Folder
from playshuffle.library.listing import fits
from playshuffle.library.tracks import Tracks
from playshuffle.playlist import playlist_reader
from playshuffle.store import skip_list_entries as store
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.system.near_file import near_file
from playshuffle.text import shortened

_MOST_UNKNOWN = 5  # entries of a list that a note names


class SkipList(NamedTuple):
    """A skip list.

    Attributes:
        lines: maps the path of each entry to its line number, 0 if unknown.
        problem: why it could not be read; empty if it could.
        new: entries that no earlier run has read.
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
        for path in sorted(self.new.difference(tracks), key=self.lines.__getitem__):
            if not os.path.lexists(path) and not path.startswith(tops):
                near = near_file(path)
                hint = f" Did you mean {shown(near)}?" if near is not None else ""
                texts.append(f"{shown(self.path)}, line {self.lines[path]}: no file {shown(path)}.{hint}")
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
    lists: Iterable[bytes], state: State, playlist: bytes | None, *, writes: bool
) -> list[SkipList]:
    """Read the skip lists of a playlist, and store their content if the playlist is written.

    `playlist` is a resolved path.

    Raises:
        PlayshuffleError: a list cannot be read, and no run has read it before.
    """
    known = store.load(state, playlist) if playlist is not None else {}
    read = [_read(path, known.get(path), state) for path in lists]
    content = {each.path: list(each.lines) for each in read}
    if writes and playlist is not None and content != known:
        store.save(state, playlist, content)
    return read


def _read(path: bytes, known: Sequence[bytes] | None, state: State) -> SkipList:
    try:
        entries = playlist_reader.read(path).entries
    except PlayshuffleError as error:
        if known is None:
            raise OptionError(
                "{}: {problem} The playlist was not changed.", "without", code=Exit.NO_INPUT, problem=error
            ) from error
        return SkipList(path, dict.fromkeys(known, 0), str(error))
    lines: dict[bytes, int] = {}
    for entry in entries:
        if entry.path and b"\0" not in entry.path:
            lines.setdefault(os.path.normpath(entry.path), entry.line)
    new = frozenset(lines).difference(known or ())
    if new:
        new = new.difference(store.entries(state, path))
    return SkipList(path, lines, new=new)


def reasons_to_skip(
    found: Tracks, lists: Sequence[SkipList]
) -> tuple[dict[int, tuple[str, str]], list[bytes]]:
    """Map each omitted index to a reason and its skip list; return also the skip lists that omit none.

    An entry names a track by its path, or by another path to the same file.
    """
    index_of = {path: index for index, path in enumerate(found.paths)} if lists else {}
    reasons: dict[int, tuple[str, str]] = {}
    idle: list[bytes] = []
    for each in lists:
        lines: dict[int, int] = {}
        others: dict[tuple[int, int], int] = {}
        for path, line in each.lines.items():
            index = index_of.get(path)
            if index is not None:
                lines.setdefault(index, line)
            elif (file := file_at(path)) is not None:
                others.setdefault(file, line)
        if others:
            for index, file in enumerate(found.column(Folder.files)):
                if file in others:
                    lines.setdefault(index, others[file])
        for index, line in lines.items():
            where = f"in {shown(each.path)}" + (f", line {line}" if line else "")
            reasons.setdefault(index, (where, os.fsdecode(each.path)))
        if each.lines and not lines:
            idle.append(each.path)
    return reasons, idle


def file_at(path: bytes) -> tuple[int, int] | None:
    """Return the device and inode of the file at a path, if any."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, fits(status.st_ino)
