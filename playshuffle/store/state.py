"""Store orders and folders from one run to the next, in a file that must not be lost.

An order is an index array over a list of paths. The list is stored once for each different
library (compressed); a small change is stored as edits.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from playshuffle.errors import shown
from playshuffle.library.identity import Remembered
from playshuffle.library.missing import Root
from playshuffle.store import order_rows, schema
from playshuffle.store.state_file import StateFile
from playshuffle.system.sqlite import Connection

_PART = 4096  # paths that are compressed at a time


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

    def __init__(self, *, writes: bool = True, must_remember: bool = False) -> None:
        super().__init__(writes=writes, must_remember=must_remember)
        self._bases: dict[bytes, order_rows.Base] = {}

    def playlists(self) -> list[bytes]:
        """Return all playlists with a saved order."""
        return [row[0] for row in self.rows("SELECT DISTINCT path FROM playlist ORDER BY path")]

    def seen(self, playlist: bytes) -> list[Seen]:
        """Return the last orders of the playlist at this path, the newest first; at most two.

        The newest is kept before the file is replaced. If that did not come about, the file
        still has the one before.
        """
        query = "SELECT library, content, played, shuffled FROM playlist WHERE path = ? AND age != ?"
        rows = self.rows(f"{query} ORDER BY age", playlist, order_rows.BASE)
        return [Seen(*row) for row in rows]

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
        try:
            loaded = self.ask(lambda database: order_rows.load(database, playlist, seen.content))
        except order_rows.DamagedError as error:
            for row in error.rows:
                self.set_row_aside("playlist", row, playlist)
            return None
        if loaded is not None:
            order, self._bases[playlist] = loaded
            return order
        self.notes.append(f"The saved order of {shown(playlist)} was damaged and is not used.")
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

    def edits(
        self,
        playlist: bytes,
        paths: Callable[[], Iterable[bytes]],
        marks: Callable[[], bytes],
        places: Sequence[int],
        *,
        is_known: bool = False,
    ) -> order_rows.Edits | None:
        """Return an order as edits for `remember`, None if it is to be stored whole.

        Frees the order that was loaded, so a second call returns None.

        Args:
            playlist: resolved path of the file.
            paths: returns the paths of the tracks that the order is over.
            marks: returns the marks of the tracks.
            places: the order.
            is_known: it is the order that was loaded.
        """
        base = self._bases.pop(playlist, None)
        if base is None:
            return None
        return order_rows.pack(base, paths, marks, places, is_known=is_known)

    def remember(
        self,
        playlist: bytes,
        seen: Seen,
        before: Seen | None,
        paths: Callable[[], Iterable[bytes]],
        places: Sequence[int],
        roots: Sequence[Root],
        marks: Callable[[], bytes] = bytes,
        gone: Mapping[int, int] = MappingProxyType({}),
        edits: order_rows.Edits | None = None,
    ) -> None:
        """Keep the order of a playlist: `places` is the index array over the paths in library order.

        The order `before` is kept beside the new one, until it is sure that the file has that.

        Args:
            playlist: resolved path of the file.
            seen: what is to be known of the order.
            before: of the order that the file has until it is replaced.
            paths: returns the paths of the tracks that the order is over.
            places: the order.
            roots: as they are now.
            marks: returns the marks of the tracks as they are now; nothing if they are not known.
            gone: tracks of the order that are not there, and since when, in seconds.
            edits: the result of the method `edits`, if it was called.

        Raises:
            PlayshuffleError: it cannot be written.
        """
        values = order_rows.Values(
            seen.library, seen.content, seen.played, json.dumps(dict(gone)), seen.shuffled_s
        )
        edits = edits or self.edits(playlist, paths, marks, places)

        def keep(database: Connection) -> None:
            has_base = edits is not None and order_rows.has_base(database, playlist, edits)
            order_rows.put(
                database,
                playlist,
                values,
                before.content if before is not None else None,
                marks,
                places,
                edits if has_base else None,
                lambda: self.put_library(database, seen.library, paths),
            )
            self.put_roots(database, playlist, roots)

        self.change(playlist, keep)

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

    def put_library(self, database: Connection, digest: bytes, paths: Callable[[], Iterable[bytes]]) -> None:
        """Store a list of paths, if it is not there."""
        if not database.execute("SELECT 1 FROM library WHERE digest = ?", (digest,)).fetchone():
            row = (digest, _compressed(paths()))
            database.execute("INSERT INTO library (digest, paths) VALUES (?, ?)", row)


def _compressed(paths: Iterable[bytes]) -> bytes:
    """Return paths joined by NUL and compressed, without the whole text in memory."""
    compressor = zlib.compressobj(1)
    separator = b""
    packed = []
    remaining = iter(paths)
    while part := list(islice(remaining, _PART)):
        packed.append(compressor.compress(separator + b"\0".join(part)))
        separator = b"\0"
    return b"".join([*packed, compressor.flush()])
