"""Change saved paths, and files that name such paths, after a folder was moved.

One transaction saves the paths, and the new content of the files. Then the files are written. If the run is
killed, the next command sees a mark in the state folder, and writes the remaining files.
"""

import contextlib
import json
import os
import zlib
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from playshuffle.library.track_table import FolderRow
from playshuffle.selection.query import with_new_paths as query_with_new_paths
from playshuffle.store import schema
from playshuffle.store.saved_options import pack, unpack, with_paths
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.system.sqlite import Connection
from playshuffle.system.xdg import moving_mark


class NewPlace:
    """Maps paths below the old folder to paths below the new one."""

    def __init__(self, old: bytes, new: bytes) -> None:
        self._pairs = [(old, new), (os.path.realpath(old), os.path.realpath(new))]

    def __call__(self, path: bytes) -> bytes:
        for old, new in self._pairs:
            if path == old or path.startswith(old + b"/"):
                return new.rstrip(b"/") + path[len(old) :]
        return path


class MovedRow(NamedTuple):
    """A row of the state, before and after the move."""

    table: str
    number: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]


def moved_rows(state: State, old: bytes, new: bytes) -> list[MovedRow]:
    """Return the rows of the state with paths below the old folder."""
    convert = _converters(state, NewPlace(old, new), NewPlace(old, os.path.realpath(new)))
    moved = []
    for table, forms in schema.PATH_COLUMNS.items():
        names = schema.COLUMNS[table]
        for number, *values in state.rows(f"SELECT rowid, {', '.join(names)} FROM {table} ORDER BY rowid"):  # noqa: S608
            row = dict(zip(names, values, strict=True))
            changed = {name: convert[form](row[name]) for name, form in forms.items()}
            if any(changed[name] != row[name] for name in changed if name != "mounts"):
                moved.append(MovedRow(table, number, row, row | changed))
    return moved


def _converters(state: State, place: NewPlace, real_place: NewPlace) -> dict[str, Callable[[Any], Any]]:

    def named(path: bytes) -> bytes:
        return state.named.stored(place(state.named.absolute(path)))

    def joined(paths: bytes) -> bytes:
        return b"\0".join(map(named, paths.split(b"\0")))

    def facts(text: str) -> str:
        values = json.loads(text)
        options = unpack(values["options"])
        if options is not None:
            where = tuple(query_with_new_paths(text, place) for text in options.where)
            values["options"] = pack(with_paths(options, place)._replace(where=where))
        return json.dumps(values)

    return {
        "named": named,
        "real": lambda path: state.real.stored(real_place(state.real.absolute(path))),
        "joined": joined,
        "compressed": lambda packed: zlib.compress(joined(zlib.decompress(packed)), 1),
        "facts": facts,
        "mounts": lambda _: "[]",  # the next scan finds the mounts of the new place
    }


def playlists_in_the_way(state: State, moved: Sequence[MovedRow]) -> list[bytes]:
    """Return the saved playlists that are at a new path, or have tracks there."""
    ours = {(row.table, row.before.get("path")) for row in moved}
    taken = {(row.table, row.after.get("path")) for row in moved} - ours
    folders = state.rows("SELECT path, numbers FROM folder")
    numbers = {
        number for path, packed in folders if ("folder", path) in taken for number in array("I", packed)
    }
    records = state.rows("SELECT path, numbers FROM record_tracks")
    playlists = {
        path
        for path, packed in records
        if ("record_tracks", path) in taken or not numbers.isdisjoint(array("I", packed))
    }
    return sorted(map(state.real.absolute, playlists))


def save_move(state: State, moved: Sequence[MovedRow], files: Mapping[bytes, bytes]) -> None:
    """Save these rows, and replace these files: all or nothing, even if the run is killed."""

    def act(database: Connection) -> None:
        for row in moved:
            database.execute(f"DELETE FROM main.{row.table} WHERE rowid = ?", (row.number,))  # noqa: S608
        for row in moved:
            database.execute(schema.replace(row.table, has_number=True), (*row.after.values(), row.number))
        for row in moved:
            if row.table in ("folder", "former_folder"):  # players may know only the old place
                folder = FolderRow(row.before["names"], row.before["numbers"])
                state.add_former_names(database, {row.before["path"]: folder.numbers_by_name()})
        database.executemany(schema.replace("unwritten"), files.items())

    with contextlib.ExitStack() as stack:
        ready = [stack.enter_context(atomic_file.prepared(path, [text])) for path, text in files.items()]
        atomic_file.write(moving_mark(), [b""])
        state.change(act)
        for file in ready:
            file.replace()
        _write_files(state)


def finish_move() -> None:
    """Write the remaining files of a killed move that was saved."""
    with State(must_remember=True) as state, state.locked():
        _write_files(state)


def _write_files(state: State) -> None:
    for path, content in state.rows("SELECT path, content FROM unwritten"):
        atomic_file.write(path, [content])
    state.change(lambda database: database.execute("DELETE FROM main.unwritten"))
    atomic_file.remove(moving_mark())
