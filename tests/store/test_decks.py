"""Decks are loaded as they were saved."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deal, Deck
from playshuffle.dealing.period import Every
from playshuffle.store import decks
from playshuffle.store.state import State

LIST = b"/m/today.m3u"
TRACKS = [b"/m/%d \xff\xc3\xa4.mp3" % number for number in range(12)]
MARKS = dict.fromkeys(TRACKS, bytes(32))


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
        order="albums",
        deal=deal,
        is_ended=draw(st.booleans()),
    )


@given(any_deck())
def test_a_deck_is_loaded_as_it_was_saved(deck: Deck) -> None:
    with State() as state:
        decks.save(state, LIST, deck, "1-1", MARKS, None, [])
        loaded = decks.load(state, LIST)

        assert loaded is not None
        assert (loaded.deck, loaded.content) == (deck, "1-1")
        assert decks.load_all(state) == [(LIST, deck)]
        assert decks.deck_paths(state) == [LIST]


@pytest.mark.damages_state
def test_a_damaged_deck_is_omitted() -> None:
    with State() as state:
        deck = Deck(tuple(TRACKS[:2]), tuple(TRACKS[2:]), round=1)
        decks.save(state, LIST, deck, "1-1", MARKS, None, [])
        state.change(LIST, lambda database: database.execute("UPDATE deck SET places = substr(places, 5)"))

        assert decks.load_all(state) == []
        assert "was damaged" in state.notes[0]
