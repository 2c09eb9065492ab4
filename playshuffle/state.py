"""Orders and roots, kept from one run to the next, in a file that must not be lost.

An order is an index array over a list of paths. The list is kept once for each different
library (compressed), so that a run over an unchanged library writes 4 bytes a track. Written
with full synchronisation; a damaged file is set aside, named, and begun anew, whenever that shows.
"""

import contextlib
import errno
import fcntl
import json
import os
import sqlite3
import time
import zlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from playshuffle.database import ERRORS, connect, is_passing, place, set_aside
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.mounts import Mount

_VERSION = 1

# Two runs may begin it at once, hence IF NOT EXISTS.
# Without rowids the order's blob would lie in the index; TRUNCATE below needs no shared memory.
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS library (digest BLOB PRIMARY KEY, paths BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS playlist (
        path BLOB NOT NULL,
        age INTEGER NOT NULL,
        library BLOB NOT NULL REFERENCES library,
        places BLOB NOT NULL,
        content TEXT NOT NULL,
        played INTEGER NOT NULL,
        PRIMARY KEY (path, age)
    );
    CREATE TABLE IF NOT EXISTS root (path BLOB PRIMARY KEY, tracks INTEGER NOT NULL, mounts TEXT NOT NULL);
"""

_LOCK_WAIT_S = 10

_Answer = TypeVar("_Answer")


class Root(NamedTuple):
    """What was in a root when it was last seen: its tracks, and the mounts it lay on."""

    path: bytes
    tracks: int
    mounts: list[Mount]


class Seen(NamedTuple):
    """An order that a playlist had.

    library: digest of the paths that it was made from. content: fingerprint of the file that
    was written with it. played: so many tracks of it, from the first, were in the file.
    """

    library: bytes
    content: str
    played: int


class State:
    """The state file, opened; a context manager.

    notes: what the user should know of it, as whole sentences.
    """

    def __init__(self, *, writes: bool = True) -> None:
        self.notes: list[str] = []
        self._writes = writes
        self._folder: bytes | None = None
        try:
            self._folder = place("XDG_STATE_HOME", b".local/state", make=writes)
            self._database = self._opened(os.path.join(self._folder, b"state.db"))
        except (OSError, sqlite3.OperationalError) as error:
            self._database = self._without_memory(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _opened(self, path: bytes) -> sqlite3.Connection:
        if not self._writes and not _says_anything(path):
            return _empty()
        database = connect(path, writes=self._writes)
        try:
            return _prepared(database, path, writes=self._writes)
        except ERRORS as error:
            database.close()
            if is_passing(error):
                raise
        return self._anew(path)

    def _anew(self, path: bytes) -> sqlite3.Connection:
        if not self._writes:
            self.notes.append(f"The state in {shown(path)} is damaged; it was left as it is, and not used.")
            return _empty()
        aside = set_aside(path)
        self.notes.append(f"The state was damaged; it was kept as {shown(aside)} and begun anew.")
        return _prepared(connect(path), path, writes=True)

    def _without_memory(self, error: Exception) -> sqlite3.Connection:
        self.notes.append(f"Nothing can be remembered for the next run: {error}.")
        self._folder = None
        return _empty()

    def _asked(self, question: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """What the database says; if it proves to be damaged, what a new one says."""
        try:
            return question(self._database)
        except ERRORS as error:
            if is_passing(error):
                raise
        self._begin_anew()
        return question(self._database)

    def _begin_anew(self) -> None:
        if self._folder is None:
            return
        self._database.close()
        try:
            self._database = self._anew(os.path.join(self._folder, b"state.db"))
        except (OSError, sqlite3.OperationalError) as error:
            self._database = self._without_memory(error)

    def _rows(self, query: str, *values: object) -> list[Any]:
        """All rows that a query finds.

        Raises:
            PlayshuffleError: another playshuffle, or the disk, is in the way.
        """
        try:
            return self._asked(lambda database: database.execute(query, values).fetchall())
        except sqlite3.OperationalError as error:
            raise PlayshuffleError(
                f"The state cannot be read ({error}); see what else uses it or its disk, and try again.",
                Exit.CANNOT_CREATE,
            ) from error

    def seen(self, playlist: bytes) -> list[Seen]:
        """The orders that the playlist at this path had, the newest first; at most two.

        The newest is kept before the file is replaced. If that did not come about, the file
        still has the one before.
        """
        rows = self._rows(
            "SELECT library, content, played FROM playlist WHERE path = ? ORDER BY age", playlist
        )
        return [Seen(*row) for row in rows]

    def order(self, playlist: bytes, seen: Seen) -> list[bytes] | None:
        """The tracks of a playlist in an order that it had; None if that is damaged."""
        rows = self._rows(
            "SELECT paths, places FROM playlist JOIN library ON library = digest"
            " WHERE path = ? AND content = ?",
            playlist,
            seen.content,
        )
        if rows:
            packed, places = rows[0]
            with contextlib.suppress(zlib.error, ValueError, IndexError, TypeError):
                paths = zlib.decompress(packed).split(b"\0")
                order = array("I", places)
                if len(set(order)) == len(order) == len(paths):
                    return [paths[index] for index in order]
            self._begin_anew()  # or the next order would be kept over the same damaged paths
        self.notes.append(f"The order remembered for {shown(playlist)} was damaged and is not used.")
        return None

    def root(self, path: bytes) -> Root | None:
        """What was in a root when it was last seen; None if it never was."""
        rows = self._rows("SELECT path, tracks, mounts FROM root WHERE path = ?", path)
        return _root(rows[0]) if rows else None

    def remember(
        self,
        playlist: bytes,
        seen: Seen,
        before: Seen | None,
        paths: Callable[[], Sequence[bytes]],
        places: Sequence[int],
        roots: Sequence[Root],
    ) -> None:
        """Keep the order of a playlist: `places` is the index array over the paths in library order.

        The paths are asked for only if they are not known by their digest. The order `before`
        is kept beside the new one, until it is sure that the file has that.

        Raises:
            PlayshuffleError: it cannot be written.
        """

        def keep(connection: sqlite3.Connection) -> None:
            with connection as database:
                if not database.execute("SELECT 1 FROM library WHERE digest = ?", (seen.library,)).fetchone():
                    packed = zlib.compress(b"\0".join(paths()), 1)
                    database.execute("INSERT INTO library VALUES (?, ?)", (seen.library, packed))
                in_effect = before.content if before is not None else None
                database.execute(
                    "DELETE FROM playlist WHERE path = ? AND (content IS NOT ? OR content = ?)",
                    (playlist, in_effect, seen.content),
                )
                database.execute("UPDATE playlist SET age = 1 WHERE path = ?", (playlist,))
                database.execute(
                    "INSERT INTO playlist VALUES (?, 0, ?, ?, ?, ?)",
                    (playlist, seen.library, array("I", places).tobytes(), seen.content, seen.played),
                )
                database.execute("DELETE FROM library WHERE digest NOT IN (SELECT library FROM playlist)")
                database.executemany("REPLACE INTO root VALUES (?, ?, ?)", map(_root_row, roots))

        try:
            self._asked(keep)
        except sqlite3.OperationalError as error:
            raise PlayshuffleError(
                f"The order cannot be remembered ({error}), so {shown(playlist)} was left as it was;"
                " make room on the disk of the state folder.",
                Exit.CANNOT_CREATE,
            ) from error

    def _lock_file(self) -> int | None:
        if self._folder is None or not self._writes:
            return None
        path = os.path.join(self._folder, b"state.lock")
        with contextlib.suppress(OSError):
            return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return None  # the disk is full: whether the playlist can be written will be seen

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold off every other playshuffle of this user while state and playlist are written.

        Raises:
            PlayshuffleError: another one did not let go within 10 seconds.
        """
        descriptor = self._lock_file()
        if descriptor is None:
            yield
            return
        try:
            _lock(descriptor)
            with contextlib.suppress(OSError):  # for the message to whoever has to wait
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, str(os.getpid()).encode(), 0)
            yield
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)
            os.close(descriptor)


def _prepared(database: sqlite3.Connection, path: bytes, *, writes: bool) -> sqlite3.Connection:
    # Not WAL: that cannot even be read on a full disk, and syncs too little by default.
    database.execute("PRAGMA journal_mode = TRUNCATE")
    database.execute("PRAGMA synchronous = FULL")
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version > _VERSION:
        database.close()
        raise PlayshuffleError(
            f"The state in {shown(path)} was written by a newer playshuffle; upgrade this one.", Exit.CONFIG
        )
    if version == 0 and writes:
        database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")
    _check(database)
    return database


def _check(database: sqlite3.Connection) -> None:
    """Raise a DatabaseError if it is not whole, or has what we never wrote.

    An order is checked when it is asked for. Cost: that of reading the file.
    """
    # Not quick_check: that does not compare the indexes.
    if database.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
        raise sqlite3.DatabaseError("integrity_check failed")
    database.execute("SELECT digest, paths, places FROM library, playlist LIMIT 0")
    for row in database.execute("SELECT path, age, library, content, played FROM playlist"):
        if [*map(type, row)] != [bytes, int, bytes, str, int]:
            raise sqlite3.DatabaseError("a value of another type")
    for row in database.execute("SELECT path, tracks, mounts FROM root"):
        if [*map(type, row)] != [bytes, int, str]:
            raise sqlite3.DatabaseError("a value of another type")
        _root(row)


def _says_anything(path: bytes) -> bool:
    try:
        return os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def _empty() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.executescript(_SCHEMA)
    return database


def _root(row: tuple[bytes, int, str]) -> Root:
    """A root from its row; a DatabaseError if its mounts are not as we write them."""
    path, tracks, mounts = row
    try:
        return Root(
            path,
            tracks,
            [
                Mount(os.fsencode(point), kind, os.fsencode(source), fsid)
                for point, kind, source, fsid in json.loads(mounts)
            ],
        )
    except (TypeError, ValueError) as error:
        raise sqlite3.DatabaseError("not a root") from error


def _root_row(root: Root) -> tuple[bytes, int, str]:
    mounts = [
        (os.fsdecode(mount.point), mount.kind, os.fsdecode(mount.source), mount.fsid) for mount in root.mounts
    ]
    return root.path, root.tracks, json.dumps(mounts)


def _lock(descriptor: int) -> None:
    until = time.monotonic() + _LOCK_WAIT_S
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                return None  # a file system without locks: better to go on than not to write
            if time.monotonic() > until:
                holder = os.pread(descriptor, 20, 0).decode(errors="replace")
                raise PlayshuffleError(
                    f"Another playshuffle (process {holder}) has been writing for {_LOCK_WAIT_S} seconds;"
                    " wait for it, or stop it.",
                    Exit.CANNOT_CREATE,
                ) from None
        time.sleep(0.02)
