"""Store the table of tracks, and the last order of each playlist, in a file that must not be lost.

An order is an array of the numbers of tracks, so no rename, new tag or move can touch it.
"""

import json
import os
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow, KnownRoot, RootKey, TrackTable, Vanished
from playshuffle.store import schema
from playshuffle.store.state_file import StateFile
from playshuffle.system.mounts import Mount
from playshuffle.system.sqlite import Connection

ORDER, DECK = "order", "deck"
LAST, BEFORE, IN_FILE = range(3)  # ages of records
_FACTS = ("played", "drawn_s", "stamp")
_TEXTS = ("options", "noted")
_LIMIT = (1 << 32) - 1  # numbers have 32 bits


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
        """Return the table of tracks. A row that makes no sense is set aside."""
        folders = {
            self.named.absolute(path): FolderRow(*values)
            for path, *values in self.rows("SELECT path, names, numbers, marks FROM folder ORDER BY path")
        }
        used = _numbers_in(folders.items())
        if used is None:
            folders, used = self._sound_folders()
        vanished: dict[int, Vanished] = {}
        for number, *fields in self.rows("SELECT number, path, mark, since FROM vanished"):
            if not 0 < number < _LIMIT or len(fields[1]) != MARK_BYTES:
                self.set_row_aside("vanished", number, fields[0])
            else:
                vanished[number] = Vanished(self.named.absolute(fields[0]), *fields[1:])
        roots: dict[RootKey, KnownRoot] = {}
        for row, path, ignore_files, packed, mounts in self.rows(
            "SELECT rowid, path, ignore_files, numbers, mounts FROM root"
        ):
            try:
                key = self.named.absolute(path), bool(ignore_files)
                roots[key] = KnownRoot(array("I", packed), self._mounts_from(mounts))
            except (ValueError, TypeError):
                self.set_row_aside("root", row, path)
        next_number = self._next_number(used.union(vanished))
        self.rows("PRAGMA shrink_memory")  # the pages of these tables are not needed again
        return TrackTable(folders, vanished, next_number, roots)

    def _sound_folders(self) -> tuple[dict[bytes, FolderRow], set[int]]:
        """Return the folders without the rows that make no sense, which are set aside; and their numbers."""
        folders: dict[bytes, FolderRow] = {}
        used = set[int]()
        for row, path, *values in self.rows(
            "SELECT rowid, path, names, numbers, marks FROM folder ORDER BY path"
        ):
            one = FolderRow(*values)
            numbers = _numbers_in([(path, one)])
            if numbers is None or not used.isdisjoint(numbers):
                self.set_row_aside("folder", row, path)
            else:
                folders[self.named.absolute(path)] = one
                used |= numbers
        return folders, used

    def _next_number(self, used: Collection[int]) -> int:
        """Return the number of the next new track. No playlist names it, even if the counter was lost."""
        highest = max(used, default=0)
        counted: list[int] = [number for (number,) in self.rows("SELECT next_number FROM counter")]
        if used and counted and highest < counted[0] <= _LIMIT:
            return counted[0]
        packed = self.rows("SELECT numbers FROM record UNION ALL SELECT numbers FROM root")
        named = (array("I", numbers[: len(numbers) // 4 * 4]) for (numbers,) in packed)
        believed = (number for number in counted if number <= _LIMIT)
        least: int = max([highest + 1, *(max(numbers) + 1 for numbers in named if numbers), *believed])
        return least

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
            database.execute("INSERT INTO counter VALUES (?, ?)", (table.next_number, version))

        self.change(act)

    def root(self, path: bytes) -> Root | None:
        """Return a root as it was found last; None if it was never scanned."""
        for row, count, mounts in self.rows(
            "SELECT rowid, length(numbers) / 4, mounts FROM root WHERE path = ? ORDER BY ignore_files DESC",
            self.named.stored(path),
        ):
            try:
                return Root(path, count, self._mounts_from(mounts))
            except (ValueError, TypeError):
                self.set_row_aside("root", row, path)
        return None

    def roots(self) -> list[bytes]:
        """Return the music folders that were scanned."""
        return sorted(self.named.absolute(path) for (path,) in self.rows("SELECT DISTINCT path FROM root"))

    def output_mounts(self, playlist: bytes) -> list[Mount]:
        """Return the mounts that the folder of a playlist was on when it was written last."""
        rows = self.rows("SELECT rowid, mounts FROM output WHERE path = ?", self.real.stored(playlist))
        try:
            return self._mounts_from(rows[0][1]) if rows else []
        except (ValueError, TypeError):
            self.set_row_aside("output", rows[0][0], playlist)
            return []

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
        columns = "rowid, numbers, facts, content, digest"
        query = f"SELECT {columns} FROM record WHERE path = ? AND kind = ? AND age = ?"  # noqa: S608
        key = self.real.stored(playlist), ORDER
        for age in (LAST, BEFORE, IN_FILE):
            for row, numbers, text, content, digest in self.rows(query, *key, age):
                try:
                    facts = json.loads(text)
                    absent = {int(number): int(since_s) for number, since_s in facts["absent"]}
                    values = {name: facts[name] for name in _FACTS}
                    values |= {name: text_in(facts, name) for name in _TEXTS}
                    order = SavedOrder(array("I", numbers), absent, content=content, digest=digest, **values)
                    _check(order)
                except (ValueError, LookupError, TypeError, AttributeError, OverflowError):
                    self.set_row_aside("record", row, playlist)
                else:
                    yield age, order

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
                    facts = {name: getattr(each, name) for name in (*_FACTS, *_TEXTS)}
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
        """Return mounts that were stored; raise ValueError or TypeError if we did not write them."""
        text.encode()  # what we write is ASCII
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


def text_in(facts: Mapping[str, Any], name: str) -> str:
    """Return a text in the facts of a record, such as its options; empty if it is missing or damaged."""
    text = facts.get(name)
    return text if isinstance(text, str) else ""


def _numbers_in(folders: Iterable[tuple[bytes, FolderRow]]) -> set[int] | None:
    """Return the numbers in some folders; None if any row was not written by us."""
    packed = []
    for path, (names, numbers, marks) in folders:
        count = len({*names.split(b"/")} - {b""})
        if len(numbers) != 4 * count or len(marks) != MARK_BYTES * count or path[-1:] != b"/":
            return None
        packed.append(numbers)
    all_numbers = array("I", b"".join(packed))
    found = {*all_numbers}
    return found if len(found) == len(all_numbers) and 0 not in found else None


def _check(order: SavedOrder) -> None:
    """Raise ValueError if an order was not written by us."""
    numbers = {*order.numbers}
    if len(numbers) != len(order.numbers) or 0 in numbers or not numbers.issuperset(order.absent):
        raise ValueError("a track is there twice, or one is not known")
    if not 0 <= order.played <= len(order.numbers) or order.drawn_s < 0:
        raise ValueError("the number of played tracks or the time is wrong")
    order.content.encode()  # damaged text could not be stored again
