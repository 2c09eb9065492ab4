import os
import sqlite3
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from playshuffle.system.sqlite import ERRORS, connect, is_passing, set_aside
from playshuffle.system.xdg import cache_folder

pytestmark = pytest.mark.damages_state


def mode_of(path: bytes) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_the_cache_folder_is_below_xdg_cache_home_even_if_that_is_not_utf_8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = os.fsencode(tmp_path) + b"/caf\xe9"
    monkeypatch.setenv("XDG_CACHE_HOME", os.fsdecode(base))

    assert cache_folder() == base + b"/playshuffle"
    assert mode_of(base + b"/playshuffle") == 0o700


@pytest.mark.parametrize("value", ["", "relative/path"])
def test_the_cache_folder_is_below_the_home_if_xdg_cache_home_is_not_an_absolute_path(
    home: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """It is created only on request."""
    monkeypatch.setenv("XDG_CACHE_HOME", value)

    assert cache_folder(make=False) == os.fsencode(home / ".cache/playshuffle")
    assert list(home.iterdir()) == []


def test_no_cache_folder_is_made_in_the_current_folder_for_a_user_without_a_home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container, where the user has no name."""
    monkeypatch.setattr("pwd.getpwuid", lambda uid: {}[uid])
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(FileNotFoundError, match="HOME"):
        cache_folder()

    assert os.listdir(tmp_path) == []


def test_no_other_user_can_read_a_new_database_or_its_journals_whatever_the_umask_is(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/caf\xe9\n?"
    os.mkdir(folder)
    before = os.umask(0)
    try:
        database = connect(folder + b"/x.db")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE x (y)")

        assert {name: mode_of(folder + b"/" + name) for name in os.listdir(folder)} == {
            b"x.db": 0o600, b"x.db-wal": 0o600, b"x.db-shm": 0o600
        }  # fmt: skip
        database.close()
    finally:
        os.umask(before)


def test_opening_a_database_keeps_the_mode_that_a_user_gave_it(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "x.db")
    connect(path).close()
    os.chmod(path, 0o640)

    connect(path).close()

    assert mode_of(path) == 0o640


@pytest.mark.parametrize("suffixes", [(b"",), (b"", b"-journal")])
def test_a_damaged_database_is_renamed_with_its_journal_and_replaces_no_database_renamed_before(
    tmp_path: Path, suffixes: Sequence[bytes]
) -> None:
    """Not even one that was renamed in the same second."""
    path = os.fsencode(tmp_path / "state.db")
    kept: dict[bytes, bytes] = {}
    for number in range(3):
        for suffix in suffixes:
            Path(os.fsdecode(path + suffix)).write_bytes(b"%d" % number + suffix)
        aside = set_aside(path)
        assert aside.startswith(path + b".damaged-20")
        kept |= {os.path.basename(aside) + suffix: b"%d" % number + suffix for suffix in suffixes}

    assert len(kept) == 3 * len(suffixes)
    assert {os.fsencode(each.name): each.read_bytes() for each in tmp_path.iterdir()} == kept


def test_a_database_opened_for_reading_is_not_created_and_cannot_be_written(tmp_path: Path) -> None:
    """Any characters may be in its path."""
    path = os.fsencode(tmp_path) + b"/caf\xe9 %41?mode=rw&x#y.db"
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect(path, writes=False)
    assert os.listdir(tmp_path) == []

    made = connect(path)
    made.execute("CREATE TABLE x (y)")
    made.close()
    database = connect(path, writes=False)

    assert database.execute("SELECT * FROM x").fetchall() == []
    with pytest.raises(sqlite3.OperationalError, match="readonly") as caught:
        database.execute("INSERT INTO x VALUES (1)")
    assert is_passing(caught.value)
    database.close()


@pytest.mark.parametrize(
    ("statements", "passes"),
    [
        (["PRAGMA max_page_count = 1", "CREATE TABLE x (y)"], True),  # full
        (["ATTACH '/proc/nowhere/x.db' AS x"], True),
        (["SELECT * FROM x"], False),
        (["SELECT CAST(x'ff' AS TEXT)"], False),
    ],
)
def test_errors_of_a_full_disk_or_a_missing_folder_count_as_temporary_but_errors_of_content_do_not(
    statements: list[str], passes: bool
) -> None:
    database = sqlite3.connect(":memory:")
    *before, last = statements
    for statement in before:
        database.execute(statement)

    with pytest.raises(ERRORS) as caught:
        database.execute(last).fetchall()

    assert is_passing(caught.value) == passes
    database.close()
