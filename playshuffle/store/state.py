"""Store the table of tracks, and the mounts that playlists are on."""

import json
import os
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from playshuffle.library.marks import mark_rows, packed_marks
from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow, FormerFile, TrackTable
from playshuffle.store import schema
from playshuffle.store.state_file import StateFile
from playshuffle.system.clock import Clock
from playshuffle.system.mounts import Mount
from playshuffle.system.sqlite import Connection

_WITH_NUMBERS = ("folder", "root", "record_tracks")


class State(StateFile):
    """The facts about tracks and playlists that runs save."""

    def tracks_version(self) -> int:
        rows = self.rows("SELECT version FROM counter")
        return int(rows[0][0]) if rows else 0

    def load_tracks(self, below: Collection[bytes] | None = None) -> TrackTable:
        """Return the table of tracks.

        With `below`, it has only the tracks below these roots, without deleted files.
        """
        columns = "SELECT path, names, numbers, marks FROM folder"
        if below is None:
            folder_rows, root_rows = self.rows(f"{columns} ORDER BY path"), self._root_rows()
        else:
            tops = [top for root in below for top in self.named.beginnings(root)]
            # The first path that does not begin so has the next character after the slash.
            query = f"{columns} WHERE path >= ? AND path < ?"
            folder_rows = [row for top in tops for row in self.rows(query, top, top[:-1] + b"0")]
            root_rows = [*chain(*map(self._root_rows, below))]
        folders = {self.named.absolute(path): FolderRow(*values) for path, *values in folder_rows}
        roots = {
            (self.named.absolute(path), bool(ignore_files)): Root(
                array("I", packed), self._mounts_from(mounts)
            )
            for path, ignore_files, packed, mounts in root_rows
        }
        vanished, replaced = (
            self._former_files(is_replaced=is_replaced) if below is None else {}
            for is_replaced in (False, True)
        )
        next_number = self._next_number()
        self.rows("PRAGMA shrink_memory")  # the pages of these tables are not needed again
        return TrackTable(folders, vanished, replaced, next_number, roots, is_whole=below is None)

    def _root_rows(self, path: bytes | None = None) -> list[tuple[bytes, int, bytes, str]]:
        query = "SELECT path, ignore_files, numbers, mounts FROM root"
        if path is None:
            return self.rows(query)
        return self.rows(f"{query} WHERE path = ? ORDER BY ignore_files DESC", self.named.stored(path))

    def _former_files(self, *, is_replaced: bool) -> dict[int, FormerFile]:
        query = "SELECT number, path, mark, since FROM former WHERE is_replaced = ?"
        return {
            number: FormerFile(self.named.absolute(path), mark_rows(mark)[0], since_s)
            for number, path, mark, since_s in self.rows(query, is_replaced)
        }

    def _former_rows(self, table: TrackTable) -> dict[int, tuple[bytes, bytes, int, int]]:
        return {
            number: (self.named.stored(file.path), packed_marks([file.mark]), file.since_s, is_replaced)
            for is_replaced, files in enumerate((table.vanished, table.replaced))
            for number, file in files.items()
        }

    def _next_number(self) -> int:
        """Return a number that no track has had, even if the counter is lost."""
        for (number,) in self.rows("SELECT next_number FROM counter"):
            return int(number)
        packed = self.rows(" UNION ALL ".join(f"SELECT numbers FROM {table}" for table in _WITH_NUMBERS))  # noqa: S608
        [[former]] = self.rows("SELECT max(number) FROM former")
        return 1 + max([former or 0, *(max(array("I", numbers), default=0) for (numbers,) in packed)])

    def save_tracks(self, before: TrackTable, table: TrackTable) -> None:
        """Store the changes in the table of tracks, in one transaction."""
        stored = self.named.stored
        folders = [
            (stored(path), *row) for path, row in table.folders.items() if row is not before.folders.get(path)
        ]
        no_folders = [(stored(path),) for path in before.folders.keys() - table.folders.keys()]
        former, former_before = self._former_rows(table), self._former_rows(before)
        new_former = [(number, *row) for number, row in former.items() if row != former_before.get(number)]
        no_former = [(number,) for number in former_before.keys() - former.keys()]
        roots = [
            (stored(path), ignore_files, root.numbers.tobytes(), self._mounts_as(root.mounts))
            for (path, ignore_files), root in table.roots.items()
            if root != before.roots.get((path, ignore_files))
        ]
        if not (folders or no_folders or new_former or no_former or roots):
            return
        names: defaultdict[bytes, dict[bytes, int]] = defaultdict(dict)
        for number, path in table.former_paths(before).items():
            cut = path.rfind(b"/") + 1
            names[stored(path[:cut])][path[cut:]] = number

        def act(database: Connection) -> None:
            database.executemany("DELETE FROM main.folder WHERE path = ?", no_folders)
            database.executemany(schema.replace("folder"), folders)
            database.executemany("DELETE FROM main.former WHERE number = ?", no_former)
            database.executemany(schema.replace("former"), new_former)
            database.executemany(schema.replace("root"), roots)
            self.add_former_names(database, names)
            version = self.tracks_version() + 1
            database.execute("DELETE FROM main.counter")
            database.execute(schema.replace("counter"), (table.next_number, version))

        self.change(act)

    def clock(self) -> Clock:
        rows = self.rows("SELECT time_s, waited_s, uptime_s FROM clock")
        return Clock(*rows[0]) if rows else Clock()

    def save_clock(self, clock: Clock) -> None:
        def act(database: Connection) -> None:
            database.execute("DELETE FROM main.clock")
            database.execute(schema.replace("clock"), clock)

        self.change(act)

    def add_former_names(self, database: Connection, folders: Mapping[bytes, Mapping[bytes, int]]) -> None:
        """Store former names of tracks: players may use them for ever. A folder is given as it is stored."""
        for path, added in folders.items():
            rows = self.rows("SELECT names, numbers FROM former_folder WHERE path = ?", path)
            numbers = {**(FolderRow(*rows[0]).numbers_by_name() if rows else {}), **added}
            row = path, b"/".join(numbers), array("I", numbers.values()).tobytes()
            database.execute(schema.replace("former_folder"), row)

    def former_paths(self) -> dict[bytes, int]:
        """Return the number of the track that had each path last."""
        return {
            self.named.absolute(folder) + name: number
            for folder, names, numbers in self.rows("SELECT path, names, numbers FROM former_folder")
            for name, number in FolderRow(names, numbers).numbers_by_name().items()
        }

    def root(self, path: bytes) -> Root | None:
        for _, _, packed, mounts in self._root_rows(path):
            return Root(array("I", packed), self._mounts_from(mounts))
        return None

    def roots(self) -> list[bytes]:
        return sorted(self.named.absolute(path) for (path,) in self.rows("SELECT DISTINCT path FROM root"))

    def output_mounts(self, playlist: bytes) -> list[Mount]:
        rows = self.rows("SELECT mounts FROM output WHERE path = ?", self.real.stored(playlist))
        return self._mounts_from(rows[0][0]) if rows else []

    def save_output_mounts(self, playlist: bytes, mounts: Sequence[Mount]) -> None:
        """Store the mounts of a playlist's folder, if they have changed."""
        if list(mounts) != self.output_mounts(playlist):
            row = (self.real.stored(playlist), self._mounts_as(mounts))
            self.change(lambda database: database.execute(schema.replace("output"), row), playlist)

    def forget(self, playlist: bytes) -> None:
        """Remove all rows of a playlist."""
        path = self.real.stored(playlist)

        def delete(database: Connection) -> None:
            for table, column in schema.PLAYLIST_COLUMNS.items():
                database.execute(f"DELETE FROM main.{table} WHERE {column} = ?", (path,))  # noqa: S608

        self.change(delete, playlist)

    def _mounts_from(self, text: str) -> list[Mount]:
        return [
            Mount(self.real.absolute(os.fsencode(point)), kind, os.fsencode(source), fsid)
            for point, kind, source, fsid in json.loads(text)
        ]

    def _mounts_as(self, mounts: Iterable[Mount]) -> str:
        return json.dumps(
            [
                (os.fsdecode(self.real.stored(point)), kind, os.fsdecode(source), fsid)
                for point, kind, source, fsid in mounts
            ]
        )
