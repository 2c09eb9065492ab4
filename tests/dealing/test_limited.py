"""Deals with a limit for each value: as many full ones as there can be, and these first."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.dealing.deck import Deck
from playshuffle.dealing.limited import LimitedPerValue
from playshuffle.dealing.next_deal import next_deal
from playshuffle.dealing.sizes import ByCount, ByTime
from playshuffle.shuffle import RandBelow, Seeded
from tests.shuffle.all_draws import distribution
from tests.support.decks import Uniform, tracks

TODAY = date(2026, 11, 21)


def limited(counts: Sequence[int], size: int, limit: int) -> tuple[list[int], LimitedPerValue]:
    """Return a library with that number of tracks for each value, and the size of its deals."""
    here = tracks(sum(counts))
    numbers = [value for value, count in enumerate(counts) for _ in range(count)]
    return here, LimitedPerValue(ByCount(size), limit, dict(zip(here, numbers, strict=True)))


def rounds(
    here: Sequence[int], size: LimitedPerValue, randbelow: RandBelow, count: int, gap: int = 0
) -> list[list[Deck]]:
    """Return the deck after each deal that began in the first rounds."""
    law = Uniform(randbelow, gap)
    deck = Deck()
    found: list[list[Deck]] = [[] for _ in range(count)]
    for day in range(1000):
        deck = next_deal(deck, here, law, size, TODAY + timedelta(days=day))
        assert deck.deal is not None
        if deck.deal.round > count:
            return found
        found[deck.deal.round - 1].append(deck)
    raise AssertionError("the rounds do not end")


def dealt(deck: Deck) -> tuple[int, ...]:
    assert deck.deal is not None
    return deck.deal.entries


def sizes(decks: Sequence[Deck]) -> list[int]:
    return [len(dealt(deck)) for deck in decks]


@lru_cache(None)
def best(counts: tuple[int, ...], size: int, limit: int) -> tuple[int, int]:
    """Return the most full deals, and the fewest deals, that these tracks can be dealt in: tries all."""
    if not any(counts):
        return 0, 0
    full, fewest = 0, sum(counts)
    for taken in product(*(range(min(count, limit) + 1) for count in counts)):
        if 0 < sum(taken) <= size:
            rest = tuple(sorted(count - one for count, one in zip(counts, taken, strict=True)))
            rest_full, rest_fewest = best(rest, size, limit)
            full = max(full, rest_full + (sum(taken) == size))
            fewest = min(fewest, 1 + rest_fewest)
    return full, fewest


LIBRARIES = st.lists(st.integers(1, 5), min_size=1, max_size=5).filter(lambda counts: sum(counts) <= 10)


@given(counts=LIBRARIES, size=st.integers(1, 5), limit=st.integers(1, 3), seed=st.text(max_size=3))
def test_the_full_deals_are_as_many_as_there_can_be_and_come_first(
    counts: list[int], size: int, limit: int, seed: str
) -> None:
    """And the round has as few deals as it can have, with each track once."""
    here, deal_size = limited(counts, size, limit)
    full, fewest = best(tuple(sorted(counts)), size, limit)

    (decks,) = rounds(here, deal_size, Seeded(seed), 1)

    assert len(decks) == fewest
    assert sizes(decks)[:full] == [size] * full
    for deck in decks:
        assert max(Counter(deal_size.value_of[track] for track in dealt(deck)).values()) <= limit


@given(counts=LIBRARIES, size=st.integers(1, 5), limit=st.integers(1, 3), seed=st.text(max_size=3))
def test_the_short_deals_to_come_are_counted(counts: list[int], size: int, limit: int, seed: str) -> None:
    here, deal_size = limited(counts, size, limit)
    (decks,) = rounds(here, deal_size, Seeded(seed), 1)

    for number, deck in enumerate(decks[:-1], 1):
        later = sizes(decks[number:-1])  # the last one is filled from the next round
        assert deal_size.short_deals(deck.upcoming) == sum(length < size for length in later)


@given(counts=LIBRARIES, size=st.integers(1, 5), limit=st.integers(1, 3), seed=st.text(max_size=3))
def test_each_round_has_each_track_once_and_its_full_deals_first(
    counts: list[int], size: int, limit: int, seed: str
) -> None:
    here, deal_size = limited(counts, size, limit)
    three = rounds(here, deal_size, Seeded(seed), 3)
    played = [track for decks in three for deck in decks for track in dealt(deck)]

    for decks in three:
        assert sizes(decks[:-1]) == sorted(sizes(decks[:-1]), reverse=True)
    for start in range(0, 3 * len(here), len(here)):
        assert Counter(played[start : start + len(here)]) == Counter(here)


def test_an_artist_of_half_of_the_tracks_is_in_each_deal_and_others_fill_the_first_ones() -> None:
    """20 of 40, and one in each deal of ten: 20 deals, of which the other 20 tracks fill two."""
    here, deal_size = limited([20, *[1] * 20], 10, 1)
    for seed in map(str, range(20)):
        (decks,) = rounds(here, deal_size, Seeded(seed), 1)

        assert sizes(decks) == [10, 10, 3, *[1] * 16, 10]
        assert deal_size.short_deals(decks[0].upcoming) == 17


@pytest.mark.parametrize(("counts", "size"), [([3, 1, 1], 2), ([2, 2, 1], 2), ([3, 2], 3), ([2, 1, 1], 3)])
def test_each_track_of_a_value_is_as_likely_as_the_others(counts: list[int], size: int) -> None:
    here, deal_size = limited(counts, size, 1)

    def first_deal(randbelow: RandBelow) -> frozenset[int]:
        return frozenset(dealt(next_deal(Deck(), here, Uniform(randbelow, 0), deal_size, TODAY)))

    shares = distribution(first_deal)
    share_of = {track: sum(share for deal, share in shares.items() if track in deal) for track in here}
    for count in set(counts):
        alike = {share_of[track] for track in here if counts[deal_size.value_of[track]] == count}
        assert len(alike) == 1


@given(seed=st.text(max_size=3), size=st.integers(1, 9))
def test_a_limit_that_nothing_reaches_changes_no_deal(seed: str, size: int) -> None:
    here, deal_size = limited([3, 3, 2], size, 3)
    plain = [
        next_deal(Deck(), here, Uniform(Seeded(seed)), any_size, TODAY)
        for any_size in (deal_size, ByCount(size))
    ]

    assert plain[0] == plain[1]


@given(counts=LIBRARIES, seed=st.text(max_size=3))
def test_a_limit_works_with_time(counts: list[int], seed: str) -> None:
    here, by_count = limited(counts, 1, 1)
    deal_size = LimitedPerValue(ByTime(180_000, dict.fromkeys(here, 60_000)), 1, by_count.value_of)
    (decks,) = rounds(here, deal_size, Seeded(seed), 1)

    assert all(length <= 3 for length in sizes(decks))
    assert deal_size.short_deals(here) == 0
    for deck in decks:
        assert max(Counter(by_count.value_of[track] for track in dealt(deck)).values()) == 1
