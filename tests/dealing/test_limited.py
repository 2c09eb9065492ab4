"""Deals with a limit for each value: tracks over the limit wait for the next deal."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deck
from playshuffle.dealing.sizes import ByCount, ByTime, Limited, Size
from playshuffle.shuffle import RandBelow, Seeded
from tests.shuffle.all_draws import distribution
from tests.support.decks import Uniform, deal_next, tracks

TODAY = date(2026, 11, 21)
LIBRARIES = st.lists(st.integers(1, 5), min_size=1, max_size=5)


def values(counts: Sequence[int]) -> dict[int, int]:
    """Return a library with that number of tracks for each value: the value of each track."""
    numbers = [value for value, count in enumerate(counts) for _ in range(count)]
    return dict(zip(tracks(len(numbers)), numbers, strict=True))


def entries(deck: Deck) -> tuple[int, ...]:
    assert deck.deal is not None
    return deck.deal.entries


@given(counts=LIBRARIES, size=st.integers(1, 5), limit=st.integers(1, 3), seed=st.text(max_size=3))
def test_no_deal_is_over_the_limit_and_each_round_has_each_track_once(
    counts: list[int], size: int, limit: int, seed: str
) -> None:
    value_of = values(counts)
    order = Uniform(Seeded(seed), 0)
    for plain in (ByCount(size), ByTime(size * 60_000, dict.fromkeys(value_of, 60_000))):
        deck, played = Deck(), list[int]()
        for day in range(3 * len(value_of)):
            deck = deal_next(
                deck, [*value_of], order, Limited(plain, limit, value_of), TODAY + timedelta(day)
            )
            played += entries(deck)
            assert 0 < len(entries(deck)) <= size
            assert max(Counter(map(value_of.__getitem__, entries(deck))).values()) <= limit

        for start in range(0, 3 * len(value_of), len(value_of)):
            assert Counter(played[start : start + len(value_of)]) == Counter([*value_of])


def test_tracks_over_the_limit_come_first_in_the_next_deal() -> None:
    value_of: Mapping[int, int] = {1: 0, 2: 0, 3: 0, 4: 1, 5: 2}
    deck = Deck(upcoming=(1, 2, 3, 4, 5), round=1, order="random")
    size = Limited(ByCount(2), 1, value_of)
    dealt = []
    for day in range(3):
        deck = deal_next(deck, [*value_of], Uniform(Seeded("x"), 0), size, TODAY + timedelta(day))
        dealt.append(entries(deck))
    assert dealt[:2] == [(1, 4), (2, 5)]
    assert dealt[2][0] == 3


@pytest.mark.parametrize(("counts", "size"), [([3, 1, 1], 2), ([2, 2, 1], 2), ([3, 2], 3), ([2, 1, 1], 3)])
def test_each_track_of_a_limited_value_is_equally_likely(counts: list[int], size: int) -> None:
    value_of = values(counts)
    deal_size = Limited(ByCount(size), 1, value_of)

    def first_deal(randbelow: RandBelow) -> frozenset[int]:
        return frozenset(entries(deal_next(Deck(), [*value_of], Uniform(randbelow, 0), deal_size, TODAY)))

    shares = distribution(first_deal)
    share_of = {track: sum(share for deal, share in shares.items() if track in deal) for track in value_of}
    for value in range(len(counts)):
        assert len({share for track, share in share_of.items() if value_of[track] == value}) == 1


@given(seed=st.text(max_size=3), size=st.integers(1, 9))
def test_a_limit_that_no_value_reaches_changes_no_deal(seed: str, size: int) -> None:
    value_of = values([3, 3, 2])
    sizes: tuple[Size, Size] = (ByCount(size), Limited(ByCount(size), 3, value_of))
    plain, limited = (deal_next(Deck(), [*value_of], Uniform(Seeded(seed)), any_, TODAY) for any_ in sizes)

    assert plain == limited
