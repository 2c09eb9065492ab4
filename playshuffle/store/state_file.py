"""Open the state file, and keep its undamaged rows.

Each row is checked when it is read; the whole file on request, or if it has changed since a run ended
cleanly. If a row is bad, the file is copied and the row deleted. Only a file that fails SQLite's own check is
renamed as a whole.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, Self

from playshuffle.errors import Exit, Note, PlayshuffleError, shown
from playshuffle.store import schema
from playshuffle.store.home_paths import named_paths, real_paths
from playshuffle.system import lock
from playshuffle.system.regular_file import read_if_any
from playshuffle.system.sqlite import (
    ERRORS,
    Connection,
    NoLocksError,
    connect,
    copy_aside,
    is_full,
    is_passing,
    set_aside,
)
from playshuffle.system.write_errors import words
from playshuffle.system.xdg import state_folder

_LOCK_WAIT_S = 60
_CLEAN_END = b"%b.clean"  # contains the stamp of the file after the last run


class StateFile:
    """The open state file; a context manager.

    If the file can be read but not written, changes are made to a copy in memory.

    Args:
        must_remember: raise an error if nothing can be saved.
        checks: check the whole file, even if the last run ended cleanly.

    Attributes:
        problem: why nothing can be saved; None if saving works.
        refusal: `problem` as an error.
        named: converts paths as users name them, such as music folders.
        real: converts paths without links, such as playlists.
    """

    def __init__(self, *, writes: bool = True, must_remember: bool = False, checks: bool = False) -> None:
        self.notes: list[Note] = []
        self.named, self.real = named_paths(), real_paths()
        self.problem: str | None = None
        self.refusal: PlayshuffleError | None = None
        self._writes = writes
        self._must_remember = must_remember
        self._checks = checks
        self._bad: list[schema.BadRow] = []
        self._folder: bytes | None = None
        try:
            self._folder = state_folder(make=writes)
            self._database = self._opened(os.path.join(self._folder, b"state.db"))
        except (OSError, sqlite3.OperationalError) as error:
            self._database = self._fallback(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        has_changed = self._database.total_changes > 0
        self._database.close()
        if has_changed and self._folder is not None and self._writes:
            self._note_clean_end(os.path.join(self._folder, b"state.db"))

    def _opened(self, path: bytes) -> sqlite3.Connection:
        if not self._writes and _is_empty(path):
            return schema.empty()
        database = connect(path, writes=self._writes)
        try:
            return self._checked(schema.prepared(database, self._bad, writes=self._writes), path)
        except schema.OtherVersionError:
            database.close()
            return self._replaced(path, "was written by another version of playshuffle")
        except (OSError, *ERRORS) as error:
            database.close()
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY_ROLLBACK:
                with contextlib.closing(connect(path)) as writer:  # roll back the changes of a killed run
                    writer.execute("SELECT 1 FROM sqlite_master")
                return self._opened(path)
            if isinstance(error, OSError) or is_passing(error):
                raise
        return self._replaced(path)

    def _checked(self, database: sqlite3.Connection, path: bytes) -> sqlite3.Connection:
        if _stamp(path) == _clean_end(path) and not self._checks:
            return database
        schema.check(database)
        database = self._without_bad_rows(database, path)
        if self._writes:
            self._note_clean_end(path)
        return database

    def _note_clean_end(self, path: bytes) -> None:
        with contextlib.suppress(OSError):
            fd = os.open(_CLEAN_END % path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with open(fd, "wb") as file:
                file.write(_stamp(path))

    def _forget_clean_end(self) -> None:
        if self._writes and self._folder is not None:
            with contextlib.suppress(OSError):
                os.unlink(_CLEAN_END % os.path.join(self._folder, b"state.db"))

    def _without_bad_rows(self, database: sqlite3.Connection, path: bytes) -> sqlite3.Connection:
        bad = list(dict.fromkeys(self._bad))
        self._bad.clear()
        if not bad:
            return database
        if self._writes:
            with database:
                database.execute("BEGIN IMMEDIATE")  # nobody writes until it is copied
                aside = copy_aside(path)
                schema.delete_rows(database, bad)
            kept = f"the old state was kept as {shown(aside)}."
        else:
            database = schema.in_memory(database, [])
            schema.delete_rows(database, bad)
            database.commit()
            kept = "the state file was not changed."
        for row in bad:
            what = shown(row.path) if row.path.startswith((b"/", b"~")) else "a playlist or folder"
            text = f"The saved state of {what} was damaged and is not used; {kept}"
            self.notes.append(Note("damaged_row", text, row.path))
        return database

    def _replaced(self, path: bytes, problem: str | None = None) -> sqlite3.Connection:
        if not self._writes:
            text = (
                f"The state in {shown(path)} {problem or 'is damaged'}. It is not used and was not changed."
            )
            self.notes.append(Note("state", text))
            return schema.empty()
        aside = set_aside(path)
        text = f"The state {problem or 'was damaged'}. It was kept as {shown(aside)}, and a new one started."
        self.notes.append(Note("state", text))
        self._bad.clear()
        return schema.prepared(connect(path), self._bad, writes=True)

    def _fallback(self, error: Exception) -> sqlite3.Connection:
        """Return a database in memory for an unusable state; raise an error if this run must save."""
        self.problem = f"Nothing can be saved for the next run: {words(error)}."
        cure = "Make room on its disk" if is_full(error) else "Make the state folder writable"
        has_locks = not isinstance(error, NoLocksError)
        cure = f"{cure}, or set" if has_locks else "Set"
        place = "another folder" if has_locks else "a folder on a local disk"
        self.refusal = PlayshuffleError(
            f"{self.problem} The playlist was not changed. {cure} XDG_STATE_HOME to {place}.",
            Exit.CANNOT_CREATE,
        )
        if self._must_remember:
            raise self.refusal from error
        self.notes.append(Note("not_saved", self.problem))
        folder, self._folder = self._folder, None
        is_readable, self._writes = self._writes and has_locks, False
        if folder is not None and is_readable:
            with contextlib.suppress(OSError, *ERRORS):  # even if it is locked
                return schema.in_memory(self._opened(os.path.join(folder, b"state.db")), self._bad)
        return schema.empty()

    def rows(self, query: str, *values: object) -> list[Any]:
        """Return all rows of a query.

        Raises:
            PlayshuffleError: another playshuffle has locked the state, or its disk fails.
        """
        try:
            rows = self._database.execute(query, values).fetchall()
            if self._bad and self._folder is not None and not self._database.in_transaction:
                path = os.path.join(self._folder, b"state.db")
                self._database = self._without_bad_rows(self._database, path)
        except (OSError, *ERRORS) as error:
            self._forget_clean_end()
            raise PlayshuffleError(
                f"The saved state cannot be read: {error}. Check its disk, and try again.", Exit.CANNOT_CREATE
            ) from error
        return rows

    def change(self, act: Callable[[Connection], object], playlist: bytes | None = None) -> None:
        """Change the state in one transaction. Errors name `playlist`."""
        try:
            with self._database as database:
                act(database)
        except ERRORS as error:
            self._forget_clean_end()
            what = "" if playlist is None else f" of {shown(playlist)}"
            raise PlayshuffleError(
                f"The saved state{what} cannot be written: {error}. No playlist was changed."
                f" Make room on the disk of {shown(self._folder or b'the state folder')}.",
                Exit.CANNOT_CREATE,
            ) from error

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Block every other playshuffle of this user while state and playlist are written.

        Raises:
            PlayshuffleError: another playshuffle has been writing for a minute.
        """
        if self._folder is None or not self._writes:
            yield
            return
        refusal = (
            f"Another playshuffle (process {{process}}) has been writing for {_LOCK_WAIT_S} seconds. Wait for"
            " it, or stop it."
        )
        with lock.held(os.path.join(self._folder, b"state.lock"), _LOCK_WAIT_S, refusal):
            yield


def _stamp(path: bytes) -> bytes:
    facts = os.stat(path)
    return b"%d %d %d %d" % (facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)


def _clean_end(path: bytes) -> bytes:
    """Return the file's stamp after the last run; empty if the run did not end cleanly."""
    return read_if_any(_CLEAN_END % path, 200)


def _is_empty(path: bytes) -> bool:
    try:  # other errors mean that the state cannot be read
        return not os.path.getsize(path) and os.path.isfile(path)
    except FileNotFoundError:
        return True


def write_problem() -> str | None:
    """Return why the state can be read but not written; None if it can be written."""
    with contextlib.suppress(OSError):  # without a home folder, opening the state fails
        folder = state_folder(make=False)
        for path in (folder, os.path.join(folder, b"state.db")):
            if os.path.exists(path) and not os.access(path, os.W_OK):
                return f"Nothing can be saved for the next run: {shown(path)} cannot be written."
    return None
