"""The gap: exactly the orders that keep it can result, each equally likely; pinned entries stay pinned."""

import itertools
from collections.abc import Mapping, Sequence

import pytest

from playshuffle.shuffle import EmptyPositionError, System, not_before, soonest_after
from tests.shuffle.all_draws import distribution, is_uniform_over


def keeps_gap(old: range, new: tuple[int, ...], gap: int) -> bool:
    return all(len(old) - old.index(entry) + position >= gap for position, entry in enumerate(new))


@pytest.mark.parametrize(("count", "gap"), [(n, d) for n in range(1, 7) for d in range(n + 1)])
def test_all_orders_that_keep_the_gap_to_the_last_order_are_equally_likely(count: int, gap: int) -> None:
    old = range(10, 10 + count)
    shares = distribution(lambda draw: tuple(not_before(old, soonest_after(old, gap), draw)))

    assert is_uniform_over(shares, [new for new in itertools.permutations(old) if keeps_gap(old, new, gap)])


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


@pytest.mark.parametrize(
    "pins", [{}, {0: 1}, {1: 0, 2: 2}, {4: 3, 0: 4}, {0: 4, 1: 3, 2: 2, 3: 1, 4: 0}], ids=str
)
@pytest.mark.parametrize(
    "soonest", [{}, {1: 2}, {0: 4}, {0: 1, 1: 1, 2: 1, 3: 1}, {0: 4, 1: 2, 2: 3}, {3: 2, 4: 2, 9: 5}], ids=str
)
def test_all_orders_with_no_entry_before_its_first_allowed_position_are_equally_likely(
    soonest: Mapping[int, int], pins: Mapping[int, int]
) -> None:
    check_all_draws([3, 1, 4, 0, 2], soonest, pins)


@pytest.mark.parametrize("fresh", [[], [7], [8, 7, 9]])
@pytest.mark.parametrize("gap", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("pins", [{}, {0: 1}, {1: 0, 2: 2}], ids=str)
def test_entries_that_were_not_in_the_last_order_may_have_any_position_whatever_the_gap(
    fresh: list[int], gap: int, pins: dict[int, int]
) -> None:
    check_all_draws([*fresh, 1, 0, 2], soonest_after([1, 0, 2], gap), pins)


@pytest.mark.parametrize(
    ("soonest", "position"), [({0: 1, 1: 1, 2: 1}, 0), ({0: 3}, 2), ({0: 2, 1: 2}, 1)], ids=str
)
def test_if_no_entry_is_allowed_yet_at_a_position_the_error_names_the_first_such_position(
    soonest: Mapping[int, int], position: int
) -> None:
    with pytest.raises(EmptyPositionError, match="no entry may have position") as caught:
        not_before(range(3), soonest, System())

    assert caught.value.position == position
