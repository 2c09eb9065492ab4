"""Decks are loaded as they were saved."""

from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deal, Deck, mark_written
from playshuffle.dealing.period import Every
from playshuffle.store import decks
from playshuffle.store.state import State

LIST = b"/m/today.m3u"
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
        order="albums",
        deal=deal,
        unheard=tuple(draw(st.lists(st.sampled_from(TRACKS), max_size=9))),
        heard_from_s=draw(st.integers(0, 1 << 32)),
    )


@settings(max_examples=30)  # each of them waits for the disk
@given(any_deck())
def test_a_deck_is_loaded_as_it_was_saved(deck: Deck) -> None:
    with State() as state:
        decks.save(state, LIST, decks.StoredDeck(deck, "1-1", "{}"), None)
        loaded = decks.load(state, LIST)

        assert loaded == decks.StoredDeck(deck, "1-1", "{}")
        assert decks.load_all(state) == [(LIST, deck)]
        assert decks.deck_paths(state) == [LIST]


@settings(max_examples=30)
@given(any_deck(), any_deck(), any_deck())
def test_the_deck_before_the_last_deal_is_kept_until_the_next(first: Deck, second: Deck, third: Deck) -> None:
    with State() as state:
        decks.save(state, LIST, decks.StoredDeck(first, "1-1"), None)
        assert decks.load(state, LIST, 1) is None
        decks.save(state, LIST, decks.StoredDeck(second, "2-2"), decks.StoredDeck(first, "1-1"))
        decks.save(state, LIST, decks.StoredDeck(third, "3-3"), decks.StoredDeck(second, "2-2"))
        assert decks.load(state, LIST, 1) == decks.StoredDeck(second, "2-2")

        assert state.forget(LIST)
        assert (decks.load(state, LIST), decks.deck_paths(state), state.notes) == (None, [], [])


def test_a_deal_that_was_written_is_confirmed_and_nothing_else_changes() -> None:
    deck = Deck((1, 2), (3,), round=1, deal=Deal(date(2026, 3, 1), (1, 2), 1, 1, 2))
    with State() as state:
        decks.save(state, LIST, decks.StoredDeck(deck, "1-1", "{}"), decks.StoredDeck(deck, "0-0"))

        decks.confirm(state, LIST, decks.StoredDeck(deck, "1-1", "{}"))

        assert decks.load(state, LIST) == decks.StoredDeck(mark_written(deck), "1-1", "{}")
        assert decks.load(state, LIST, 1) == decks.StoredDeck(deck, "0-0")
