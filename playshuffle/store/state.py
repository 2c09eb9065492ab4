"""Store orders and folders from one run to the next, in a file that must not be lost.

An order is an index array over a list of paths. The list is stored once for each different
library (compressed).
"""

import json
import zlib
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.errors import shown
from playshuffle.library.identity import Remembered
from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.store import schema
from playshuffle.store.state_file import StateFile
from playshuffle.system.sqlite import Connection

LAST, BEFORE = 0, 1  # ages of the rows of a playlist


class Seen(NamedTuple):
    """An order that a playlist had.

    library: digest of the paths that it was made from. content: fingerprint of the file that
    was written with it. played: the number of tracks, from the first, that were in the file.
    shuffled_s: when it was drawn, in seconds; 0 if that is not known.
    """

    library: bytes
    content: str
    played: int
    shuffled_s: int = 0


class State(StateFile):
    """What is stored of playlists and folders, from one run to the next."""

    def playlists(self) -> list[bytes]:
        """Return all playlists with a saved order."""
        return [row[0] for row in self.rows("SELECT DISTINCT path FROM playlist ORDER BY path")]

    def seen(self, playlist: bytes) -> list[Seen]:
        """Return the last orders of the playlist at this path, the newest first; at most two.

        The newest is kept before the file is replaced. If that did not come about, the file
        still has the one before.
        """
        query = "SELECT library, content, played, shuffled FROM playlist WHERE path = ? ORDER BY age"
        return [Seen(*row) for row in self.rows(query, playlist)]

    def deck_version(self, playlist: bytes) -> list[object]:
        """Return a value that changes whenever the deck of the playlist at this path does."""
        return self.rows("SELECT * FROM deck WHERE path = ? ORDER BY age", playlist)

    def order(self, playlist: bytes, seen: Seen) -> list[bytes] | None:
        """Return the tracks of a saved order, without vanished ones; None if it is damaged."""
        known = self.remembered(playlist, seen)
        if known is None:
            return None
        return [known.paths[index] for index in known.places if index not in known.gone]

    def remembered(self, playlist: bytes, seen: Seen) -> Remembered | None:
        """Return a saved order, with vanished tracks and marks; None if it is damaged."""
        rows = self.rows(
            "SELECT playlist.rowid, paths, marks, places, gone FROM playlist"
            " LEFT JOIN library ON library = digest WHERE path = ? AND content = ?",
            playlist,
            seen.content,
        )
        if not rows:
            self.notes.append(f"The saved order of {shown(playlist)} was damaged and is not used.")
            return None
        row, *packed = rows[0]
        try:
            return _unpacked(*packed)
        except (zlib.error, ValueError, LookupError, TypeError, AttributeError, OverflowError):
            self.set_row_aside("playlist", row, playlist)
            return None

    def root(self, path: bytes, playlist: bytes = b"") -> Root | None:
        """Return a root as a playlist found it last, else as any other did; None if it was never scanned."""
        rows = self.rows(
            "SELECT 1, tracks, mounts FROM playlist_root WHERE path = ? AND playlist = ?"
            " UNION ALL SELECT 2, tracks, mounts FROM root WHERE path = ? ORDER BY 1",
            path,
            playlist,
            path,
        )
        return Root(path, rows[0][1], schema.mounts_from(rows[0][2])) if rows else None

    def remember_roots(self, playlist: bytes, roots: Sequence[Root]) -> None:
        """Store the roots of a playlist whose order is stored already; write only if they differ.

        Raises:
            PlayshuffleError: they cannot be written.
        """
        rows = self.rows("SELECT path, tracks, mounts FROM playlist_root WHERE playlist = ?", playlist)
        known = [Root(path, tracks, schema.mounts_from(text)) for path, tracks, text in rows]
        if any(root not in known for root in roots):
            self.change(playlist, lambda database: self.put_roots(database, playlist, roots))

    def remember(
        self,
        playlist: bytes,
        seen: Seen,
        before: Seen | None,
        order: Remembered,
        roots: Sequence[Root],
    ) -> None:
        """Keep the order of a playlist.

        The order `before` is kept beside the new one, until it is sure that the file has that.

        Args:
            playlist: resolved path of the file.
            seen: what is to be known of the order.
            before: of the order that the file has until it is replaced.
            order: the order.
            roots: as they are now.

        Raises:
            PlayshuffleError: it cannot be written.
        """
        kept = before.content if before is not None and before.content != seen.content else None
        row = (
            *(playlist, LAST, seen.library, seen.content, seen.played, json.dumps(dict(order.gone))),
            *(seen.shuffled_s, array("I", order.places).tobytes(), zlib.compress(order.marks, 1)),
        )

        def act(database: Connection) -> None:
            database.execute("DELETE FROM playlist WHERE path = ? AND content IS NOT ?", (playlist, kept))
            database.execute("UPDATE playlist SET age = ? WHERE path = ?", (BEFORE, playlist))
            database.execute(
                "INSERT INTO playlist (path, age, library, content, played, gone, shuffled, places, marks)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            self.put_library(database, seen.library, order.paths)
            self.put_roots(database, playlist, roots)

        self.change(playlist, act)

    def forget(self, playlist: bytes) -> bool:
        """Remove all that is saved of a playlist; return whether there was anything.

        Raises:
            PlayshuffleError: the state cannot be written.
        """
        deleted = 0

        def delete(database: Connection) -> None:
            nonlocal deleted
            deleted = sum(
                database.execute(f"DELETE FROM {table} WHERE {column} = ?", (playlist,)).rowcount  # noqa: S608
                for table, column in schema.PLAYLIST_COLUMNS.items()
            )

        self.change(playlist, delete)
        return bool(deleted)

    def put_roots(self, database: Connection, playlist: bytes, roots: Sequence[Root]) -> None:
        """Store what is in the roots of a playlist now."""
        for root in roots:
            row = (root.path, root.tracks, schema.mounts_as(root.mounts))
            database.execute("REPLACE INTO root (path, tracks, mounts) VALUES (?, ?, ?)", row)
            database.execute(
                "REPLACE INTO playlist_root (playlist, path, tracks, mounts) VALUES (?, ?, ?, ?)",
                (playlist, *row),
            )

    def put_library(self, database: Connection, digest: bytes, paths: Sequence[bytes]) -> None:
        """Store a list of paths, if it is not there."""
        if not database.execute("SELECT 1 FROM library WHERE digest = ?", (digest,)).fetchone():
            row = (digest, zlib.compress(b"\0".join(paths), 1))
            database.execute("INSERT INTO library (digest, paths) VALUES (?, ?)", row)


def _unpacked(packed_paths: bytes, packed_marks: bytes, packed_places: bytes, gone: str) -> Remembered:
    """Return the order of a row; raise ValueError or another error if it is damaged."""
    paths = zlib.decompress(packed_paths).split(b"\0")
    marks = zlib.decompress(packed_marks)
    places = array("I", packed_places)
    since = {int(index): int(seconds) for index, seconds in json.loads(gone).items()}
    if len(places) != len(paths) or set(places) != set(range(len(paths))):
        raise ValueError("the order is not a permutation")
    if len(marks) not in (0, MARK_BYTES * len(paths)) or not since.keys() <= set(range(len(paths))):
        raise ValueError("the row belongs to other tracks")
    return Remembered(paths, marks, places, since)
