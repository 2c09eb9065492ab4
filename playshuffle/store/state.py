"""Store the table of tracks, and the last order of each playlist, in a file that must not be lost.

An order is an array of the numbers of tracks, so no rename, new tag or move can touch it.
"""

import json
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow, KnownRoot, TrackTable, Vanished
from playshuffle.store import schema
from playshuffle.store.state_file import StateFile
from playshuffle.system.mounts import Mount
from playshuffle.system.sqlite import Connection

ORDER, DECK = "order", "deck"
_WITH_NUMBERS = ("folder", "root", "record")
LAST, BEFORE, IN_FILE = range(3)  # ages of records
_FACTS = ("played", "drawn_s", "stamp", "options", "noted")


class SavedOrder(NamedTuple):
    """The order of a playlist, as it was written.

    Attributes:
        numbers: of the tracks in order, those that were absent among them.
        absent: since when each track was absent that was not written, in Unix seconds, by number.
        played: the number of tracks, from the first present one, that were in the file.
        drawn_s: when the order was drawn, in Unix seconds.
        content: fingerprint of the file that was written with it.
        digest: of the tracks that it was written from.
        stamp: of the file that was written; empty if that is not known.
        options: those that it was written with, as in a request; empty if not known.
        noted: what users were told of its choice, as in a report.
    """

    numbers: "array[int]"
    absent: Mapping[int, int]
    played: int
    drawn_s: int
    content: str
    digest: bytes
    stamp: str = ""
    options: str = ""
    noted: str = ""

    @property
    def present_then(self) -> "array[int]":
        """Return the numbers of the tracks that were there, in order."""
        if not self.absent:
            return self.numbers
        return array("I", [number for number in self.numbers if number not in self.absent])


NO_ORDER = SavedOrder(array("I"), {}, 0, 0, "", b"")


class State(StateFile):
    """What is stored of tracks and playlists, from one run to the next."""

    def tracks_version(self) -> int:
        """Return a number that changes whenever the table of tracks does."""
        rows = self.rows("SELECT version FROM counter")
        return int(rows[0][0]) if rows else 0

    def load_tracks(self) -> TrackTable:
        """Return the table of tracks."""
        folders = {
            self.named.absolute(path): FolderRow(*values)
            for path, *values in self.rows("SELECT path, names, numbers, marks FROM folder ORDER BY path")
        }
        vanished = {
            number: Vanished(self.named.absolute(path), *values)
            for number, path, *values in self.rows("SELECT number, path, mark, since FROM vanished")
        }
        roots = {
            (self.named.absolute(path), bool(ignore_files)): KnownRoot(
                array("I", packed), self._mounts_from(mounts)
            )
            for path, ignore_files, packed, mounts in self.rows(
                "SELECT path, ignore_files, numbers, mounts FROM root"
            )
        }
        next_number = self._next_number()
        self.rows("PRAGMA shrink_memory")  # the pages of these tables are not needed again
        return TrackTable(folders, vanished, next_number, roots)

    def _next_number(self) -> int:
        """Return the number of the next new track. Nothing names it, even if the counter was lost."""
        for (number,) in self.rows("SELECT next_number FROM counter"):
            return int(number)
        packed = self.rows(" UNION ALL ".join(f"SELECT numbers FROM {table}" for table in _WITH_NUMBERS))  # noqa: S608
        [[vanished]] = self.rows("SELECT max(number) FROM vanished")
        return 1 + max([vanished or 0, *(max(array("I", numbers), default=0) for (numbers,) in packed)])

    def save_tracks(self, before: TrackTable, table: TrackTable) -> None:
        """Store what has changed in the table of tracks, in one transaction.

        Raises:
            PlayshuffleError: it cannot be written.
        """
        stored = self.named.stored
        folders = [
            (stored(path), *row) for path, row in table.folders.items() if row is not before.folders.get(path)
        ]
        no_folders = [(stored(path),) for path in before.folders.keys() - table.folders.keys()]
        vanished = [
            (number, stored(row.path), *row[1:])
            for number, row in table.vanished.items()
            if row != before.vanished.get(number)
        ]
        not_vanished = [(number,) for number in before.vanished.keys() - table.vanished.keys()]
        roots = [
            (stored(path), ignore_files, root.numbers.tobytes(), self._mounts_as(root.mounts))
            for (path, ignore_files), root in table.roots.items()
            if root != before.roots.get((path, ignore_files))
        ]
        if not (folders or no_folders or vanished or not_vanished or roots):
            return

        def act(database: Connection) -> None:
            database.executemany("DELETE FROM folder WHERE path = ?", no_folders)
            database.executemany(schema.replace("folder"), folders)
            database.executemany("DELETE FROM vanished WHERE number = ?", not_vanished)
            database.executemany(schema.replace("vanished"), vanished)
            database.executemany(schema.replace("root"), roots)
            version = self.tracks_version() + 1
            database.execute("DELETE FROM counter")
            database.execute(schema.replace("counter"), (table.next_number, version))

        self.change(act)

    def root(self, path: bytes) -> Root | None:
        """Return a root as it was found last; None if it was never scanned."""
        for count, mounts in self.rows(
            "SELECT length(numbers) / 4, mounts FROM root WHERE path = ? ORDER BY ignore_files DESC",
            self.named.stored(path),
        ):
            return Root(path, count, self._mounts_from(mounts))
        return None

    def roots(self) -> list[bytes]:
        """Return the music folders that were scanned."""
        return sorted(self.named.absolute(path) for (path,) in self.rows("SELECT DISTINCT path FROM root"))

    def output_mounts(self, playlist: bytes) -> list[Mount]:
        """Return the mounts that the folder of a playlist was on when it was written last."""
        rows = self.rows("SELECT mounts FROM output WHERE path = ?", self.real.stored(playlist))
        return self._mounts_from(rows[0][0]) if rows else []

    def save_output_mounts(self, playlist: bytes, mounts: Sequence[Mount]) -> None:
        """Store the mounts that the folder of a playlist is on, if they have changed.

        Raises:
            PlayshuffleError: they cannot be written.
        """
        if list(mounts) != self.output_mounts(playlist):
            row = (self.real.stored(playlist), self._mounts_as(mounts))
            self.change(lambda database: database.execute(schema.replace("output"), row), playlist)

    def playlists(self) -> list[bytes]:
        """Return all playlists with a saved order."""
        rows = self.rows("SELECT DISTINCT path FROM record WHERE kind = ?", ORDER)
        return sorted(self.real.absolute(path) for (path,) in rows)

    def last_order(self, playlist: bytes) -> SavedOrder | None:
        """Return the newest order of the playlist at this path; None if there is none."""
        return next((order for _, order in self._orders(playlist) if order != NO_ORDER), None)

    def orders(self, playlist: bytes) -> list[SavedOrder]:
        """Return the last orders of the playlist at this path, the newest first; at most three.

        The newest is kept before the file is replaced. If that did not come about, the file
        still has one of the others.
        """
        return [order for _, order in self._orders(playlist) if order != NO_ORDER]

    def order_before(self, playlist: bytes) -> SavedOrder | None:
        """Return the order that the playlist had before its last one was drawn; None if it is not known."""
        before = dict(self._orders(playlist)).get(BEFORE)
        return before if before != NO_ORDER else None

    def last_made(self) -> bytes | None:
        """Return the playlist that was made or dealt last; None if there is none."""
        rows = self.rows("SELECT path FROM record WHERE age = ? ORDER BY rowid DESC LIMIT 1", BEFORE)
        return self.real.absolute(rows[0][0]) if rows else None

    def _orders(self, playlist: bytes) -> Iterator[tuple[int, SavedOrder]]:
        """Yield the age of each order of a playlist, and the order. Each is loaded when it is asked for."""
        query = "SELECT numbers, facts, content, digest FROM record WHERE path = ? AND kind = ? AND age = ?"
        for age in (LAST, BEFORE, IN_FILE):
            for numbers, text, content, digest in self.rows(query, self.real.stored(playlist), ORDER, age):
                facts = json.loads(text)
                absent = dict(facts.pop("absent"))
                yield age, SavedOrder(array("I", numbers), absent, content=content, digest=digest, **facts)

    def save_order(
        self,
        playlist: bytes,
        order: SavedOrder,
        in_file: SavedOrder | None,
        before: SavedOrder | None = None,
    ) -> None:
        """Keep the order of a playlist, and beside it the one that its file has until it is replaced.

        Args:
            playlist: resolved path of its file.
            order: the order now.
            in_file: the order that the file has until it is replaced.
            before: the order to go back to, `NO_ORDER` if there is none; None keeps the one that is stored.

        Raises:
            PlayshuffleError: it cannot be written.
        """
        path = self.real.stored(playlist)

        def act(database: Connection) -> None:
            database.execute(
                "DELETE FROM record WHERE path = ? AND kind = ? AND age IN (?, ?)",
                (path, ORDER, LAST, IN_FILE),
            )
            ages = ((LAST, order), (BEFORE, before), (IN_FILE, in_file if in_file != before else None))
            for age, each in ages:
                if each is not None and (age == LAST or each.content != order.content):
                    facts = {name: getattr(each, name) for name in _FACTS}
                    text = json.dumps({"absent": [*each.absent.items()]} | facts)
                    key = path, ORDER, age
                    put_record(database, *key, each.numbers, text, each.content, each.digest)
            if before is not None and before.content == order.content:
                # Nothing new to go back to. This list was made last all the same.
                database.execute(
                    "UPDATE record SET rowid = (SELECT max(rowid) + 1 FROM record)"
                    " WHERE path = ? AND kind = ? AND age = ?",
                    (path, ORDER, BEFORE),
                )

        self.change(act, playlist)

    def forget(self, playlist: bytes) -> bool:
        """Remove all that is saved of a playlist; return whether there was anything.

        Raises:
            PlayshuffleError: the state cannot be written.
        """
        deleted, path = 0, self.real.stored(playlist)

        def delete(database: Connection) -> None:
            nonlocal deleted
            deleted = sum(
                database.execute(f"DELETE FROM {table} WHERE {column} = ?", (path,)).rowcount  # noqa: S608
                for table, column in schema.PLAYLIST_COLUMNS.items()
            )

        self.change(delete, playlist)
        return bool(deleted)

    def _mounts_from(self, text: str) -> list[Mount]:
        """Return mounts that were stored."""
        return [
            Mount(self.real.absolute(os.fsencode(point)), kind, os.fsencode(source), fsid)
            for point, kind, source, fsid in json.loads(text)
        ]

    def _mounts_as(self, mounts: Iterable[Mount]) -> str:
        """Return mounts as they are stored."""
        return json.dumps(
            [
                (os.fsdecode(self.real.stored(point)), kind, os.fsdecode(source), fsid)
                for point, kind, source, fsid in mounts
            ]
        )


def put_record(
    database: Connection,
    path: bytes,
    kind: str,
    age: int,
    numbers: "array[int]",
    facts: str,
    content: str,
    digest: bytes = b"",
) -> None:
    """Store a record of a playlist; path: as it is stored."""
    row = (path, kind, age, numbers.tobytes(), facts, content, digest)
    database.execute(schema.replace("record"), row)
