"""Test that orders, decks, options and skip lists are loaded as they were saved."""

import json
import os
from array import array
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deal, Deck
from playshuffle.dealing.describe import deck_facts
from playshuffle.dealing.period import Every
from playshuffle.options.table import ROWS, Options
from playshuffle.store import records, skip_list_entries
from playshuffle.store.records import (
    BEFORE,
    IN_FILE,
    LAST,
    NOTHING,
    SavedDeck,
    SavedOrder,
    SavedRecord,
    Summary,
)
from playshuffle.store.saved_options import pack, unpack
from playshuffle.store.state import State

LIST, OTHER = b"/m/all\xff.m3u", b"/m/other.m3u"
ORDER = SavedOrder(array("I", [3, 1, 4, 2]), frozenset({4}), 3, 2_000, "1-1", b"", options=Options(limit=3))
CONTENTS = st.sampled_from(("1-1", "2-2", "3-3"))  # fingerprints
TRACKS = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, (1 << 32) - 1]


@st.composite
def any_deck(draw: st.DrawFn) -> Deck:
    tracks = draw(st.permutations(TRACKS))
    dealt, upcoming, missing = sorted(draw(st.tuples(*[st.integers(0, len(TRACKS))] * 3)))
    parts = tuple(tracks[:dealt]), tuple(tracks[dealt:upcoming]), tuple(tracks[upcoming:missing])
    deal = draw(st.none() | st.just(Deal(date(2026, 3, 1), tuple(tracks[:3]), 1, 2, 3, every=Every.WEEK)))
    return Deck(
        *parts,
        removed=parts[0][: draw(st.integers(0, 3))],
        tail=tuple(tracks[:2]),
        round=draw(st.integers(0, 3)),
        since=date(2026, 1, 2),
        deals_left=4,
        order_name="albums",
        deal=deal,
        unheard=tuple(draw(st.lists(st.sampled_from(TRACKS), max_size=9))),
        heard_from_s=draw(st.integers(0, 1 << 32)),
    )


@st.composite
def any_order(draw: st.DrawFn) -> SavedOrder:
    numbers = draw(st.lists(st.integers(1, (1 << 32) - 1), min_size=1, unique=True))
    absent = draw(st.frozensets(st.sampled_from(numbers)))
    played, drawn_s = draw(st.integers(0, len(numbers))), draw(st.integers(0, 1 << 33))
    return SavedOrder(
        array("I", numbers),
        absent,
        played,
        drawn_s,
        draw(CONTENTS),
        draw(st.binary()),
        "stamp",
        Options(),
        "x",
    )


def _summary(record: SavedRecord) -> Summary:
    if isinstance(record, SavedOrder):
        return Summary(record.options, record.length, None)
    return Summary(record.options, None, deck_facts(record.deck))


RECORDS = any_order() | st.tuples(any_deck(), CONTENTS).map(lambda saved: SavedDeck(*saved, Options()))


@settings(max_examples=30)  # each of them waits for the disk
@given(st.lists(st.tuples(RECORDS, CONTENTS, st.none() | st.just(NOTHING) | RECORDS), max_size=4))
def test_records_come_back_as_they_were_saved(
    steps: list[tuple[SavedRecord, str, SavedRecord | None]],
) -> None:
    """The record of the file is kept until the next save, the record for undo until another is saved."""
    ages: dict[int, SavedRecord] = {}
    with State() as state:
        state.forget(LIST)
    for record, content, before in steps:
        with State() as state:
            records.save(state, LIST, record, before, content)
        stale = next((ages[age] for age in sorted(ages) if ages[age].content == content), None)
        ages = {age: ages[age] for age in ages if age == BEFORE} | {LAST: record}
        if before is not None:
            ages[BEFORE] = before
        if stale is not None and content not in {record.content, before.content if before else None}:
            ages[IN_FILE] = stale
        with State() as state:
            assert records.load(state, LIST) == {age: each for age, each in ages.items() if each != NOTHING}
            assert records.last(state, LIST) == record
            assert records.summaries(state) == {LIST: _summary(record)}
            assert records.last_made(state) == (LIST if BEFORE in ages else None)
            assert state.notes == []


def test_the_playlist_made_last_is_the_one_with_the_newest_record_for_undo() -> None:
    with State() as state:
        for playlist in (LIST, OTHER):
            records.save(state, playlist, ORDER, before=NOTHING)
        records.save(state, LIST, ORDER)
        assert records.last_made(state) == OTHER
        records.save(state, LIST, ORDER, before=NOTHING)
        assert records.last_made(state) == LIST


@pytest.mark.damages_state
@pytest.mark.parametrize("change", ["record SET facts = ''", "record_tracks SET checksum = 1"])
def test_if_the_last_record_or_its_tracks_are_damaged_the_record_before_it_counts(change: str) -> None:
    with State() as state:
        records.save(state, LIST, SavedDeck(Deck((1,), (2,)), "1-1", Options()), before=ORDER)
        state.change(lambda database: database.execute(f"UPDATE main.{change} WHERE age = ?", (LAST,)))

    for _ in range(2):
        with State() as state:
            assert records.last(state, LIST) == ORDER
    with State() as state:
        assert records.summaries(state) == {LIST: _summary(ORDER)}


def test_the_present_tracks_of_an_order_are_all_except_its_absent_tracks() -> None:
    assert list(ORDER.present_then) == [3, 1, 2]


# Options


TYPES = {"folders": tuple[str, ...], **{row.name: row.type for row in ROWS}}

# Absolute paths, which may have bytes that are not UTF-8.
_TEXT = st.binary().map(lambda name: f"/{os.fsdecode(name)}")
VALUES: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    str: _TEXT,
    str | None: st.none() | _TEXT,
    int | None: st.none() | st.integers(),
    tuple[str, ...]: st.lists(_TEXT).map(tuple),
}


@given(st.fixed_dictionaries({name: VALUES[type_] for name, type_ in TYPES.items()}))
def test_all_options_are_read_back_from_json(values: dict[str, Any]) -> None:
    options = Options(**values)

    assert unpack(pack(options)) == options


def test_json_has_only_the_options_that_differ_from_their_defaults() -> None:
    assert pack(Options()) == "{}"
    assert json.loads(pack(Options(folders=("/m",), tags=False))) == {"folders": ["/m"], "tags": False}


@pytest.mark.parametrize("text", [pack(None), '{"law": 1}'])
def test_saved_options_that_this_version_does_not_know_are_not_loaded(text: str) -> None:
    assert unpack(text) is None


# Skip lists


LISTS = {b"/never\xfe.m3u": [b"/m/a.mp3", b"/m/caf\xe9\n.mp3"], b"/empty.m3u": list[bytes]()}


def test_entries_of_skip_lists_are_read_back_only_for_the_playlist_that_uses_the_lists() -> None:
    with State() as state:
        skip_list_entries.save(state, LIST, LISTS)
        skip_list_entries.save(state, OTHER, {b"/x.m3u": [b"/m/x.mp3"]})
        skip_list_entries.save(state, OTHER, {b"/y.m3u": [b"/m/y.mp3"]})

    with State(writes=False) as state:
        assert skip_list_entries.load(state, LIST) == LISTS
        assert skip_list_entries.load(state, OTHER) == {b"/y.m3u": [b"/m/y.mp3"]}
        assert skip_list_entries.load(state, b"/none.m3u") == {}
