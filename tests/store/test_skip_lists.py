"""Test how the skip lists of a playlist are stored."""

import sqlite3
from pathlib import Path

import pytest

from playshuffle.store import skip_lists
from playshuffle.store.state import State
from tests.support.program import state_file

PLAYLIST, OTHER = b"/m/all\xff.m3u", b"/m/other.m3u"
LISTS = {b"/never\xfe.m3u": [b"/m/a.mp3", b"/m/caf\xe9\n.mp3"], b"/empty.m3u": list[bytes]()}


def test_lists_come_back_as_they_were_kept_and_belong_to_their_playlist() -> None:
    with State() as state:
        skip_lists.save(state, PLAYLIST, LISTS)
        skip_lists.save(state, OTHER, {b"/x.m3u": [b"/m/x.mp3"]})
        skip_lists.save(state, OTHER, {b"/y.m3u": [b"/m/y.mp3"]})

    with State(writes=False) as state:
        assert skip_lists.load(state, PLAYLIST) == LISTS
        assert skip_lists.load(state, OTHER) == {b"/y.m3u": [b"/m/y.mp3"]}
        assert skip_lists.load(state, b"/none.m3u") == {}


@pytest.mark.damages_state
@pytest.mark.parametrize("damage", ["paths = x'00'", "paths = 'text'", "list = 7"])
def test_a_damaged_row_costs_that_row(home: Path, damage: str) -> None:
    with State() as state:
        skip_lists.save(state, PLAYLIST, {b"/never.m3u": [b"/m/a.mp3"]})
        skip_lists.save(state, OTHER, {b"/y.m3u": [b"/m/y.mp3"]})
    with sqlite3.connect(state_file(home)) as database:
        database.execute(f"UPDATE skip_list SET {damage} WHERE playlist = ?", (PLAYLIST,))
    database.close()

    with State() as state:
        assert skip_lists.load(state, PLAYLIST) == {}
        assert skip_lists.load(state, OTHER) == {b"/y.m3u": [b"/m/y.mp3"]}
        assert len(state.notes) == 1
