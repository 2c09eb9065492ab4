"""The state: what must be there again after anything."""

import errno
import os
import random
import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deck
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.library.track_table import FolderRow, KnownRoot, TrackTable, Vanished
from playshuffle.store import decks
from playshuffle.store.schema import VERSION
from playshuffle.store.state import SavedOrder, State
from playshuffle.system import sqlite
from playshuffle.system.mounts import Mount
from tests.support.damage import damaged
from tests.support.program import state_file

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
    array("I", [3, 1, 4, 2]), {4: 1_000}, 3, 2_000, "12-abcdef01", b"digest", options='{"limit": 3}'
)
FOLDERS = {b"/m/": row_of({b"a.mp3": 3, b"b\n.mp3": 1}), b"/m/caf\xe9/": row_of({b"c.mp3": 2})}
TABLE = TrackTable(
    FOLDERS,
    {4: Vanished(b"/m/gone\xff.mp3", bytes(range(MARK_BYTES)), 1_000)},
    7,
    {(b"/m", True): KnownRoot(array("I", [3, 1, 2]), [MOUNT]), (b"/m", False): KnownRoot(array("I"), [])},
)
ROOT = Root(b"/m", 3, [MOUNT])

MANY = random.Random(1).sample(range(1, 5000), 3000)
MANY_ORDER = SavedOrder(array("I", random.Random(2).sample(MANY, 3000)), {}, 3000, 1, "1-1", b"digest")
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
            state.save_order(playlist, order, None)


def edit(home: Path, *statements: str) -> bytes:
    with sqlite3.connect(state_file(home)) as database:
        for statement in statements:
            database.execute(statement)
    database.close()
    return state_file(home).read_bytes()


# Tracks


def test_tracks_come_back_as_they_were_saved() -> None:
    """Paths are bytes: not UTF-8, with line breaks, all the same."""
    save()

    with State() as state:
        assert state.load_tracks() == TABLE
        assert (state.root(b"/m"), state.root(b"/n"), state.roots()) == (ROOT, None, [b"/m"])
        assert state.notes == []


def test_only_rows_that_have_changed_are_written(home: Path) -> None:
    save()
    before = state_file(home).read_bytes()
    with State() as state:
        table = state.load_tracks()
        version = state.tracks_version()
        state.save_tracks(table, replace(table, renamed=frozenset({1})))
        assert (state_file(home).read_bytes(), state.tracks_version()) == (before, version)
        row = "SELECT rowid FROM folder WHERE path = ?"
        [unchanged, changed] = (state.rows(row, path) for path in FOLDERS)

        folders = {**table.folders, b"/m/caf\xe9/": row_of({b"c.mp3": 2, b"d.mp3": 7})}
        state.save_tracks(table, replace(table, folders=folders, vanished={}, next_number=8))

        assert state.rows(row, b"/m/") == unchanged
        assert state.rows(row, b"/m/caf\xe9/") != changed
        assert state.tracks_version() != version
        assert state.load_tracks() == TrackTable(folders, {}, 8, TABLE.roots)


@settings(max_examples=30)  # each of them waits for the disk
@given(st.lists(st.sets(st.integers(0, 5)), max_size=6), st.sampled_from(["", "DELETE FROM counter"]))
def test_a_number_is_never_used_again_after_tracks_are_loaded_again(
    scans: list[set[int]], between: str
) -> None:
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
            after = replace(table, folders={b"/m/": new} if names else {}, next_number=numbers.stop)
            state.save_tracks(table, after)
            given_numbers += numbers
            all_of_them = array("I", given_numbers[1:])
            state.save_order(LIST, ORDER._replace(numbers=all_of_them, absent={}, played=0), None)
            if between:
                state.change(lambda database: database.execute(between))


@pytest.mark.parametrize(
    "damage",
    [
        ("DELETE FROM counter",),
        ("UPDATE counter SET next_number = 'text'",),
        ("UPDATE counter SET next_number = -5",),
        ("UPDATE counter SET next_number = 1 << 40",),
        ("DELETE FROM folder", "DELETE FROM vanished", "UPDATE counter SET next_number = 1"),
        ("DELETE FROM folder", "DELETE FROM vanished", "DELETE FROM root", "DELETE FROM counter"),
    ],
)
@pytest.mark.parametrize("is_deck", [False, True])
def test_a_number_that_a_playlist_names_is_not_used_again_if_the_counter_is_lost(
    home: Path, damage: Sequence[str], is_deck: bool
) -> None:
    save()
    with State() as state:
        if is_deck:
            decks.save(state, DECK, decks.StoredDeck(Deck((900,), (1, 2)), "1-1"), None)
        else:
            numbers = array("I", [3, 900, 1])
            state.save_order(LIST, ORDER._replace(numbers=numbers, absent={900: 1}), None)
    edit(home, *damage)

    for _ in range(2):
        with State() as state:
            table = state.load_tracks()
            assert 900 < table.next_number < 1000
            new = row_of({b"new.mp3": table.next_number})
            after = replace(
                table, folders={**table.folders, b"/m/new/": new}, next_number=table.next_number + 1
            )
            state.save_tracks(table, after)
            assert state.load_tracks() == after


def test_a_table_that_was_lost_during_a_run_gives_no_number_to_another_track(
    home: Path,
) -> None:
    """The order is saved with numbers that no table has; the next run must not use them for new tracks."""
    save()
    with State() as state:
        table = state.load_tracks()
        state_file(home).write_bytes(bytes(5000))
        state.save_tracks(table, table)
        state.save_order(LIST, ORDER, None)
        assert "was kept as" in state.notes[0]

    with State() as state:
        assert state.orders(LIST) == [ORDER]
        assert state.load_tracks() == TrackTable(next_number=5)


# Orders


def test_an_order_comes_back_as_it_was_saved() -> None:
    save()

    with State() as state:
        [order] = state.orders(LIST)
        assert order == ORDER
        assert list(order.present_then) == [3, 1, 2]
        assert state.playlists() == [LIST]
        assert state.notes == []


def test_what_was_never_saved_is_not_there() -> None:
    with State() as state:
        assert (state.orders(LIST), state.playlists()) == ([], [])
        assert (state.root(b"/m"), state.roots()) == (None, [])
        assert state.load_tracks() == TrackTable()
        assert state.output_mounts(LIST) == []
        assert not state.forget(LIST)


def test_the_order_before_is_kept_until_the_next() -> None:
    """Whichever of the two the file turns out to have is there; the other one is deleted."""
    first, second, third = (ORDER._replace(content=content) for content in ("1-a", "2-b", "3-c"))
    with State() as state:
        for order, before, expected in (
            (first, None, [first]),
            (second, first, [second, first]),
            (third, first, [third, first]),  # the file was not replaced: it has the first one still
            (third, third, [third]),
        ):
            state.save_order(LIST, order, before)
            assert state.orders(LIST) == expected


@st.composite
def orders(draw: st.DrawFn) -> SavedOrder:
    numbers = draw(st.lists(st.integers(1, (1 << 32) - 1), min_size=1, unique=True))
    absent = draw(st.dictionaries(st.sampled_from(numbers), st.integers(0, 1 << 33)))
    played = draw(st.integers(0, len(numbers)))
    digest = draw(st.binary(max_size=3))
    return SavedOrder(array("I", numbers), absent, played, draw(st.integers(0, 1 << 33)), "", digest)


@settings(max_examples=30)
@given(st.lists(st.tuples(orders(), st.booleans()), max_size=8))
def test_the_last_two_orders_are_known_whatever_came_before(steps: Sequence[tuple[SavedOrder, bool]]) -> None:
    """A step: an order, and whether the file was replaced."""
    with State() as state:
        state.forget(LIST)
    in_file: SavedOrder | None = None
    for number, (each, is_replaced) in enumerate(steps):
        order = each._replace(content=f"{number}")
        with State() as state:
            state.save_order(LIST, order, in_file)
        with State() as state:
            assert state.orders(LIST) == [order, *([in_file] if in_file is not None else [])]
            assert state.notes == []
        if is_replaced:
            in_file = order


def test_all_that_is_saved_of_a_playlist_is_forgotten_and_nothing_of_another() -> None:
    save(lists=LISTS)
    with State() as state:
        for playlist in LISTS:
            decks.save(state, playlist, decks.StoredDeck(Deck((1,), (2,)), "1-1"), None)
            state.save_output_mounts(playlist, [MOUNT])

        assert state.forget(LIST)

        assert (state.orders(LIST), decks.load(state, LIST), state.output_mounts(LIST)) == ([], None, [])
        assert state.orders(LISTS[1]) == [ORDER]
        assert decks.deck_paths(state) == [LISTS[1]]
        assert state.output_mounts(LISTS[1]) == [MOUNT]
        assert state.load_tracks() == TABLE


# The file


def test_state_is_for_its_owner_only(home: Path) -> None:
    """State files are private, whatever the umask."""
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


def test_a_reader_changes_nothing(home: Path) -> None:
    """A dry run can look, but not touch."""
    save()
    before = state_file(home).read_bytes()

    with State(writes=False) as state:
        assert (state.load_tracks(), state.orders(LIST)) == (TABLE, [ORDER])
        with pytest.raises(PlayshuffleError):
            state.save_order(LIST, ORDER, None)
        with pytest.raises(PlayshuffleError):
            state.save_tracks(TABLE, TrackTable())

    assert state_file(home).read_bytes() == before


@pytest.mark.parametrize("version", [VERSION + 1, 99])
@pytest.mark.parametrize("writes", [True, False])
def test_a_state_of_another_version_is_set_aside_and_named(home: Path, version: int, writes: bool) -> None:
    save()
    before = edit(home, f"PRAGMA user_version = {version}")

    with State(writes=writes) as state:
        assert (state.orders(LIST), state.load_tracks()) == ([], TrackTable())
        assert "written by another version of playshuffle" in state.notes[0]

    aside = [*state_file(home).parent.glob("*damaged*")]
    assert [file.read_bytes() for file in aside] == ([before] if writes else [])
    assert (state_file(home).read_bytes() == before) != writes
    save()
    with State() as state:
        assert (state.orders(LIST), state.notes) == ([ORDER], [])


def test_a_state_that_lacks_a_column_is_set_aside(home: Path) -> None:
    """Whole as a file, but not what was made: as good as damaged."""
    save()
    with sqlite3.connect(state_file(home)) as database:
        database.execute("ALTER TABLE record DROP COLUMN content")
    database.close()

    with State() as state:
        assert "kept as" in state.notes[0]
        assert state.orders(LIST) == []


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
    loaded = [order for playlist in LISTS for order in state.orders(playlist)]
    numbers = [number for row in table.folders.values() for _, number, _ in row.each()]
    assert len({*numbers}) == len(numbers)
    assert table.next_number > max(numbers, default=0)
    is_right = [MANY_NUMBERS.get(path, number) == number for number, path in table.paths_of(MANY).items()]
    lost = len(MANY) - sum(is_right)
    for order in loaded:
        there = {*order.numbers}
        assert [number for number in order.numbers if number in MANY_PATHS] == [
            number for number in MANY_ORDER.numbers if number in there
        ]
        lost += len(MANY) - len(there.intersection(MANY))
    state.save_tracks(table, replace(MANY_TABLE, next_number=max(5000, table.next_number)))
    for playlist in LISTS:
        state.save_order(playlist, MANY_ORDER, None)
    return Known(len(loaded), lost)


def check_use_of(broken: bytes, file: Path) -> tuple[bool, list[str]]:
    """Return whether a run over a damaged file knew all, and its notes; it leaves a sound state."""
    for left in file.parent.glob("state.db?*"):
        left.unlink()
    file.write_bytes(broken)
    with State() as state:
        known = use(state)
        notes = state.notes
    aside = [path for path in file.parent.glob("state.db.damaged-*") if not path.name.endswith("-journal")]
    # A bit of a number costs the one track.
    assert (known.orders == 2 and known.lost <= 1) or notes or not broken  # an empty file is a new one
    assert [path.read_bytes() for path in aside] in ([], [broken])
    assert all(any(str(path) in note for note in notes) for path in aside)

    with State() as state:
        assert use(state) == Known(2, 0)
        assert state.root(b"/m") == ROOT
        assert state.notes == []
    return known == Known(2, 0), notes


@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_a_damaged_state_never_gives_a_wrong_order(home: Path, whole: bytes, count: int) -> None:
    """What is damaged is not used, and named; the file is kept, never overwritten."""
    chance = random.Random(2)

    outcomes = {check_use_of(damaged(whole, chance), state_file(home))[0] for _ in range(count)}

    assert outcomes == {True, False}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"ext4"', b'"ext4 '),  # no JSON any more
        (b"ext4", b"ext\xf4"),  # no UTF-8
        (b'[["', b'["["'),  # JSON, but not of a mount
        (b'{"absent"', b'{"absenT"'),
        (b"CREATE TABLE folder", b"CREA\xd4E TABLE folder"),  # as SQLite's message quotes it
        (b"CREATE TABLE record", b"CREATE TABLE recorb"),
    ],
)
def test_damage_within_a_text_is_seen_at_once(home: Path, whole: bytes, old: bytes, new: bytes) -> None:
    """SQLite finds nothing wrong with most of these."""
    broken = whole.replace(old, new, 1)
    assert broken != whole

    _, notes = check_use_of(broken, state_file(home))

    assert "was kept as" in notes[0]


@pytest.mark.parametrize("ask", ["orders", "tracks", "root", "save"])
def test_damage_that_shows_only_later_costs_no_more(home: Path, whole: bytes, ask: str) -> None:
    """Whatever is asked first, the file is set aside, and the new one is used from there on."""
    file = state_file(home)
    broken = bytes(len(whole))
    with State() as state:
        file.write_bytes(broken)
        match ask:
            case "orders":
                assert state.orders(LIST) == []
            case "tracks":
                assert state.load_tracks() == TrackTable()
            case "root":
                assert state.root(b"/m") is None
            case _:
                pass
        state.save_tracks(TrackTable(), TABLE)
        state.save_order(LIST, ORDER, None)
        assert "was kept as" in state.notes[0]
    (aside,) = file.parent.glob("state.db.damaged-*[0-9]")

    assert aside.read_bytes() == broken
    with State() as state:
        assert (state.load_tracks(), state.orders(LIST)) == (TABLE, [ORDER])


def test_a_state_that_others_hold_is_not_taken_for_damaged(
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
            state.orders(LIST)
        with pytest.raises(
            PlayshuffleError, match=r"state of .* cannot be written: .* No playlist was changed"
        ):
            state.save_order(LIST, ORDER, None)
        with State() as second:
            assert second.notes == ["Nothing can be saved for the next run: database is locked."]
    other.close()
    assert len(opened) == 3
    for database in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            database.execute("SELECT 1")

    assert state_file(home).read_bytes() == whole
    assert not list(home.rglob("*damaged*"))


@pytest.mark.timeout(20)
def test_a_state_that_is_a_fifo_is_not_waited_for(home: Path) -> None:
    state_file(home).parent.mkdir(parents=True)
    os.mkfifo(state_file(home))
    problem = f"Nothing can be saved for the next run: {state_file(home)} is not a regular file."

    with State() as state:
        assert state.notes == [problem]
    with State(writes=False) as reader:
        assert reader.notes == [problem]
    with pytest.raises(PlayshuffleError, match="is not a regular file") as caught:
        State(must_remember=True)
    assert caught.value.code == Exit.CANNOT_CREATE


def test_a_full_disk_of_the_state_is_named_as_such(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deck that follows a rename is saved while another playlist is updated."""
    with State() as state:
        full = sqlite3.OperationalError("database or disk is full")
        full.sqlite_errorcode = sqlite3.SQLITE_FULL
        with pytest.raises(PlayshuffleError) as caught:
            state.change(mock.Mock(side_effect=full), DECK)

    assert str(caught.value) == (
        f"The saved state of {os.fsdecode(DECK)} cannot be written: database or disk is full. No playlist was"
        f" changed. Make room on the disk of {state_file(home).parent}."
    )


def test_a_reader_makes_nothing(home: Path) -> None:
    """Where there is no state yet it knows nothing, and needs not say so."""
    with State(writes=False) as state, state.locked():
        assert state.orders(LIST) == []
        assert state.root(b"/m") is None
        assert state.notes == []

    assert list(home.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"damaged" * 1000])
def test_a_reader_leaves_what_is_no_state_as_it_is(home: Path, content: bytes) -> None:
    """It says so if that is damaged; a state is empty while another run begins it."""
    file = state_file(home)
    file.parent.mkdir(parents=True)
    file.write_bytes(content)

    with State(writes=False) as state:
        assert state.orders(LIST) == []
        assert len(state.notes) == bool(content)
        assert not content or "damaged. It is not used and was not changed." in state.notes[0]

    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def test_who_holds_the_lock_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one waits, then says for whom."""
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


def test_without_a_place_to_write_the_run_goes_on_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder that cannot be made costs the memory, not the playlist."""
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")

    with State() as state:
        assert state.notes[0].startswith("Nothing can be saved")
        with state.locked():
            state.save_order(LIST, ORDER, None)
        assert state.orders(LIST) == [ORDER]


@pytest.mark.parametrize(
    ("problem", "cure"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "Make room on its disk, or set XDG_STATE_HOME"),
        (PermissionError(errno.EACCES, "Permission denied"), "Make the state folder writable, or set"),
    ],
)
def test_a_state_that_cannot_be_saved_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, problem: OSError, cure: str
) -> None:
    def no_folder(**_: object) -> bytes:
        raise problem

    monkeypatch.setattr("playshuffle.store.state_file.state_folder", no_folder)

    with pytest.raises(PlayshuffleError, match=f"{problem.strerror}.*not changed. {cure}"):
        State(must_remember=True)


# One bad row


LIST_Y = "path = x'2f6d2f792e6d3375' AND kind = 'order'"
DECK_ROW = "path = x'2f6d2f746f6461792e6d3375'"


@pytest.mark.parametrize(
    "damage",
    [
        "numbers = substr(numbers, 2)",
        "numbers = substr(numbers, 5)",  # the absent track is not in it
        "numbers = CAST(x'01000000' || numbers AS BLOB)",
        "numbers = CAST(x'00000000' || numbers AS BLOB)",
        "facts = 'none'",
        "facts = '{}'",
        "facts = replace(facts, '[[4, 1000]]', '[[9, 1000]]')",
        "facts = replace(facts, '1000', '1e999')",
        "facts = replace(facts, '\"played\": 3', '\"played\": 5')",
        'facts = replace(facts, \'"played": 3\', \'"played": "3"\')',
        "facts = replace(facts, '\"drawn_s\": 2000', '\"drawn_s\": null')",
        "content = CAST(x'ff' AS TEXT)",
        "digest = 'text'",
        "age = 'text'",
    ],
)
@pytest.mark.parametrize("writes", [True, False])
def test_a_list_that_makes_no_sense_costs_that_list_only(home: Path, damage: str, writes: bool) -> None:
    order = ORDER._replace(numbers=array("I", [4, 3, 1, 2]))
    save(lists=LISTS, order=order)
    with State() as state:
        decks.save(state, DECK, decks.StoredDeck(Deck((1,), (2,)), "1-1"), None)
    before = edit(home, f"UPDATE record SET {damage} WHERE {LIST_Y}")

    with State(writes=writes) as state:
        assert state.orders(LISTS[1]) == []
        assert state.orders(LIST) == [order]
        assert decks.load(state, DECK) is not None
        assert state.load_tracks() == TABLE
        assert len(state.notes) == 1
        assert "/m/y.m3u was damaged" in state.notes[0]

    aside = [*state_file(home).parent.glob("*damaged*")]
    assert [file.read_bytes() for file in aside] == ([before] if writes else [])
    assert writes or state_file(home).read_bytes() == before
    assert all(str(file) in state.notes[0] for file in aside)
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in aside)
    save(lists=LISTS)
    with State() as state:
        assert (state.orders(LISTS[1]), state.notes) == ([ORDER], [])


@pytest.mark.parametrize(
    "damage",
    [
        "numbers = substr(numbers, 2)",
        "numbers = substr(numbers, 5)",
        "numbers = CAST(zeroblob(4) || substr(numbers, 5) AS BLOB)",
        "numbers = CAST(substr(numbers, 5, 4) || substr(numbers, 5) AS BLOB)",
        "facts = '[]'",
        "facts = replace(facts, 'since', 'sinc')",
        "content = CAST(x'ff' AS TEXT)",
    ],
)
def test_a_deck_that_makes_no_sense_costs_that_deck_only(home: Path, damage: str) -> None:
    other, deck = b"/m/other.m3u", Deck((3,), (1, 2), round=1, order="random")
    save(lists=[LIST, DECK])
    with State() as state:
        for path in (DECK, other):
            decks.save(state, path, decks.StoredDeck(deck, "1-1"), None)
    before = edit(home, f"UPDATE record SET {damage} WHERE {DECK_ROW} AND kind = 'deck'")

    with State() as state:
        assert decks.load_all(state) == [(other, deck)]
        assert (state.orders(LIST), state.orders(DECK)) == ([ORDER], [ORDER])
        assert len(state.notes) == 1
        assert "/m/today.m3u was damaged" in state.notes[0]

    [aside] = state_file(home).parent.glob("*damaged*")
    assert aside.read_bytes() == before


_SWAPPED = "CAST(substr(numbers, 5, 4) || substr(numbers, 1, 4) || substr(numbers, 9) AS BLOB)"

# A value that could have been written: other numbers, names, marks or facts of the same form.
_FLIPS = [
    ("record", f"numbers = {_SWAPPED}"),
    ("record", "facts = replace(facts, '2000', '2001')"),
    ("record", "content = content || '0'"),
    ("record", "digest = CAST(digest || '0' AS BLOB)"),
    ("record", "path = CAST(path || '0' AS BLOB)"),
    ("record", "age = 1 - age"),
    ("folder", "names = CAST(replace(names, 'a.mp3', 'c.mp3') AS BLOB)"),
    ("folder", f"numbers = {_SWAPPED}"),
    ("folder", "marks = CAST('x' || substr(marks, 2) AS BLOB)"),
    ("folder", "path = CAST('/n' || substr(path, 3) AS BLOB)"),
    ("folder", "checksum = checksum + 1"),
]


@pytest.mark.parametrize(("table", "damage"), _FLIPS)
def test_a_flipped_bit_costs_its_row_also_where_the_row_still_makes_sense(
    home: Path, table: str, damage: str
) -> None:
    save(replace(TABLE, folders=dict(list(FOLDERS.items())[:1])))
    edit(home, f"UPDATE {table} SET {damage}")

    with State() as state:
        assert (state.orders(LIST) == []) == (table == "record")
        assert (state.load_tracks().folders == {}) == (table == "folder")
        assert len(state.notes) == 1
        assert "was damaged" in state.notes[0]


@pytest.mark.parametrize(
    "damage",
    [
        "names = ''",
        "names = x''",
        "names = CAST(names || '/c.mp3' AS BLOB)",
        "names = CAST('c.mp3/c.mp3' AS BLOB)",
        "names = CAST('c.mp3/' AS BLOB)",
        "numbers = substr(numbers, 2)",
        "numbers = substr(numbers, 5)",
        "numbers = CAST(numbers || x'09000000' AS BLOB)",
        "numbers = CAST(x'00000000' || substr(numbers, 5) AS BLOB)",
        "numbers = CAST(x'05000000' || x'05000000' AS BLOB)",
        "numbers = CAST(substr(numbers, 1, 4) || x'03000000' AS BLOB)",  # of a track in /m/
        "marks = substr(marks, 2)",
        "marks = 'text'",
        "path = CAST('/m/x' AS BLOB)",
        "path = 7",
    ],
)
@pytest.mark.parametrize("writes", [True, False])
def test_a_folder_that_makes_no_sense_costs_that_folder_only(home: Path, damage: str, writes: bool) -> None:
    other = row_of({b"x.mp3": 5, b"y.mp3": 6})
    save(replace(TABLE, folders={**FOLDERS, b"/m/x/": other}))
    before = edit(home, f"UPDATE folder SET {damage} WHERE path = x'2f6d2f782f'")

    with State(writes=writes) as state:
        assert state.load_tracks() == TABLE
        assert state.orders(LIST) == [ORDER]
        assert len(state.notes) == 1
        assert "was damaged" in state.notes[0]

    aside = [*state_file(home).parent.glob("*damaged*")]
    assert [file.read_bytes() for file in aside] == ([before] if writes else [])
    assert writes or state_file(home).read_bytes() == before
    again = replace(TABLE, folders={**FOLDERS, b"/m/x/": row_of({b"x.mp3": 7, b"y.mp3": 8})}, next_number=9)
    save(again)
    with State() as state:
        assert (state.load_tracks(), state.notes) == (again, [])


@pytest.mark.parametrize(
    "damage", ["mark = x'00'", "mark = 'text'", "number = 0", "number = -4", "number = 1 << 40"]
)
def test_a_vanished_track_that_makes_no_sense_costs_that_track_only(home: Path, damage: str) -> None:
    other = Vanished(b"/m/other.mp3", bytes(MARK_BYTES), 5)
    save(replace(TABLE, vanished={**TABLE.vanished, 5: other}))
    edit(home, f"UPDATE vanished SET {damage} WHERE number = 4")

    with State() as state:
        assert state.load_tracks() == replace(TABLE, vanished={5: other})
        assert len(state.notes) == 1
        assert "was damaged" in state.notes[0]


@pytest.mark.parametrize("damage", ["mounts = '[[1]]'", "mounts = 'none'", "numbers = 'text'"])
@pytest.mark.parametrize("asks_first", ["root", "tracks"])
def test_a_root_that_makes_no_sense_costs_that_root_only(home: Path, damage: str, asks_first: str) -> None:
    roots = {**TABLE.roots, (b"/n", True): KnownRoot(array("I", [2]), [MOUNT])}
    save(replace(TABLE, roots=roots))
    edit(home, f"UPDATE root SET {damage} WHERE path = x'2f6e'")

    with State() as state:
        if asks_first == "root":
            assert (state.root(b"/m"), state.root(b"/n")) == (ROOT, None)
        assert state.load_tracks() == TABLE
        assert (state.root(b"/n"), state.orders(LIST)) == (None, [ORDER])
        assert len(state.notes) == 1
        assert "/n was damaged" in state.notes[0]


def test_the_mounts_of_an_output_are_saved_once_and_damaged_ones_are_not_used(home: Path) -> None:
    with State() as state:
        for playlist in LISTS:
            state.save_output_mounts(playlist, [MOUNT])
        before = state_file(home).read_bytes()
        state.save_output_mounts(LIST, [MOUNT])
        assert state_file(home).read_bytes() == before
    edit(home, "UPDATE output SET mounts = '[[1]]' WHERE path = x'2f6d2f792e6d3375'")

    with State() as state:
        assert [state.output_mounts(playlist) for playlist in LISTS] == [[MOUNT], []]
        assert "/m/y.m3u was damaged" in state.notes[0]
        state.save_output_mounts(LISTS[1], [])
        assert state.output_mounts(LISTS[1]) == []
