"""Test that copies of a recording count as one track of a deck."""

from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.copies import join_copies
from playshuffle.dealing.deck import Deck
from tests.support.decks import check

TRACKS = list(range(1, 9))


@st.composite
def decks(draw: st.DrawFn) -> Deck:
    order = draw(st.permutations(TRACKS))
    cuts = sorted(draw(st.lists(st.integers(0, 8), min_size=3, max_size=3)))
    dealt, upcoming, missing = (tuple(order[start:end]) for start, end in zip([0, *cuts], cuts, strict=False))
    return Deck(dealt=dealt, upcoming=upcoming, missing=missing, tail=tuple(draw(st.permutations(TRACKS))))


def test_a_copy_that_was_dealt_stays_beside_the_one_that_is_kept() -> None:
    deck = join_copies(Deck(dealt=(1, 2), upcoming=(3, 4)), {1: 9, 3: 8})

    assert (deck.dealt, deck.upcoming) == ((1, 9, 2), (8, 4))


@given(decks(), st.dictionaries(st.sampled_from(TRACKS[:4]), st.sampled_from(TRACKS[4:])))
def test_a_joined_deck_is_sound_and_joining_again_changes_nothing(deck: Deck, kept: dict[int, int]) -> None:
    joined = join_copies(deck, kept)

    check(joined)
    assert join_copies(joined, kept) == joined
    assert not kept.keys() & set(joined.upcoming)
    assert all(kept[track] in joined.dealt for track in deck.dealt if track in kept)
    assert set(joined.dealt) >= set(deck.dealt)
