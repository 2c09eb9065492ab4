"""Orders that are stored as edits of another one."""

import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.library.identity import Remembered
from playshuffle.library.marks import MARK_BYTES
from playshuffle.store import edits
from playshuffle.store.edits import apply_edits, pack_edits
from playshuffle.store.schema import VERSION
from playshuffle.store.state import Seen, State

LIST = b"/m/x.m3u"
COUNT = 20_000


def mark(number: int) -> bytes:
    return number.to_bytes(MARK_BYTES, "little")


def library(names: Sequence[int], *, has_marks: bool = True) -> Remembered:
    paths = [b"/m/%d.mp3" % name for name in names]
    marks = b"".join(map(mark, names)) if has_marks else b""
    return Remembered(paths, marks, array("I", range(len(paths))), {})


@pytest.fixture
def _edits_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits, "_MOST_BYTES_A_TRACK", 1 << 20)


@st.composite
def orders(draw: st.DrawFn) -> Remembered:
    """Return an order over a few of ten tracks, each with one of two marks."""
    names = draw(st.lists(st.integers(0, 9), min_size=1, unique=True))
    marks = b"".join(mark(name + 16 * draw(st.booleans())) for name in names)
    places = array("I", draw(st.permutations(range(len(names)))))
    return Remembered([b"/m/%d.mp3" % name for name in names], marks, places, {})


@pytest.mark.usefixtures("_edits_of_any_length")
@given(orders(), orders())
def test_edits_give_the_order_that_they_were_made_of(base: Remembered, other: Remembered) -> None:
    packed = pack_edits(base, *other[:3], checksum=7)

    assert packed is not None
    assert apply_edits(base, packed, 7) == other[:3]
    with pytest.raises(ValueError, match="another order"):
        apply_edits(base, packed, 8)


def test_damaged_edits_are_refused() -> None:
    base = library(range(100))
    packed = pack_edits(base, base.paths, base.marks, base.places, 7)
    assert packed is not None

    for at in range(2, len(packed)):  # the header of zlib has bits without a meaning
        with pytest.raises(ValueError, match="edits"):
            apply_edits(base, packed[:at] + bytes([packed[at] ^ 1]) + packed[at + 1 :], 7)


def written_bytes() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(dict(line.split(": ") for line in lines)["wchar"])


def remember(state: State, order: Remembered, content: str, before: Seen | None) -> Seen:
    seen = Seen(content.encode().ljust(16), content, len(order.paths))
    state.remember(LIST, seen, before, lambda: order.paths, order.places, [], lambda: order.marks, order.gone)
    return seen


@pytest.mark.parametrize("change", ["tags", "new", "renamed", "deleted", "vanished"])
def test_a_change_of_one_track_writes_little(change: str) -> None:
    """At most 3 bytes for each track of the library, however often; the whole order has 50."""
    names = list(range(COUNT))
    with State() as state:
        seen = remember(state, library(names), "first", None)
    for number in range(5):
        order = library(names)
        at = 1000 * (number + 1)
        if change == "tags":
            marks = order.marks[: MARK_BYTES * at] + mark(1 << 40) + order.marks[MARK_BYTES * (at + 1) :]
            order = order._replace(marks=marks)
        elif change == "new":
            names.insert(at, COUNT + number)
        elif change == "renamed":
            names[at] += COUNT
        elif change == "deleted":
            del names[at]
        else:  # known as before, at the end
            names.append(names.pop(at))
        order = library(names)._replace(marks=order.marks) if change == "tags" else library(names)
        with State() as state:
            assert state.remembered(LIST, seen) is not None
            start = written_bytes()
            seen = remember(state, order, f"{number}", seen)
            assert written_bytes() - start < 3 * COUNT
        with State() as state:
            assert state.remembered(LIST, seen) == order


@pytest.mark.parametrize("changes", [0, 1])
def test_a_loaded_order_is_stored_again_with_few_bytes(changes: int) -> None:
    """Its playlist may be written in another way; the order is whole in the state, or has edits."""
    order = library(range(COUNT))
    with State() as state:
        seen = remember(state, order, "first", None)
    if changes:
        order = library(range(1, COUNT))
        with State() as state:
            state.remembered(LIST, seen)
            seen = remember(state, order, "second", seen)
    with State() as state:
        assert state.remembered(LIST, seen) == order
        packed = state.edits(LIST, lambda: order.paths, lambda: order.marks, order.places, is_known=True)
        start = written_bytes()
        last = Seen(b"library", "last", len(order.paths))
        state.remember(
            LIST, last, seen, lambda: order.paths, order.places, [], lambda: order.marks, {}, packed
        )
        assert written_bytes() - start < 3 * COUNT
    with State() as state:
        assert state.remembered(LIST, last) == order
        assert state.remembered(LIST, seen) == order


@pytest.mark.usefixtures("_edits_of_any_length")
@given(st.lists(st.tuples(orders(), st.booleans(), st.booleans()), max_size=8))
def test_the_last_two_orders_are_known_whatever_came_before(
    steps: Sequence[tuple[Remembered, bool, bool]],
) -> None:
    """A step: an order; whether the one before was loaded; whether the file was replaced."""
    with State() as state:
        state.forget(LIST)
    in_file: tuple[Seen, Remembered] | None = None
    for number, (order, is_loaded, is_replaced) in enumerate(steps):
        with State() as state:
            before = in_file[0] if in_file is not None else None
            if is_loaded and before is not None:
                state.remembered(LIST, before)
            seen = remember(state, order, f"{number}", before)
            assert state.seen(LIST) == [seen, *([before] if before is not None else [])]
        with State() as state:
            assert state.remembered(LIST, seen) == order
            if in_file is not None:
                assert state.remembered(LIST, in_file[0]) == in_file[1]
            assert state.notes == []
        if is_replaced:
            in_file = seen, order


@pytest.mark.damages_state
def test_damage_of_the_base_costs_the_order_and_is_named(home: Path) -> None:
    names = list(range(COUNT))
    with State() as state:
        seen = remember(state, library(names), "first", None)
    with State() as state:
        state.remembered(LIST, seen)
        seen = remember(state, library(names[1:]), "second", seen)
    with sqlite3.connect(home / ".local/state/playshuffle/state.db") as database:
        assert database.execute("SELECT edits = x'' FROM playlist ORDER BY age").fetchall() == [(0,), (1,)]
        database.execute("UPDATE library SET paths = x'00'")
    database.close()

    with State() as state:
        assert state.remembered(LIST, seen) is None
        assert "was damaged" in state.notes[0]
        remember(state, library(names), "third", None)
    with State() as state:
        assert state.remembered(LIST, state.seen(LIST)[0]) == library(names)


@pytest.mark.damages_state
def test_damage_after_the_base_was_loaded_costs_no_order(home: Path) -> None:
    """A new state has no base for edits, so the order is stored whole."""
    names = list(range(COUNT))
    with State() as state:
        seen = remember(state, library(names), "first", None)
    with State() as state:
        state.remembered(LIST, seen)
        with (home / ".local/state/playshuffle/state.db").open("r+b") as file:
            file.write(bytes(8192))
        last = remember(state, library(names[1:]), "last", seen)
        assert "The state was damaged" in state.notes[0]
    with State() as state:
        assert state.remembered(LIST, last) == library(names[1:])
        assert state.notes == []


def test_another_process_that_wrote_meanwhile_costs_no_order() -> None:
    """The base may be another row by then, so the order is stored whole."""
    names = list(range(COUNT))
    with State() as state:
        seen = remember(state, library(names), "first", None)
    with State() as state:
        state.remembered(LIST, seen)
        with State() as other:
            remember(other, library(names[5:]), "other", None)
        last = remember(state, library(names[1:]), "last", seen)
    with State() as state:
        assert state.remembered(LIST, last) == library(names[1:])


def test_a_state_of_the_fourth_version_keeps_its_orders(home: Path) -> None:
    with State() as state:
        seen = remember(state, library(range(9)), "first", None)
    file = home / ".local/state/playshuffle/state.db"
    with sqlite3.connect(file) as database:
        database.execute("ALTER TABLE playlist DROP COLUMN edits")
        database.execute("DROP TABLE skip_list")
        database.execute("DROP TABLE playlist_root")
        database.execute("UPDATE playlist SET age = age - 2")
        database.execute("PRAGMA user_version = 4")
    database.close()

    with State() as state:
        assert state.remembered(LIST, seen) == library(range(9))
        assert state.notes == []
    assert file.with_name("state.db.v4").exists()
    with sqlite3.connect(file) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
    database.close()
