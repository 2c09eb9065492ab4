"""The seam between the list played last and the next one, with pins."""

from collections.abc import Mapping
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle import shuffle
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.ordering.seam import after_gap
from playshuffle.shuffle import Seeded
from tests.shuffle.all_draws import distribution, is_uniform_over


def permitted(fresh: list[int], played: list[int], gap: int, pins: Mapping[int, int]) -> set[tuple[int, ...]]:
    """All orders with these pins in which no other track comes back too soon."""
    return {
        order
        for order in permutations(fresh + played)
        if all(order[place] == index for place, index in pins.items())
        and all(
            len(played) - played.index(index) + place >= gap
            for place, index in enumerate(order)
            if index in played and place not in pins
        )
    }


@pytest.mark.parametrize("fresh", [[], [7], [8, 7, 9]])
@pytest.mark.parametrize("gap", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("pins", [{}, {0: 1}, {1: 0, 2: 2}], ids=str)
def test_every_permitted_order_is_equally_likely(fresh: list[int], gap: int, pins: dict[int, int]) -> None:
    """Under every sequence of draws, whatever was not played, and whatever is pinned.

    Refused is also a gap larger than the library that pins alone would make possible.
    """
    played = [1, 0, 2]
    members = permitted(fresh, played, gap, pins)

    if not members or gap > len(fresh) + len(played):
        with pytest.raises(PlayshuffleError, match="take a smaller") as caught:
            after_gap(fresh, played, gap, pins, Seeded("1"))
        assert caught.value.code == Exit.USAGE
    else:
        shares = distribution(lambda draw: tuple(after_gap(fresh, played, gap, pins, draw)))
        assert is_uniform_over(shares, members)


@pytest.mark.parametrize("gap", [1, 2, 3, 4, 5])
def test_without_pins_and_news_it_is_the_gap_of_the_core(gap: int) -> None:
    played = [3, 1, 4, 0, 2]

    assert distribution(lambda draw: tuple(after_gap([], played, gap, {}, draw))) == distribution(
        lambda draw: tuple(shuffle.after_gap(played, gap, draw))
    )


def test_all_pinned_is_an_order_too() -> None:
    assert after_gap([1], [0], 2, {0: 0, 1: 1}, Seeded("1")) == [0, 1]


@given(st.integers(0, 40), st.integers(0, 40), st.data())
def test_draws_in_bulk_give_the_order_of_the_same_draws_one_by_one(
    fresh: int, played: int, data: st.DataObject
) -> None:
    count = fresh + played
    gap = data.draw(st.integers(0, count))
    news, olds = range(fresh), range(fresh, count)

    in_bulk = after_gap(news, olds, gap, {}, Seeded("1"))

    assert in_bulk == after_gap(news, olds, gap, {}, Seeded("1").__call__)
    assert sorted(in_bulk) == list(range(count))
