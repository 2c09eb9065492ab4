"""The state: what must be there again after anything."""

import multiprocessing
import os
import random
import re
import sqlite3
import time
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deck
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.identity import Remembered
from playshuffle.library.marks import MARK_BYTES
from playshuffle.library.missing import Root
from playshuffle.store import decks
from playshuffle.store.schema import VERSION
from playshuffle.store.state import Seen, State
from playshuffle.system import sqlite
from playshuffle.system.mounts import Mount

pytestmark = pytest.mark.damages_state

PATHS = [b"/m/a.mp3", b"/m/b\n.mp3", b"/m/caf\xe9.mp3", b"/m/d.mp3"]
ORDER = array("I", [2, 0, 3, 1])
LIST = b"/m/x\xff.m3u"
LISTS = (LIST, b"/m/y.m3u")
DECK = b"/m/today.m3u"
MOUNT = Mount(b"/mnt/caf\xe9", "ext4", b"/dev/sdb1", 1 << 63)
ROOT = Root(b"/m", 4, [MOUNT])
SEEN = Seen(b"digest", "12-abcdef01", 3)
MARKS = bytes(range(128))

MANY = Seen(b"sixteen bytes...", "1-1", 3000)
MANY_PATHS = [b"/music/%06d.mp3" % index for index in range(3000)]
MANY_PLACES = random.Random(1).sample(range(3000), 3000)
MANY_ORDER = [MANY_PATHS[index] for index in MANY_PLACES]


def remember() -> None:
    with State() as state:
        state.remember(LIST, SEEN, None, Remembered(PATHS, b"", ORDER, {}), [ROOT])


def order(state: State) -> list[bytes] | None:
    seen = state.seen(LIST)
    return state.order(LIST, seen[0]) if seen else None


def state_file(home: Path) -> Path:
    return home / ".local/state/playshuffle/state.db"


def test_an_order_comes_back_as_it_was_kept() -> None:
    """Paths are bytes: not UTF-8, with line breaks, all the same."""
    remember()

    with State() as state:
        assert order(state) == [PATHS[index] for index in ORDER]
        assert state.seen(LIST) == [SEEN]
        assert state.root(b"/m") == ROOT
        assert state.notes == []


def test_each_playlist_has_its_own_roots_and_a_new_one_those_of_the_last() -> None:
    smaller = ROOT._replace(tracks=3)
    with State() as state:
        for playlist, root in ((LIST, ROOT), (LISTS[1], smaller)):
            state.remember(playlist, SEEN, None, Remembered(PATHS, b"", ORDER, {}), [root])

        assert [state.root(b"/m", playlist) for playlist in (*LISTS, b"/new")] == [ROOT, smaller, smaller]
        assert state.root(b"/m") == smaller


def test_roots_are_written_only_if_they_differ(home: Path) -> None:
    remember()
    before = state_file(home).read_bytes()
    with State() as state:
        state.remember_roots(LIST, [ROOT])
        assert state_file(home).read_bytes() == before
        state.remember_roots(LIST, [ROOT._replace(tracks=3)])

        assert state.root(b"/m", LIST) == ROOT._replace(tracks=3)


def test_what_was_never_kept_is_none() -> None:
    with State() as state:
        assert state.seen(LIST) == []
        assert state.root(b"/m") is None


def test_the_order_before_is_kept_until_the_next(home: Path) -> None:
    """Whichever of the two the file turns out to have is there; the one it has not goes."""
    first, second, third = (Seen(b"digest", content, 4) for content in ("1-a", "2-b", "3-c"))
    with State() as state:
        state.remember(LIST, first, None, Remembered(PATHS, b"", [0, 1, 2, 3], {}), [])
        state.remember(LIST, second, first, Remembered(PATHS, b"", [1, 0, 2, 3], {}), [])
        assert state.seen(LIST) == [second, first]
        assert state.order(LIST, first) == PATHS

        # The file was not replaced: it has the first one still.
        state.remember(LIST, third, first, Remembered(PATHS, b"", [3, 2, 1, 0], {}), [])
        assert state.seen(LIST) == [third, first]

        state.remember(LIST, third, third, Remembered(PATHS, b"", [0, 2, 1, 3], {}), [])
        assert state.seen(LIST) == [third]
        assert state.order(LIST, third) == [PATHS[0], PATHS[2], PATHS[1], PATHS[3]]


def test_a_library_is_kept_once_and_no_longer_than_it_is_used(home: Path) -> None:
    """Two playlists over one library share its paths; a library that none uses goes."""
    remember()
    with State() as state:
        state.remember(b"/m/y.m3u", SEEN, None, Remembered(PATHS, b"", [0, 1, 2, 3], {}), [])
        database = sqlite3.connect(state_file(home))
        assert database.execute("SELECT count(*) FROM library").fetchone() == (1,)
        other = Seen(b"other", "1-0", 2)
        state.remember(LIST, other, None, Remembered(PATHS[:2], b"", [1, 0], {}), [])
        state.remember(b"/m/y.m3u", other, None, Remembered(PATHS[:2], b"", [0, 1], {}), [])

        assert database.execute("SELECT digest FROM library").fetchall() == [(other.library,)]
        assert order(state) == [PATHS[1], PATHS[0]]
        database.close()


def test_state_is_for_its_owner_only(home: Path) -> None:
    """State files are private, whatever the umask."""
    old = os.umask(0)
    try:
        remember()
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
    remember()
    before = state_file(home).read_bytes()

    with State(writes=False) as state:
        assert order(state) is not None
        with pytest.raises(PlayshuffleError):
            state.remember(LIST, SEEN, None, Remembered(PATHS, b"", [0, 1, 2, 3], {}), [])

    assert state_file(home).read_bytes() == before


@pytest.mark.parametrize("version", [VERSION + 1, 99])
@pytest.mark.parametrize("writes", [True, False])
def test_a_state_of_another_version_is_set_aside_and_named(home: Path, version: int, writes: bool) -> None:
    remember()
    before = edit(home, f"PRAGMA user_version = {version}")

    with State(writes=writes) as state:
        assert state.seen(LIST) == []
        assert "written by another version of playshuffle" in state.notes[0]

    aside = [*state_file(home).parent.glob("*damaged*")]
    assert [file.read_bytes() for file in aside] == ([before] if writes else [])
    assert (state_file(home).read_bytes() == before) != writes
    remember()
    with State() as state:
        assert (state.seen(LIST), state.notes) == ([SEEN], [])


def test_a_state_that_lacks_a_column_is_set_aside(home: Path) -> None:
    """Whole as a file, but not what was made: as good as damaged."""
    remember()
    with sqlite3.connect(state_file(home)) as database:
        database.execute("ALTER TABLE playlist DROP COLUMN content")
    database.close()

    with State() as state:
        assert "kept as" in state.notes[0]
        assert state.seen(LIST) == []


def damaged(whole: bytes, chance: random.Random) -> bytes:
    """A file after one of the accidents that disks have."""
    at = chance.randrange(len(whole))
    match chance.randrange(5):
        case 0:
            return whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :]
        case 1:
            at -= at % 512
            return whole[:at] + bytes(512) + whole[at + 512 :]
        case 2:
            at -= at % 4096
            return whole[:at] + chance.randbytes(4096) + whole[at + 4096 :]
        case 3:
            return whole[:at]
        case _:
            return whole[:at] + bytes(len(whole) - at)


@pytest.fixture
def whole(home: Path) -> bytes:
    """A state of two playlists over one library, and a root."""
    with State() as state:
        for playlist in LISTS:
            state.remember(playlist, MANY, None, Remembered(MANY_PATHS, b"", MANY_PLACES, {}), [ROOT])
    return edit(home, "VACUUM")  # freed pages keep what they held, and nothing reads it


def use(state: State) -> list[list[bytes]]:
    """Ask and tell it all; the orders that it knew."""
    state.root(ROOT.path)
    orders = [state.order(playlist, seen) for playlist in LISTS for seen in state.seen(playlist)]
    for playlist in LISTS:
        state.remember(playlist, MANY, None, Remembered(MANY_PATHS, b"", MANY_PLACES, {}), [ROOT])
    return [order for order in orders if order is not None]


def check_use_of(broken: bytes, file: Path) -> tuple[bool, list[str]]:
    """Whether a run over a damaged file knew all; it gives no wrong order, and leaves a sound state."""
    for left in file.parent.glob("state.db?*"):
        left.unlink()
    file.write_bytes(broken)
    with State() as state:
        known = use(state)
        notes = state.notes
    aside = [path for path in file.parent.glob("state.db.damaged-*") if not path.name.endswith("-journal")]
    assert all(order == MANY_ORDER for order in known)
    assert len(known) == 2 or notes or not broken  # an empty file is a new one
    assert [path.read_bytes() for path in aside] in ([], [broken])
    assert all(any(str(path) in note for note in notes) for path in aside)

    with State() as state:
        assert use(state) == [MANY_ORDER, MANY_ORDER]
        assert state.root(ROOT.path) is not None
        assert state.notes == []
    return len(known) == 2, notes


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_a_damaged_state_never_gives_a_wrong_order(home: Path, whole: bytes, count: int) -> None:
    """It gives the order, or none and says so; what was damaged is kept, never overwritten."""
    chance = random.Random(2)

    outcomes = {check_use_of(damaged(whole, chance), state_file(home))[0] for _ in range(count)}

    assert outcomes == {True, False}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"ext4"', b'"ext4 '),  # no JSON any more
        (b"ext4", b"ext\xf4"),  # no UTF-8
        (b'[["', b'["["'),  # JSON, but not of a mount
        (b"CREATE TABLE playlist", b"CREA\xd4E TABLE playlist"),  # as SQLite's message quotes it
        (b"CREATE TABLE playlist", b"CREATE TABLE plbylist"),
    ],
)
def test_damage_within_a_text_is_seen_at_once(home: Path, whole: bytes, old: bytes, new: bytes) -> None:
    """SQLite finds nothing wrong with most of these."""
    broken = whole.replace(old, new, 1)
    assert broken != whole

    _, notes = check_use_of(broken, state_file(home))

    assert "was kept as" in notes[0]


def test_no_copy_of_a_digest_may_be_damaged(home: Path, whole: bytes) -> None:
    """Not in the library, not in its index, and not in what refers to it: then it has no paths."""
    copies = [found.start() for found in re.finditer(MANY.library, whole)]
    assert len(copies) == 4

    for at in copies:
        broken = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        is_known, notes = check_use_of(broken, state_file(home))

        assert not is_known
        assert notes


def test_damaged_paths_are_not_kept_for_the_next_order(home: Path, whole: bytes) -> None:
    """SQLite does not see a flipped bit in them, and no run writes them again while it knows their digest."""
    at = whole.index(zlib.compress(b"\0".join(MANY_PATHS), 1)[:300]) + 200
    broken = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]

    is_known, notes = check_use_of(broken, state_file(home))

    assert not is_known
    assert any("was kept as" in note for note in notes)


@pytest.mark.parametrize("ask", ["seen", "order", "root", "remember"])
def test_damage_that_shows_only_later_costs_no_more(home: Path, whole: bytes, ask: str) -> None:
    """Whatever is asked first, the file is set aside, and the new one is used from there on."""
    file = state_file(home)
    broken = bytes(len(whole))
    with State() as state:
        file.write_bytes(broken)
        match ask:
            case "seen":
                assert state.seen(LIST) == []
            case "order":
                assert state.order(LIST, MANY) is None
            case "root":
                assert state.root(ROOT.path) is None
            case _:
                pass
        state.remember(LIST, SEEN, None, Remembered(PATHS, b"", ORDER, {}), [ROOT])
        assert "was kept as" in state.notes[0]
    (aside,) = file.parent.glob("state.db.damaged-*[0-9]")

    assert aside.read_bytes() == broken
    with State() as state:
        assert order(state) == [PATHS[index] for index in ORDER]


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
            state.seen(LIST)
        with pytest.raises(
            PlayshuffleError, match=r"state of .* cannot be written: .* No playlist was changed"
        ):
            state.remember(LIST, SEEN, None, Remembered(PATHS, b"", ORDER, {}), [ROOT])
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
            state.change(DECK, mock.Mock(side_effect=full))

    assert str(caught.value) == (
        f"The saved state of {os.fsdecode(DECK)} cannot be written: database or disk is full. No playlist was"
        f" changed. Make room on the disk of {state_file(home).parent}."
    )


def test_a_reader_makes_nothing(home: Path) -> None:
    """Where there is no state yet it knows nothing, and needs not say so."""
    with State(writes=False) as state, state.locked():
        assert state.seen(LIST) == []
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
        assert state.seen(LIST) == []
        assert len(state.notes) == bool(content)
        assert not content or "was damaged. It is not used and was not changed." in state.notes[0]

    assert file.read_bytes() == content
    assert list(file.parent.iterdir()) == [file]


def hold(ready: str, until: str) -> None:
    with State() as state, state.locked():
        Path(ready).touch()
        while not Path(until).exists():
            time.sleep(0.01)


def test_who_holds_the_lock_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one waits, then says for whom."""
    monkeypatch.setattr("playshuffle.store.state_file._LOCK_WAIT_S", 0.1)
    ready, until = tmp_path / "ready", tmp_path / "until"
    holder = multiprocessing.get_context("spawn").Process(target=hold, args=(str(ready), str(until)))
    holder.start()
    try:
        while not ready.exists():
            assert holder.is_alive()
            time.sleep(0.01)
        with State() as state, pytest.raises(PlayshuffleError, match=f"process {holder.pid}"), state.locked():
            pass
    finally:
        until.touch()
        holder.join()

    with State() as state, state.locked():
        pass


def test_without_a_place_to_write_the_run_goes_on_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder that cannot be made costs the memory, not the playlist."""
    monkeypatch.setenv("XDG_STATE_HOME", "/proc/nowhere")

    with State() as state:
        assert state.notes[0].startswith("Nothing can be saved")
        with state.locked():
            state.remember(LIST, SEEN, None, Remembered(PATHS, b"", ORDER, {}), [ROOT])
        assert order(state) is not None


def test_marks_belong_to_the_order_that_they_were_taken_for(home: Path) -> None:
    """Two files swapped their names between the two."""
    swapped = MARKS[32:64] + MARKS[:32] + MARKS[64:]
    with State() as state:
        state.remember(LIST, SEEN, None, Remembered(PATHS, MARKS, ORDER, {}), [])
        state.remember(LISTS[1], SEEN, None, Remembered(PATHS, swapped, ORDER, {}), [])

        assert state.remembered(LIST, SEEN) == Remembered(PATHS, MARKS, ORDER, {})
        assert state.remembered(LISTS[1], SEEN) == Remembered(PATHS, swapped, ORDER, {})


@st.composite
def orders(draw: st.DrawFn) -> Remembered:
    """Return an order over a few of ten tracks, each with one of two marks."""
    names = draw(st.lists(st.integers(0, 9), min_size=1, unique=True))
    marks = (bytes([name, draw(st.integers(0, 1))]).ljust(MARK_BYTES) for name in names)
    places = array("I", draw(st.permutations(range(len(names)))))
    return Remembered([b"/m/%d.mp3" % name for name in names], b"".join(marks), places, {})


@given(st.lists(st.tuples(orders(), st.booleans()), max_size=8))
def test_the_last_two_orders_are_known_whatever_came_before(steps: Sequence[tuple[Remembered, bool]]) -> None:
    """A step: an order, and whether the file was replaced."""
    with State() as state:
        state.forget(LIST)
    in_file: tuple[Seen, Remembered] | None = None
    for number, (order, is_replaced) in enumerate(steps):
        seen = Seen(b"%r" % [order.paths], f"{number}", len(order.paths))
        before = in_file[0] if in_file is not None else None
        with State() as state:
            state.remember(LIST, seen, before, order, [])
            assert state.seen(LIST) == [seen, *([before] if before is not None else [])]
        with State() as state:
            assert state.remembered(LIST, seen) == order
            if in_file is not None:
                assert state.remembered(LIST, in_file[0]) == in_file[1]
            assert state.notes == []
        if is_replaced:
            in_file = seen, order


# One bad row


def keep_deck(state: State, path: bytes) -> None:
    deck = Deck((PATHS[0],), tuple(PATHS[1:]), round=1, order="random")
    marks = [MARKS[at : at + 32] for at in range(0, 128, 32)]
    decks.save(state, path, deck, "1-1", dict(zip(PATHS, marks, strict=True)), None, [])


def edit(home: Path, *statements: str) -> bytes:
    with sqlite3.connect(state_file(home)) as database:
        for statement in statements:
            database.execute(statement)
    database.close()
    return state_file(home).read_bytes()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE playlist SET places = substr(places, 5) WHERE path = x'2f6d2f792e6d3375'",
        "UPDATE playlist SET gone = '{\"9\": 1}' WHERE path = x'2f6d2f792e6d3375'",
        "UPDATE playlist SET gone = 'none' WHERE path = x'2f6d2f792e6d3375'",
        "UPDATE playlist SET gone = '{\"1\": 1e999}' WHERE path = x'2f6d2f792e6d3375'",
        "UPDATE playlist SET played = 'many' WHERE path = x'2f6d2f792e6d3375'",
        "UPDATE playlist SET content = CAST(x'ff' AS TEXT) WHERE path = x'2f6d2f792e6d3375'",
        "UPDATE playlist SET library = x'00' WHERE path = x'2f6d2f792e6d3375'",
    ],
)
@pytest.mark.parametrize("writes", [True, False])
def test_a_list_that_makes_no_sense_costs_that_list_only(home: Path, statement: str, writes: bool) -> None:
    with State() as state:
        for playlist in LISTS:
            state.remember(playlist, SEEN, None, Remembered(PATHS, MARKS, ORDER, {}), [ROOT])
        keep_deck(state, DECK)
    before = edit(home, statement)

    with State(writes=writes) as state:
        assert [state.order(LISTS[1], seen) for seen in state.seen(LISTS[1])] in ([], [None])
        assert order(state) == [PATHS[index] for index in ORDER]
        assert decks.load(state, DECK) is not None
        assert state.root(b"/m") == ROOT
        assert len(state.notes) == 1
        assert "/m/y.m3u was damaged" in state.notes[0]

    aside = [*state_file(home).parent.glob("*damaged*")]
    assert [file.read_bytes() for file in aside] == ([before] if writes else [])
    assert writes or state_file(home).read_bytes() == before
    assert all(str(file) in state.notes[0] for file in aside)
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in aside)
    with State() as state:
        state.remember(LISTS[1], SEEN, None, Remembered(PATHS, MARKS, ORDER, {}), [])
        assert state.order(LISTS[1], SEEN) == order(state)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE deck SET places = substr(places, 5) WHERE path = x'2f6d2f746f6461792e6d3375'",
        "UPDATE deck SET places = zeroblob(16) WHERE path = x'2f6d2f746f6461792e6d3375'",
        "UPDATE deck SET facts = '[]' WHERE path = x'2f6d2f746f6461792e6d3375'",
        "UPDATE deck SET marks = x'00' WHERE path = x'2f6d2f746f6461792e6d3375'",
    ],
)
def test_a_deck_that_makes_no_sense_costs_that_deck_only(home: Path, statement: str) -> None:
    other = b"/m/other.m3u"
    remember()
    with State() as state:
        for path in (DECK, other):
            keep_deck(state, path)
    before = edit(home, statement)

    with State() as state:
        assert [path for path in (DECK, other) if decks.load(state, path)] == [other]
        assert order(state) == [PATHS[index] for index in ORDER]
        assert len(state.notes) == 1
        assert "/m/today.m3u was damaged" in state.notes[0]

    [aside] = state_file(home).parent.glob("*damaged*")
    assert aside.read_bytes() == before


def test_a_folder_that_makes_no_sense_costs_that_folder_only(home: Path) -> None:
    remember()
    with State() as state:
        state.remember(LISTS[1], SEEN, None, Remembered(PATHS, b"", ORDER, {}), [ROOT._replace(path=b"/n")])
    edit(home, "UPDATE root SET mounts = '[[1]]' WHERE path = x'2f6d'")

    with State() as state:
        assert (state.root(b"/m"), state.root(b"/n")) == (None, ROOT._replace(path=b"/n"))
        assert order(state) == [PATHS[index] for index in ORDER]
        assert "/m was damaged" in state.notes[0]


def test_marks_and_what_is_gone_come_back(home: Path) -> None:
    with State() as state:
        state.remember(LIST, SEEN, None, Remembered(PATHS, MARKS, ORDER, {3: 1_000}), [])
        state.remember(LISTS[1], SEEN, None, Remembered(PATHS, b"", ORDER, {}), [])

        assert state.remembered(LIST, SEEN) == Remembered(PATHS, MARKS, ORDER, {3: 1_000})
        assert state.order(LIST, SEEN) == [PATHS[index] for index in ORDER if index != 3]
        assert state.remembered(LISTS[1], SEEN) == Remembered(PATHS, b"", ORDER, {})
