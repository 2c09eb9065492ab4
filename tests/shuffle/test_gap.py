"""The gap: all orders that keep it, and no other, each equally likely."""

import itertools

import pytest

from playshuffle.shuffle import System, after_gap
from tests.shuffle.all_draws import distribution, is_uniform_over


def keeps_gap(old: range, new: tuple[int, ...], gap: int) -> bool:
    return all(len(old) - old.index(entry) + place >= gap for place, entry in enumerate(new))


@pytest.mark.parametrize(("count", "gap"), [(n, d) for n in range(1, 7) for d in range(n + 1)])
def test_all_orders_that_keep_the_gap_are_equally_likely(count: int, gap: int) -> None:
    old = range(10, 10 + count)
    shares = distribution(lambda randbelow: tuple(after_gap(old, gap, randbelow)))

    assert is_uniform_over(shares, [new for new in itertools.permutations(old) if keeps_gap(old, new, gap)])


@pytest.mark.parametrize(("gap", "orders"), [(1, 720), (2, 600), (3, 384), (4, 162), (6, 1)])
def test_six_tracks_have_as_many_orders_as_published(gap: int, orders: int) -> None:
    assert len(distribution(lambda randbelow: tuple(after_gap(range(6), gap, randbelow)))) == orders


def test_no_tracks_keep_no_gap() -> None:
    assert after_gap([], 0, System()) == after_gap([], 1, System()) == []


@pytest.mark.parametrize(("count", "gap"), [(3, -1), (3, 4), (0, 2)])
def test_a_gap_that_cannot_be_kept_is_refused(count: int, gap: int) -> None:
    with pytest.raises(ValueError, match="cannot keep"):
        after_gap(range(count), gap, System())


def test_a_long_seam_is_kept() -> None:
    old = range(2000)
    for _ in range(5):
        assert keeps_gap(old, tuple(after_gap(old, 500, System())), 500)
