"""The gap: all orders that keep it, and no other, each equally likely; pins hold."""

import itertools
from collections.abc import Mapping, Sequence

import pytest

from playshuffle.shuffle import EmptyPositionError, RandBelow, System, not_before, soonest_after
from tests.shuffle.all_draws import distribution, is_uniform_over


def after_gap(played: Sequence[int], gap: int, randbelow: RandBelow) -> list[int]:
    return not_before(played, soonest_after(played, gap), randbelow)


def keeps_gap(old: range, new: tuple[int, ...], gap: int) -> bool:
    return all(len(old) - old.index(entry) + position >= gap for position, entry in enumerate(new))


@pytest.mark.parametrize(("count", "gap"), [(n, d) for n in range(1, 7) for d in range(n + 1)])
def test_all_orders_that_keep_the_gap_are_equally_likely(count: int, gap: int) -> None:
    old = range(10, 10 + count)
    shares = distribution(lambda randbelow: tuple(after_gap(old, gap, randbelow)))

    assert is_uniform_over(shares, [new for new in itertools.permutations(old) if keeps_gap(old, new, gap)])


@pytest.mark.parametrize(("gap", "orders"), [(1, 720), (2, 600), (3, 384), (4, 162), (6, 1)])
def test_the_number_of_orders_of_six_tracks_that_keep_a_gap_is_the_published_one(
    gap: int, orders: int
) -> None:
    assert len(distribution(lambda randbelow: tuple(after_gap(range(6), gap, randbelow)))) == orders


def test_an_empty_order_accepts_any_gap() -> None:
    assert after_gap([], 0, System()) == after_gap([], 9, System()) == []


def test_a_gap_beyond_the_order_is_refused() -> None:
    with pytest.raises(EmptyPositionError, match="position 0"):
        after_gap(range(3), 4, System())


def check_all_draws(order: Sequence[int], soonest: Mapping[int, int], pins: Mapping[int, int]) -> None:
    """Check that all orders with these pins and no other entry too soon are equally likely."""
    members = {
        new
        for new in itertools.permutations(order)
        if all(new[at] == entry for at, entry in pins.items())
        and all(at >= soonest.get(entry, 0) for at, entry in enumerate(new) if at not in pins)
    }
    if not members:
        with pytest.raises(EmptyPositionError):
            not_before(order, soonest, System(), pins)
    else:
        shares = distribution(lambda randbelow: tuple(not_before(order, soonest, randbelow, pins)))
        assert is_uniform_over(shares, members)


@pytest.mark.parametrize("pins", [{}, {0: 1}, {1: 0, 2: 2}, {4: 3, 0: 4}], ids=str)
@pytest.mark.parametrize(
    "soonest", [{}, {1: 2}, {0: 4}, {0: 1, 1: 1, 2: 1, 3: 1}, {0: 4, 1: 2, 2: 3}, {3: 2, 4: 2, 9: 5}], ids=str
)
def test_all_orders_in_which_nothing_comes_too_soon_are_equally_likely(
    soonest: Mapping[int, int], pins: Mapping[int, int]
) -> None:
    check_all_draws([3, 1, 4, 0, 2], soonest, pins)


@pytest.mark.parametrize("fresh", [[], [7], [8, 7, 9]])
@pytest.mark.parametrize("gap", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("pins", [{}, {0: 1}, {1: 0, 2: 2}], ids=str)
def test_new_entries_may_have_any_position_in_an_order_that_keeps_a_gap(
    fresh: list[int], gap: int, pins: dict[int, int]
) -> None:
    check_all_draws([*fresh, 1, 0, 2], soonest_after([1, 0, 2], gap), pins)


@pytest.mark.parametrize(
    ("soonest", "position"), [({0: 1, 1: 1, 2: 1}, 0), ({0: 3}, 2), ({0: 2, 1: 2}, 1)], ids=str
)
def test_first_allowed_positions_that_leave_a_position_without_an_entry_are_refused(
    soonest: Mapping[int, int], position: int
) -> None:
    with pytest.raises(EmptyPositionError, match="no entry may have position") as caught:
        not_before(range(3), soonest, System())

    assert caught.value.position == position


@pytest.mark.parametrize("pins", [{3: 0}, {-1: 0}, {0: 9}, {0: 1, 1: 1}], ids=str)
def test_pins_with_a_position_or_an_entry_outside_the_order_are_refused(pins: Mapping[int, int]) -> None:
    with pytest.raises(ValueError, match="cannot have the pins"):
        not_before(range(3), {}, System(), pins)


def test_every_position_of_an_order_may_be_pinned() -> None:
    assert not_before([1, 0], {0: 1}, System(), {0: 0, 1: 1}) == [0, 1]
