"""Test that the state is loaded as it was saved, or that its damage is noticed."""

import contextlib
import errno
import os
import random
import sqlite3
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deck
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.history.rows import Columns
from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow, FormerFile, TrackTable
from playshuffle.options.table import Options
from playshuffle.store import plays, records, skip_list_entries
from playshuffle.store.plays import StoredPlays
from playshuffle.store.records import SavedDeck, SavedOrder, SavedRecord
from playshuffle.store.schema import VERSION
from playshuffle.store.state import State
from playshuffle.store.state_file import _stamp
from playshuffle.system import sqlite
from playshuffle.system.mounts import Mount
from tests.support.damage import damaged
from tests.support.databases import execute
from tests.support.program import state_file
from tests.support.refusals import refusal

pytestmark = pytest.mark.damages_state


def row_of(tracks: Mapping[bytes, int]) -> FolderRow:
    """Return the row of a folder, from the numbers of its tracks; marks differ by number."""
    marks = [b"%032d" % number for number in tracks.values()]
    return FolderRow(b"/".join(tracks), array("I", tracks.values()).tobytes(), b"".join(marks))


LIST = b"/m/x\xff.m3u"
LISTS = (LIST, b"/m/y.m3u")
DECK = b"/m/today.m3u"
MOUNT = Mount(b"/mnt/caf\xe9", "ext4", b"/dev/sdb1", 1 << 63)
ORDER = SavedOrder(
    array("I", [3, 1, 4, 2]), frozenset({4}), 3, 2_000, "12-abcdef01", b"digest", options=Options(limit=3)
)
FOLDERS = {b"/m/": row_of({b"a.mp3": 3, b"b\n.mp3": 1}), b"/m/caf\xe9/": row_of({b"c.mp3": 2})}
TABLE = TrackTable(
    FOLDERS,
    {4: FormerFile(b"/m/gone\xff.mp3", (1, 2, -1, 1 << 62), 1_000)},
    {2: FormerFile(b"/m/caf\xe9/c.mp3", (1, 2, 3, 4), 2_000)},
    7,
    {(b"/m", True): Root(array("I", [3, 1, 2]), [MOUNT]), (b"/m", False): Root(array("I"), [])},
)

ROOT = TABLE.roots[b"/m", True]

MANY = random.Random(1).sample(range(1, 5000), 3000)
MANY_ORDER = SavedOrder(
    array("I", random.Random(2).sample(MANY, 3000)), frozenset(), 3000, 1, "1-1", b"digest"
)
MANY_TABLE = TrackTable(
    {
        b"/m/%02d/" % folder: row_of(
            {b"%06d.mp3" % at: MANY[at] for at in range(100 * folder, 100 * folder + 100)}
        )
        for folder in range(30)
    },
    next_number=5000,
    roots=TABLE.roots,
)
MANY_PATHS = MANY_TABLE.paths_of(MANY)
MANY_NUMBERS = {path: number for number, path in MANY_PATHS.items()}


def save(table: TrackTable = TABLE, order: SavedOrder = ORDER, lists: Iterable[bytes] = (LIST,)) -> None:
    with State() as state:
        state.save_tracks(state.load_tracks(), table)
        for playlist in lists:
            records.save(state, playlist, order)


def orders_of(state: State, playlist: bytes) -> list[SavedRecord]:
    """Return the records of a playlist, the newest first."""
    return [*records.load(state, playlist).values()]


def edit(home: Path, *statements: str) -> bytes:
    """Change the state by SQL, and return the content of its file."""
    for statement in statements:
        execute(state_file(home), statement)
    return state_file(home).read_bytes()


def quoted(home: Path, table: str, column: str) -> list[tuple[bytes]]:
    """Return the values in a column, as SQL, which shows their types."""
    with contextlib.closing(sqlite3.connect(state_file(home))) as database:
        database.text_factory = bytes
        return database.execute(f"SELECT quote({column}) FROM {table}").fetchall()


# Tracks


def test_only_changed_rows_of_the_table_of_tracks_are_written(home: Path) -> None:
    save()
    before = state_file(home).read_bytes()
    with State() as state:
        table = state.load_tracks()
        version = state.tracks_version()
        state.save_tracks(table, table._replace(renamed=frozenset({1})))
        assert (state_file(home).read_bytes(), state.tracks_version()) == (before, version)
        row = "SELECT rowid FROM folder WHERE path = ?"
        [unchanged, changed] = (state.rows(row, path) for path in FOLDERS)

        folders = {**table.folders, b"/m/caf\xe9/": row_of({b"c.mp3": 2, b"d.mp3": 7})}
        state.save_tracks(table, table._replace(folders=folders, vanished={}, replaced={}, next_number=8))

        assert state.rows(row, b"/m/") == unchanged
        assert state.rows(row, b"/m/caf\xe9/") != changed
        assert state.tracks_version() != version
        assert state.load_tracks() == TrackTable(folders, {}, {}, 8, TABLE.roots)


@settings(max_examples=30)  # each of them waits for the disk
@given(st.lists(st.sets(st.integers(0, 5)), max_size=6), st.sampled_from(["", "DELETE FROM main.counter"]))
def test_a_track_number_is_never_reused_after_a_reload(scans: list[set[int]], between: str) -> None:
    """Tracks come and go, and are forgotten; their numbers stay in an old order."""
    given_numbers = [0]
    with State() as state:
        state.save_tracks(state.load_tracks(), TrackTable())
        state.forget(LIST)
    for names in scans:
        with State() as state:
            table = state.load_tracks()
            assert table.next_number > max(given_numbers)
            numbers = range(table.next_number, table.next_number + len(names))
            new = row_of({b"%d" % name: number for name, number in zip(names, numbers, strict=True)})
            after = table._replace(folders={b"/m/": new} if names else {}, next_number=numbers.stop)
            state.save_tracks(table, after)
            given_numbers += numbers
            all_of_them = array("I", given_numbers[1:])
            records.save(state, LIST, ORDER._replace(tracks=all_of_them, absent=frozenset(), length=0))
            if between:
                state.change(lambda database: database.execute(between))


@pytest.mark.parametrize(
    "damage",
    [
        ("DELETE FROM counter",),
        ("UPDATE counter SET next_number = 'text'",),
        ("UPDATE counter SET next_number = -5",),
        ("UPDATE counter SET next_number = 1 << 40",),
        ("DELETE FROM folder", "DELETE FROM former", "UPDATE counter SET next_number = 1"),
        ("DELETE FROM folder", "DELETE FROM former", "DELETE FROM root", "DELETE FROM counter"),
    ],
)
@pytest.mark.parametrize("is_deck", [False, True])
def test_a_track_number_in_a_playlists_record_is_not_used_again_if_the_counter_is_lost(
    home: Path, damage: Sequence[str], is_deck: bool
) -> None:
    save()
    with State() as state:
        if is_deck:
            records.save(state, DECK, SavedDeck(Deck((900,), (1, 2)), "1-1"))
        else:
            numbers = array("I", [3, 900, 1])
            records.save(state, LIST, ORDER._replace(tracks=numbers, absent=frozenset({900})))
    edit(home, *damage)

    for _ in range(2):
        with State() as state:
            table = state.load_tracks()
            assert 900 < table.next_number < 1000
            new = row_of({b"new.mp3": table.next_number})
            after = table._replace(
                folders={**table.folders, b"/m/new/": new}, next_number=table.next_number + 1
            )
            state.save_tracks(table, after)
            assert state.load_tracks() == after


# Playlists


@pytest.mark.parametrize("writes", [True, False])
def test_a_playlist_never_saved_has_no_record(writes: bool, home: Path) -> None:
    """A reader creates nothing, and reports nothing about a missing state."""
    with State(writes=writes) as state, state.locked():
        assert (orders_of(state, LIST), records.summaries(state), records.last_made(state)) == (
            [],
            {},
            None,
        )
        assert (state.root(b"/m"), state.roots()) == (None, [])
        assert state.load_tracks() == TrackTable()
        assert state.output_mounts(LIST) == []
        assert state.notes == []

    assert writes or list(home.iterdir()) == []


def test_forgetting_a_playlist_removes_all_its_rows_and_no_rows_of_others() -> None:
    save(lists=LISTS)
    with State() as state:
        for playlist in LISTS:
            state.save_output_mounts(playlist, [MOUNT])

        state.forget(LIST)

        assert (orders_of(state, LIST), state.output_mounts(LIST)) == ([], [])
        assert orders_of(state, LISTS[1]) == [ORDER]
        assert state.output_mounts(LISTS[1]) == [MOUNT]
        assert state.load_tracks() == TABLE


# The file


def test_only_the_owner_of_the_state_can_read_it(home: Path) -> None:
    """Whatever the umask is."""
    old = os.umask(0)
    try:
        save()
        with State() as state, state.locked():
            pass
    finally:
        os.umask(old)

    folder = state_file(home).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert {"state.db", "state.lock"} <= {path.name for path in folder.iterdir()}


def test_opening_the_state_only_for_reading_changes_nothing(home: Path) -> None:
    """A dry run opens it so."""
    save()
    before = state_file(home).read_bytes()

    with State(writes=False) as state:
        assert (state.load_tracks(), orders_of(state, LIST)) == (TABLE, [ORDER])
        with pytest.raises(PlayshuffleError):
            records.save(state, LIST, ORDER)
        with pytest.raises(PlayshuffleError):
            state.save_tracks(TABLE, TrackTable())

    assert state_file(home).read_bytes() == before


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1])
@pytest.mark.parametrize("writes", [True, False])
def test_a_state_of_another_version_is_reported_and_is_renamed_only_by_a_run_that_writes(
    home: Path, writes: bool, version: int
) -> None:
    save()
    before = edit(home, f"PRAGMA user_version = {version}")

    with State(writes=writes) as state:
        assert (orders_of(state, LIST), state.load_tracks()) == ([], TrackTable())
        assert "written by another version of playshuffle" in str(state.notes[0])

    aside = [*state_file(home).parent.glob("*damaged*")]
    assert [file.read_bytes() for file in aside] == ([before] if writes else [])
    assert (state_file(home).read_bytes() == before) != writes
    save()
    with State() as state:
        assert (orders_of(state, LIST), state.notes) == ([ORDER], [])


def test_a_state_file_that_lacks_a_column_is_renamed_as_damaged(home: Path) -> None:
    """SQLite finds no fault in such a file."""
    save()
    edit(home, "ALTER TABLE record DROP COLUMN content")

    with State() as state:
        assert "kept as" in str(state.notes[0])
        assert orders_of(state, LIST) == []


@pytest.fixture
def whole(home: Path) -> bytes:
    """A state of many tracks, and two playlists of them."""
    save(MANY_TABLE, MANY_ORDER, LISTS)
    return edit(home, "VACUUM")  # freed pages keep what they held, and nothing reads it


class Known(NamedTuple):
    """What a run knew. lost: the number of tracks that an order or the table does not have any more."""

    orders: int
    lost: int


def use(state: State) -> Known:
    """Load all, check that no track has the number or the position of another one, and save it again."""
    table = state.load_tracks()
    state.root(b"/m")
    loaded = [order for playlist in LISTS for order in orders_of(state, playlist)]
    numbers = [number for row in table.folders.values() for number in row.numbers_by_name().values()]
    assert len({*numbers}) == len(numbers)
    assert table.next_number > max(numbers, default=0)
    is_right = [MANY_NUMBERS.get(path, number) == number for number, path in table.paths_of(MANY).items()]
    lost = len(MANY) - sum(is_right)
    for order in loaded:
        assert isinstance(order, SavedOrder)
        there = {*order.tracks}
        assert [number for number in order.tracks if number in MANY_PATHS] == [
            number for number in MANY_ORDER.tracks if number in there
        ]
        lost += len(MANY) - len(there.intersection(MANY))
    state.save_tracks(table, MANY_TABLE._replace(next_number=max(5000, table.next_number)))
    for playlist in LISTS:
        records.save(state, playlist, MANY_ORDER)
    return Known(len(loaded), lost)


def check_use_of(broken: bytes, file: Path) -> tuple[bool, list[str]]:
    """Return whether a run over a damaged file knew all, and its notes; it leaves a sound state."""
    for left in file.parent.glob("state.db?*"):
        left.unlink()
    file.write_bytes(broken)
    with State() as state:
        known = use(state)
        notes = list(map(str, state.notes))
    aside = [path for path in file.parent.glob("state.db.damaged-*") if not path.name.endswith("-journal")]
    assert known == Known(2, 0) or notes or not broken  # an empty file is a new one
    assert [path.read_bytes() for path in aside] in ([], [broken])
    assert all(any(str(path) in note for note in notes) for path in aside)

    with State() as state:
        assert use(state) == Known(2, 0)
        assert state.root(b"/m") == ROOT
        assert state.notes == []
    return known == Known(2, 0), notes


@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_a_damaged_state_never_gives_a_wrong_order(home: Path, whole: bytes, count: int) -> None:
    """Damaged rows are reported and not used, and a copy of the damaged file is kept."""
    chance = random.Random(2)

    outcomes = {check_use_of(damaged(whole, chance), state_file(home))[0] for _ in range(count)}

    assert outcomes == {True, False}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"ext4"', b'"ext4 '),  # no JSON any more
        (b"ext4", b"ext\xf4"),  # no UTF-8
        (b'[["', b'["["'),  # JSON, but not of a mount
        (b'"absent"', b'"absenT"'),
        (b"CREATE TABLE folder", b"CREA\xd4E TABLE folder"),  # as SQLite's message quotes it
        (b"CREATE TABLE record", b"CREATE TABLE recorb"),
    ],
)
def test_damage_within_a_stored_text_is_noticed_by_the_next_run(
    home: Path, whole: bytes, old: bytes, new: bytes
) -> None:
    """SQLite finds no fault in most of these files."""
    broken = whole.replace(old, new, 1)
    assert broken != whole

    _, notes = check_use_of(broken, state_file(home))

    assert "was kept as" in notes[0]


def test_a_run_fails_if_the_state_is_damaged_while_open_and_the_next_run_renames_the_state(
    home: Path, whole: bytes
) -> None:
    broken = bytes(len(whole))
    with State() as state:
        state_file(home).write_bytes(broken)
        with pytest.raises(PlayshuffleError, match="cannot be read: file is not a database"):
            state.load_tracks()
        with pytest.raises(PlayshuffleError, match="cannot be written: file is not a database"):
            records.save(state, LIST, ORDER)

    save()
    [aside] = state_file(home).parent.glob("state.db.damaged-*[0-9]")
    assert aside.read_bytes() == broken
    with State() as state:
        assert (state.load_tracks(), orders_of(state, LIST)) == (TABLE, [ORDER])


def test_a_state_locked_by_another_process_is_not_called_damaged(
    home: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither when it is opened nor later."""
    opened = []

    def connect(path: bytes, *, writes: bool = True) -> sqlite3.Connection:
        opened.append(sqlite.connect(path, writes=writes))
        return opened[-1]

    monkeypatch.setattr("playshuffle.system.sqlite._WAIT_S", 0.01)
    monkeypatch.setattr("playshuffle.store.state_file.connect", connect)
    other = sqlite3.connect(state_file(home), isolation_level=None)
    with State() as state:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(PlayshuffleError, match="cannot be read"):
            orders_of(state, LIST)
        with pytest.raises(
            PlayshuffleError, match=r"state of .* cannot be written: .* No playlist was changed"
        ):
            records.save(state, LIST, ORDER)
        with State() as second:
            assert list(map(str, second.notes)) == [
                "Nothing can be saved for the next run: database is locked."
            ]
    other.close()
    assert len(opened) == 3
    for database in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            database.execute("SELECT 1")

    assert state_file(home).read_bytes() == whole
    assert not list(home.rglob("*damaged*"))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (os.mkfifo, "is not a regular file."),
        (lambda path: path.symlink_to(path), "Too many levels"),
    ],
)
def test_a_state_file_that_is_a_fifo_or_a_loop_of_links_is_reported_and_not_used(
    home: Path, make: Callable[[Path], None], problem: str
) -> None:
    state_file(home).parent.mkdir(parents=True)
    make(state_file(home))

    for writes in (True, False):
        with State(writes=writes) as state:
            assert [problem in str(note) for note in state.notes] == [True]
    assert problem in refusal(Exit.CANNOT_CREATE, State, must_remember=True)


def test_after_a_killed_save_a_reader_sees_the_state_before_that_save(home: Path) -> None:
    order = SavedOrder(array("I", range(1, 20_000)), frozenset(), 1, 0, "1-1", b"")
    with State() as state:
        records.save(state, LIST, order)
    file, journal = state_file(home), state_file(home).with_name("state.db-journal")
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = TRUNCATE")
        database.execute("PRAGMA cache_size = 1")  # so that it writes to the file at once
        database.execute("BEGIN IMMEDIATE")
        database.execute("UPDATE record_tracks SET numbers = zeroblob(80000)")
        as_killed = file.read_bytes(), journal.read_bytes()
        database.execute("ROLLBACK")
    for path, content in zip((file, journal), as_killed, strict=True):
        path.write_bytes(content)

    with State(writes=False) as state:
        assert (records.last(state, LIST), state.notes) == (order, [])


def test_the_error_for_a_state_on_a_full_disk_names_the_full_disk(home: Path) -> None:
    """It also names the playlist whose record was to be saved."""
    with State() as state:
        full = sqlite3.OperationalError("database or disk is full")
        text = refusal(Exit.CANNOT_CREATE, state.change, mock.Mock(side_effect=full), DECK)

    assert text == (
        f"The saved state of {os.fsdecode(DECK)} cannot be written: database or disk is full. No playlist was"
        f" changed. Make room on the disk of {state_file(home).parent}."
    )


@pytest.mark.parametrize("content", [b"", b"damaged" * 1000])
def test_reading_a_file_that_is_not_a_state_does_not_change_it(home: Path, content: bytes) -> None:
    """A damaged file is reported. An empty file is a state that another run is creating."""
    file = state_file(home)
    file.parent.mkdir(parents=True)
    file.write_bytes(content)

    with State(writes=False) as state:
        assert orders_of(state, LIST) == []
        assert len(state.notes) == bool(content)
        assert not content or "damaged. It is not used and was not changed." in str(state.notes[0])

    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def test_the_error_for_a_locked_state_names_the_process_with_the_lock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("playshuffle.store.state_file._LOCK_WAIT_S", 0.1)
    with (
        State() as holder,
        holder.locked(),
        State() as state,
        pytest.raises(PlayshuffleError, match=f"process {os.getpid()}"),
        state.locked(),
    ):
        pass

    with State() as state, state.locked():
        pass


def test_without_a_writable_state_folder_a_run_continues_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run keeps its state in memory."""
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")

    with State() as state:
        assert str(state.notes[0]).startswith("Nothing can be saved")
        with state.locked():
            records.save(state, LIST, ORDER)
        assert orders_of(state, LIST) == [ORDER]


@pytest.mark.parametrize(
    ("problem", "cure"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "Make room on its disk, or set XDG_STATE_HOME"),
        (PermissionError(errno.EACCES, "Permission denied"), "Make the state folder writable, or set"),
    ],
)
def test_the_error_for_a_state_that_cannot_be_saved_gives_advice(
    monkeypatch: pytest.MonkeyPatch, problem: OSError, cure: str
) -> None:
    def no_folder(**_: object) -> bytes:
        raise problem

    monkeypatch.setattr("playshuffle.store.state_file.state_folder", no_folder)

    with pytest.raises(PlayshuffleError, match=f"{problem.strerror}.*not changed. {cure}"):
        State(must_remember=True)


# One bad row


PLAYS = StoredPlays(
    "stamp", "MPD", "note", 9, array("I", [1]), array("q", [2]), Columns([3], [4], [5], [6], [0.5])
)
NAMED = {
    "former_folder": "/m/b/",
    "folder": "/m/b/",
    "root": "/n",
    "record": "/m/today.m3u",
    "record_tracks": "/m/today.m3u",
    "output": "/m/today.m3u",
}
TABLES = (*NAMED, "skip_list", "former", "plays", "counter")


@pytest.fixture
def every(home: Path) -> bytes:
    """A state with rows in each table; tests damage the last one."""
    table = TABLE._replace(
        folders={**FOLDERS, b"/m/b/": row_of({b"x.mp3": 5, b"y.mp3": 6})},
        vanished={**TABLE.vanished, 9: FormerFile(b"/m/other.mp3", (0, 0, 0, 0), 5)},
        next_number=10,
        roots={**TABLE.roots, (b"/n", True): Root(array("I", [2]), [MOUNT])},
    )
    save(table)
    with State() as state:
        records.save(state, DECK, SavedDeck(Deck((1,), (2,)), "1-1"))
        former = {b"/m/a/": {b"was.mp3": 3}, b"/m/b/": {b"w\xff.mp3": 5}}
        state.change(lambda database: state.add_former_names(database, former))
        for playlist in (LIST, DECK):
            state.save_output_mounts(playlist, [MOUNT])
            skip_list_entries.save(state, playlist, {b"/never\xfe.m3u": [b"/m/a.mp3"]})
            plays.save(state, playlist, PLAYS)
    return state_file(home).read_bytes()


def test_a_play_before_1970_is_stored_without_time_and_a_huge_count_as_the_maximum(home: Path) -> None:
    with State() as state:
        plays.save(state, b"log", PLAYS._replace(played=Columns([-9 * 3600], [2**32], [2**40], [0], [None])))
        stored = plays.load(state, b"log")

    assert stored is not None
    assert stored.played == Columns([None], [2**32 - 2], [2**32 - 2], [0], [None])


def rows(state: State) -> dict[str, list[tuple[object, ...]]]:
    return {table: state.rows(f"SELECT * FROM {table} ORDER BY rowid") for table in TABLES}


def load_all(state: State) -> None:
    state.load_tracks()
    state.former_paths()
    for playlist in (LIST, DECK):
        orders_of(state, playlist)
        state.output_mounts(playlist)
        skip_list_entries.load(state, playlist)
        plays.load(state, playlist)
    for root in (b"/m", b"/n"):
        state.root(root)


_CHANGES = (
    "CAST({0} || '0' AS {1})",  # as it could have been written
    "CAST({0} AS BLOB)",
    "CAST({0} AS TEXT)",
    "CAST(x'ff' AS TEXT)",  # not UTF-8
    "x''",
)


@pytest.mark.parametrize("table", TABLES)
def test_if_a_value_in_the_state_is_damaged_only_the_row_of_this_value_is_lost(
    home: Path, every: bytes, table: str
) -> None:
    with State(writes=False) as state:
        before = rows(state)
        columns = [(name, kind) for _, name, kind, *_ in state.rows(f"PRAGMA main.table_info({table})")]
    changed = 0
    for column, kind in columns:
        for change in _CHANGES:
            state_file(home).write_bytes(every)
            was = quoted(home, table, column)
            statement = f"UPDATE {table} SET {column} = {change.format(column, kind)}"
            with contextlib.suppress(sqlite3.IntegrityError):  # SQLite keeps other types out of a key
                edit(home, f"{statement} WHERE rowid = (SELECT max(rowid) FROM {table})")
            broken = state_file(home).read_bytes()
            is_same = quoted(home, table, column) == was

            with State(writes=False) as state:
                left = before[table] if is_same else before[table][:-1]
                assert rows(state) == {**before, table: left}, statement
                load_all(state)
                assert len(state.notes) == (not is_same)
            assert state_file(home).read_bytes() == broken
            changed += not is_same
    assert changed >= 2 * len(columns)


def as_left(home: Path) -> None:
    """Let the file count as one that a run left after a clean end."""
    path = os.fsencode(state_file(home))
    state_file(home).with_name("state.db.clean").write_bytes(_stamp(path))


def test_a_read_notices_a_damaged_row_though_the_last_run_ended_cleanly(home: Path, every: bytes) -> None:
    edit(home, "UPDATE record SET checksum = checksum + 1 WHERE age = 0")
    as_left(home)

    with State() as state:
        state.load_tracks()
        assert state.notes == []
        assert not list(state_file(home).parent.glob("*damaged*"))
        records.load(state, LIST)
        assert "The saved state of" in str(state.notes[0])

    assert list(state_file(home).parent.glob("*damaged*"))


@pytest.mark.parametrize(
    ("is_clean", "checks", "is_checked"), [(True, False, False), (True, True, True), (False, False, True)]
)
def test_the_whole_state_is_checked_only_on_request_or_if_the_last_run_did_not_end_cleanly(
    home: Path, every: bytes, is_clean: bool, checks: bool, is_checked: bool
) -> None:
    edit(home, "UPDATE plays SET checksum = checksum + 1")
    if is_clean:
        as_left(home)

    with State(checks=checks) as state:
        assert any("was damaged" in str(note) for note in state.notes) == is_checked


def test_a_run_fails_at_unreadable_pages_of_the_state_and_the_next_run_checks_the_whole_file(
    home: Path, whole: bytes
) -> None:
    state_file(home).write_bytes(whole[:8192] + bytes(len(whole) - 8192))
    as_left(home)

    with State() as state, pytest.raises(PlayshuffleError, match="cannot be read"):
        state.load_tracks()
    with State() as state:
        assert "was damaged" in str(state.notes[0])
        assert state.load_tracks() == TrackTable()


@pytest.mark.parametrize("table", TABLES)
def test_a_damaged_row_of_the_state_is_reported_and_is_deleted_after_the_file_was_copied(
    home: Path, every: bytes, table: str
) -> None:
    last = f"rowid = (SELECT max(rowid) FROM {table})"
    broken = edit(home, f"UPDATE {table} SET checksum = checksum + 1 WHERE {last}")

    with State() as state:
        load_all(state)
        assert len(state.notes) == 1
        assert f"{NAMED.get(table, '')} was damaged" in str(state.notes[0])

    [aside] = state_file(home).parent.glob("*damaged*")
    assert str(aside) in str(state.notes[0])
    assert aside.read_bytes() == broken
    assert aside.stat().st_mode & 0o777 == 0o600
    with State() as state:
        load_all(state)
        assert state.notes == []


def test_a_damaged_row_is_neither_used_nor_deleted_if_the_disk_has_no_room_for_a_copy(
    home: Path, every: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = edit(home, "UPDATE record SET checksum = 1")
    no_room = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr("playshuffle.store.state_file.copy_aside", mock.Mock(side_effect=no_room))

    with State() as state:
        assert orders_of(state, LIST) == []
        assert str(state.notes[0]) == f"Nothing can be saved for the next run: {no_room.strerror}."
    with pytest.raises(PlayshuffleError, match=no_room.strerror):
        State(must_remember=True)

    assert state_file(home).read_bytes() == broken


def test_the_mounts_of_a_playlists_folder_are_saved_only_if_they_have_changed(home: Path) -> None:
    with State() as state:
        state.save_output_mounts(LIST, [MOUNT])
        before = state_file(home).read_bytes()
        state.save_output_mounts(LIST, [MOUNT])
        assert state_file(home).read_bytes() == before
        state.save_output_mounts(LIST, [])
        assert state.output_mounts(LIST) == []
