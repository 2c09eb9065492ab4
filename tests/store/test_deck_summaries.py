"""A deck in short says the same as the whole deck, without the paths of the library."""

import json
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deal, Deck
from playshuffle.dealing.describe import deck_facts, deck_line
from playshuffle.dealing.period import Every
from playshuffle.store import decks
from playshuffle.store.deck_summaries import summaries, summary
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
def test_a_summary_says_what_the_whole_deck_says(deck: Deck) -> None:
    with State() as state:
        decks.save(state, LIST, deck, "1-1", MARKS, None, [], request="7-7")
        short, loaded = summary(state, LIST), decks.load(state, LIST)

    assert short is not None
    assert loaded is not None
    assert loaded.deck == deck
    assert (short.deal, short.content, short.request) == (deck.deal, "1-1", "7-7")
    assert deck_facts(short) == deck_facts(deck)
    if deck.track_count or not deck.round or deck.is_ended:
        assert deck_line(short) == deck_line(deck)


def test_a_deal_that_an_older_version_stored_keeps_its_tracks() -> None:
    """It stored the tracks of the deal behind those of the deck, as numbers."""
    deal = Deal(date(2026, 3, 1), tuple(TRACKS[:2]), 1, 1, 6, is_pending=False)
    deck = Deck(tuple(TRACKS[:2]), tuple(TRACKS[2:]), round=1, order="random", deal=deal)
    with State() as state:
        decks.save(state, LIST, deck, "1-1", MARKS, None, [])
        [(text, places)] = state.rows("SELECT facts, places FROM deck")
        facts = json.loads(text)
        facts["parts"].append(2)
        del facts["deal"]["entries"], facts["request"]
        places += places[:8]
        values = (json.dumps(facts), places)
        state.change(LIST, lambda data: data.execute("UPDATE deck SET facts = ?, places = ?", values))

        loaded = decks.load(state, LIST)
        assert loaded is not None
        assert (loaded.deck, loaded.request) == (deck, "")
        [(_, short)] = summaries(state)
        assert deck_facts(short) == deck_facts(deck)
        assert short.deal == deal


@pytest.mark.damages_state
def test_a_damaged_deck_is_no_part_of_the_summaries() -> None:
    with State() as state:
        deck = Deck(tuple(TRACKS[:2]), tuple(TRACKS[2:]), round=1)
        decks.save(state, LIST, deck, "1-1", MARKS, None, [])
        state.change(LIST, lambda database: database.execute("UPDATE deck SET places = substr(places, 5)"))

        assert summaries(state) == []
        assert "was damaged" in state.notes[0]
