"""Deals: every ordered selection of entries is equally likely. A sparse deal costs what it deals."""

import itertools
import tracemalloc

import pytest

from playshuffle.shuffle import System, deal, forward_durstenfeld, sparse_deal
from tests.shuffle.all_draws import distribution, is_uniform_over


@pytest.mark.parametrize(("size", "count"), [(n, k) for n in range(7) for k in range(n + 1)])
def test_every_ordered_selection_of_the_entries_is_equally_likely_to_be_dealt(size: int, count: int) -> None:
    order = range(10, 10 + size)
    shares = distribution(lambda randbelow: tuple(deal(order, count, randbelow)[0]))

    assert is_uniform_over(shares, list(itertools.permutations(order, count)))


@pytest.mark.parametrize(("size", "count"), [(n, k) for n in range(7) for k in range(n + 1)])
def test_a_sparse_deal_equals_an_ordinary_deal_with_the_same_draws(size: int, count: int) -> None:
    """For every sequence of draws; a deal of all entries is a forward shuffle."""
    deals = distribution(lambda randbelow: tuple(deal(range(size), count, randbelow)[0]))

    assert distribution(lambda randbelow: tuple(sparse_deal(size, count, randbelow))) == deals
    if count == size:
        assert distribution(lambda randbelow: tuple(forward_durstenfeld(range(size), randbelow))) == deals


def test_a_sparse_deal_of_fifty_from_a_million_billion_entries_needs_memory_for_fifty() -> None:
    tracemalloc.start()
    dealt = sparse_deal(10**15, 50, System())
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(set(dealt)) == 50
    assert 0 <= min(dealt) <= 1 << 48 < max(dealt) < 10**15, "entries of 50 bits"
    assert peak_bytes < 100_000
