"""The gap: all orders that keep it, and no other, each equally likely."""

import itertools
from collections.abc import Mapping

import pytest

from playshuffle.shuffle import System, after_gap, not_before
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


@pytest.mark.parametrize(
    "soonest", [{}, {1: 2}, {0: 4}, {0: 1, 1: 1, 2: 1, 3: 1}, {0: 4, 1: 2, 2: 3}, {3: 2, 4: 2, 9: 5}], ids=str
)
def test_all_orders_in_which_nothing_comes_too_early_are_equally_likely(soonest: Mapping[int, int]) -> None:
    order = [3, 1, 4, 0, 2]
    shares = distribution(lambda randbelow: tuple(not_before(order, soonest, randbelow)))

    assert is_uniform_over(
        shares,
        [
            new
            for new in itertools.permutations(order)
            if all(place >= soonest.get(entry, 0) for place, entry in enumerate(new))
        ],
    )


@pytest.mark.parametrize("gap", [1, 2, 3, 4, 5])
def test_a_gap_is_a_first_place_for_each_of_the_last(gap: int) -> None:
    soonest = {entry: gap - 5 + entry for entry in range(5)}

    assert distribution(lambda draw: tuple(not_before(range(5), soonest, draw))) == distribution(
        lambda draw: tuple(after_gap(range(5), gap, draw))
    )


@pytest.mark.parametrize("soonest", [{0: 1, 1: 1, 2: 1}, {0: 3}, {0: 2, 1: 2}])
def test_first_places_that_leave_a_place_empty_are_refused(soonest: Mapping[int, int]) -> None:
    with pytest.raises(ValueError, match="no entry may have place"):
        not_before(range(3), soonest, System())
