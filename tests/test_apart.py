"""Swapping away what stands beside a pin and is of its group."""

from hypothesis import given
from hypothesis import strategies as st

from playshuffle.ordering.apart import part_from_pins
from playshuffle.ordering.groups import neighbours
from playshuffle.shuffle import Seeded
from tests.shuffle.all_draws import distribution, is_uniform_over


@st.composite
def pinned(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """An order, its pins, and the groups."""
    keys = draw(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    order = draw(st.permutations(range(len(keys))))
    return order, draw(st.lists(st.sampled_from(range(len(keys))), unique=True)), keys


@given(pinned())
def test_pins_stay_and_neighbours_never_become_more(case: tuple[list[int], list[int], list[int]]) -> None:
    order, pins, keys = case
    before = list(order)

    parted = part_from_pins(order, pins, keys, Seeded("1"))

    assert order == before
    assert sorted(parted) == sorted(order)
    assert all(parted[place] == order[place] for place in pins)
    assert neighbours([keys[index] for index in parted]) <= neighbours([keys[index] for index in order])


def test_a_neighbour_of_a_pin_changes_places_with_any_that_may_stand_there() -> None:
    """Two by A at the beginning: the second is as likely at each of the places where it does no harm."""
    keys = [0, 0, 1, 2, 3, 4]

    shares = distribution(lambda draw: tuple(part_from_pins([0, 1, 2, 3, 4, 5], [0], keys, draw)))

    assert is_uniform_over(
        shares, {(0, 2, 1, 3, 4, 5), (0, 3, 2, 1, 4, 5), (0, 4, 2, 3, 1, 5), (0, 5, 2, 3, 4, 1)}
    )


def test_where_only_one_group_is_left_nothing_is_swapped() -> None:
    assert part_from_pins([2, 1, 0], [0, 2], [0, 0, 0], Seeded("1")) == [2, 1, 0]
