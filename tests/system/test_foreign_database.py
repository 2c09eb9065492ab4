"""Databases of other programs are read by any user, while these programs are running or not."""

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from playshuffle.system import foreign_database, mounts
from playshuffle.system.foreign_database import read_foreign
from tests.support.forked import forked
from tests.support.tree import public_folder

_PLAYER, _OTHER = 65534, 12345


def value(path: Path) -> int:
    """Return the single value in a database, read as `playshuffle` reads it."""
    [(number,)] = read_foreign(bytes(path), lambda database: database.execute("SELECT * FROM t").fetchall())
    assert isinstance(number, int)
    return number


def wal_database(path: Path, number: int = 1) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript(
            f"PRAGMA journal_mode = WAL; CREATE TABLE t(n); INSERT INTO t VALUES ({number})"
        )


def add(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE t SET n = n + 1")


def listed(folder: Path) -> dict[str, tuple[int, int]]:
    return {each.name: (each.stat().st_uid, each.stat().st_ino) for each in folder.iterdir()}


@contextmanager
def player(path: Path, user: int, statement: str = "UPDATE t SET n = n + 1") -> Iterator[None]:
    """Let a process of another user change a database and keep it open until the end of the block."""
    (begins, has_begun), (waits, ends) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        if os.geteuid() == 0:
            os.setgid(user)
            os.setuid(user)
        os.close(ends)
        database = sqlite3.connect(path, isolation_level=None)
        database.execute(statement)
        os.write(has_begun, b"x")
        os.read(waits, 1)
        os._exit(0)
    assert os.read(begins, 1)
    yield
    os.close(ends)
    os.waitpid(child, 0)
    for each in (begins, has_begun, waits):
        os.close(each)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that belongs to the player's user, where each user may create files."""
    with public_folder() as public:
        path = Path(os.fsdecode(public))
        path.chmod(0o777)
        if os.geteuid() == 0:
            os.chown(path, _PLAYER, _PLAYER)
        yield path


STATES = ["ended", "running", "killed", "copied"]


@contextmanager
def in_state(path: Path, state: str) -> Iterator[None]:
    """Let a player write 2 to a database in WAL mode, and leave it in one of `STATES`."""
    forked(lambda: wal_database(path), as_nobody=True)
    if state == "ended":
        forked(lambda: add(path), as_nobody=True)
        yield
    elif state == "running":
        with player(path, _PLAYER):
            yield
    else:
        with player(path, _PLAYER):
            pass
        if state == "copied":
            path.with_name("a.db-shm").unlink()
        yield


@pytest.mark.root
@pytest.mark.process
@pytest.mark.parametrize("mode", [0o777, 0o2775, 0o755, 0o555], ids=oct)
@pytest.mark.parametrize("reader", [0, _PLAYER, _OTHER])
@pytest.mark.parametrize("state", STATES)
def test_when_any_user_reads_a_database_no_file_is_added_and_its_player_can_still_write_it(
    folder: Path, state: str, reader: int, mode: int
) -> None:
    path = folder / "a.db"
    with in_state(path, state):
        folder.chmod(mode)
        before = listed(folder)
        assert forked(lambda: value(path), as_user=reader) == 2
        assert listed(folder) == before
        folder.chmod(0o755)

    forked(lambda: add(path), as_nobody=True)
    assert forked(lambda: value(path), as_nobody=True) == 3


@pytest.mark.root
@pytest.mark.process
@pytest.mark.parametrize("state", STATES)
def test_a_database_in_wal_mode_is_read_on_a_read_only_mount(folder: Path, state: str) -> None:
    path = folder / "a.db"

    def read() -> tuple[int, bool]:
        subprocess.run(["mount", "--bind", folder, folder], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)
        return value(path), os.access(folder, os.W_OK)

    with in_state(path, state):
        assert forked(read, own_mounts=True) == (2, False)


@pytest.mark.process
@pytest.mark.parametrize("state", STATES)
def test_a_database_on_a_network_share_is_read_without_its_shared_memory_file(
    folder: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "a.db"
    with in_state(path, state):
        monkeypatch.setattr(mounts, "remote_devices", lambda _: frozenset([path.stat().st_dev]))
        before = listed(folder)
        if path.with_name("a.db-shm").exists():
            path.with_name("a.db-shm").write_bytes(b"\xff" * 32768)
        assert forked(lambda: value(path)) == 2
        assert listed(folder) == before


@pytest.mark.process
def test_the_unfinished_write_of_a_killed_program_is_not_read_and_not_rolled_back(folder: Path) -> None:
    path = folder / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.executescript("CREATE TABLE t(n); CREATE TABLE u(n); INSERT INTO t VALUES (1)")
        database.execute("PRAGMA cache_size = 1")
        database.execute("BEGIN")
        database.execute("UPDATE t SET n = 2")
        for _ in range(9):
            database.execute("INSERT INTO u VALUES (randomblob(9000))")
        crashed = folder / "crashed.db"
        shutil.copyfile(path, crashed)
        shutil.copyfile(f"{path}-journal", f"{crashed}-journal")
        database.execute("ROLLBACK")
    before = listed(folder), crashed.read_bytes()

    assert forked(lambda: value(crashed)) == 1
    assert (listed(folder), crashed.read_bytes()) == before


def test_a_database_that_a_program_changes_during_a_read_without_locks_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    wal_database(path, 1)
    reads = []

    def read(database: sqlite3.Connection) -> int:
        [(number,)] = database.execute("SELECT n FROM t").fetchall()
        reads.append(number)
        if len(reads) == 1:
            add(path)
        return int(number)

    assert read_foreign(bytes(path), read) == 2
    assert reads == [1, 2]


def test_a_database_that_a_program_changes_during_each_read_is_reported_as_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_database, "_WAIT_S", 0.05)
    path = tmp_path / "a.db"
    wal_database(path)

    def read(database: sqlite3.Connection) -> None:
        add(path)

    with pytest.raises(sqlite3.OperationalError, match="locked"):
        read_foreign(bytes(path), read)


@pytest.mark.process
def test_reading_a_database_leaves_no_file_beside_it_while_its_player_starts_and_ends(folder: Path) -> None:
    """SQLite would create the `-wal` again if the player deletes it between our check and the opening."""
    path = folder / "a.db"
    wal_database(path, 0)
    child = os.fork()
    if child == 0:
        until_s = time.monotonic() + 60
        while time.monotonic() < until_s and not (folder / "end").exists():
            add(path)
        os._exit(0)
    values = forked(lambda: [value(path) for _ in range(300)])
    (folder / "end").touch()

    assert os.waitpid(child, 0)[1] == 0
    assert values == sorted(values)
    assert set(listed(folder)) == {"a.db", "end"}


@pytest.mark.parametrize("content", [b"path,plays\na.mp3,1\n" * 50, b"SQLite format 3\0" + b"\xff" * 2000])
def test_a_file_that_is_not_a_database_is_closed_after_the_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "plays"
    path.write_bytes(content)

    with pytest.raises(sqlite3.DatabaseError):
        read_foreign(bytes(path), lambda database: database.execute("SELECT 1 FROM sqlite_master").fetchall())

    assert str(path) not in [os.path.realpath(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd")]


@pytest.mark.process
def test_a_database_named_by_a_link_is_read_with_the_log_beside_the_target_of_the_link(
    folder: Path, tmp_path: Path
) -> None:
    path = folder / "a.db"
    with in_state(path, "killed"):
        (tmp_path / "link.db").symlink_to(path)
        assert forked(lambda: value(tmp_path / "link.db")) == 2
    assert os.listdir(tmp_path) == ["link.db"]
