"""The bad shuffles, kept as specimens for the audit, have exactly the flaws that are known."""

import itertools
import math
from fractions import Fraction

import pytest

from playshuffle.shuffle import Seeded
from playshuffle.shuffle.specimens import (
    SPECIMENS,
    coin_sort,
    little_state,
    random_swaps,
    swap_any,
    tied_keys,
)
from tests.shuffle.all_draws import distribution, replay


def test_swapping_each_position_with_any_position_makes_orders_of_three_tracks_unequally_likely() -> None:
    """Of the 27 sequences of draws 4 or 5 give each order."""
    shares = distribution(lambda randbelow: tuple(swap_any(range(3), randbelow)))
    ways = [int(shares[order] * 27) for order in itertools.permutations(range(3))]

    assert ways == [4, 5, 5, 4, 5, 4]


def test_n_random_swaps_of_n_tracks_leave_about_one_track_in_seven_at_its_position() -> None:
    """The share is e⁻² or a little more; of 60,000 tracks it is off by 0.005 once in 10³ tests."""
    source = Seeded("swaps")
    stayed = sum(
        position == entry
        for _ in range(1000)
        for position, entry in enumerate(random_swaps(range(60), source))
    )

    assert math.exp(-2) < stayed / 60_000 < math.exp(-2) + 1 / 60 + 0.005


@pytest.mark.parametrize("count", [2, 3, 5])
def test_sorting_with_a_coin_for_each_comparison_leaves_the_last_track_last_half_of_the_time(
    count: int,
) -> None:
    shares = distribution(lambda randbelow: tuple(coin_sort(range(count), randbelow)))

    assert sum(share for order, share in shares.items() if order[-1] == count - 1) == Fraction(1, 2)


def test_sorting_by_few_random_keys_keeps_the_order_of_tracks_with_equal_keys() -> None:
    assert tied_keys([5, 6, 7, 8], replay(1, 0, 1, 0)) == [6, 8, 5, 7]


def test_a_random_generator_with_16_bits_of_state_reaches_few_of_the_orders_of_nine_tracks() -> None:
    """At most one order for each of the 2**16 states; 9 tracks have 362,880."""
    reached = distribution(lambda randbelow: tuple(little_state(range(9), randbelow)))
    bits = SPECIMENS["little-state"].entropy_bits

    assert bits == 16
    assert len(reached) <= 2**bits < math.factorial(9)
