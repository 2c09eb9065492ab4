"""Deals: every ordered selection equally likely, and never more work than was asked for."""

import itertools
import tracemalloc

import pytest

from playshuffle.shuffle import Seeded, System, deal, forward_durstenfeld, sparse_deal
from tests.shuffle.all_draws import distribution, is_uniform_over


@pytest.mark.parametrize(("size", "count"), [(n, k) for n in range(7) for k in range(n + 1)])
def test_every_ordered_selection_is_equally_likely_to_be_dealt(size: int, count: int) -> None:
    order = range(10, 10 + size)
    shares = distribution(lambda randbelow: tuple(deal(order, count, randbelow)[0]))

    assert is_uniform_over(shares, list(itertools.permutations(order, count)))


@pytest.mark.parametrize(("size", "count"), [(n, k) for n in range(7) for k in range(n + 1)])
def test_a_sparse_deal_equals_an_ordinary_deal_with_the_same_draws(size: int, count: int) -> None:
    """Under every sequence of draws."""
    shares = distribution(lambda randbelow: tuple(sparse_deal(size, count, randbelow)))
    pairs = distribution(lambda randbelow: tuple(deal(range(size), count, randbelow)[0]))

    assert shares == pairs


def test_the_same_draws_give_the_same_deal_sparse_deal_and_forward_shuffle() -> None:
    for count in (0, 1, 50, 999, 1000):
        dealt, rest = deal(range(1000), count, Seeded("deal"))

        assert dealt == sparse_deal(1000, count, Seeded("deal"))
        assert sorted(dealt + rest) == list(range(1000))
    assert dealt == forward_durstenfeld(range(1000), Seeded("deal"))


def test_dealing_fifty_of_a_thousand_million_entries_needs_memory_for_fifty() -> None:
    tracemalloc.start()
    dealt = sparse_deal(10**9, 50, System())
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(set(dealt)) == 50
    assert all(0 <= entry < 10**9 for entry in dealt)
    assert peak_bytes < 100_000


def test_a_sparse_deal_works_for_more_entries_than_a_30_bit_word_counts() -> None:
    dealt = sparse_deal(10**15, 100, Seeded("far"))

    assert len(set(dealt)) == 100
    assert max(dealt) > 1 << 48


@pytest.mark.parametrize("count", [-1, 4])
def test_a_deal_of_more_entries_than_the_order_has_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="cannot deal"):
        deal([1, 2, 3], count, System())
    with pytest.raises(ValueError, match="cannot deal"):
        sparse_deal(3, count, System())
