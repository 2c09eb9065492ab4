"""Sattolo: every n-cycle exactly equally likely, and no entry twice running at the same position."""

import itertools
import math
from fractions import Fraction

import pytest

from playshuffle.shuffle import System, pinned, sattolo
from tests.shuffle.all_draws import distribution, is_uniform_over, replay


def cycle_length(permutation: tuple[int, ...]) -> int:
    """How many steps lead from position 0 back to it."""
    steps, position = 1, permutation[0]
    while position != 0:
        steps, position = steps + 1, permutation[position]
    return steps


def is_even(order: list[int]) -> bool:
    return sum(a > b for a, b in itertools.combinations(order, 2)) % 2 == 0


@pytest.mark.parametrize("count", range(2, 8))
def test_exactly_one_sequence_of_draws_gives_each_full_cycle(count: int) -> None:
    cycles = [p for p in itertools.permutations(range(count)) if cycle_length(p) == count]
    shares = distribution(lambda randbelow: tuple(sattolo(range(count), randbelow)))

    assert len(cycles) == math.factorial(count - 1)
    assert is_uniform_over(shares, cycles)
    assert set(shares.values()) == {Fraction(1, len(cycles))}


@pytest.mark.parametrize("order", [[], [5]])
def test_sattolo_leaves_fewer_than_two_entries_as_they_are(order: list[int]) -> None:
    assert sattolo(order, replay()) == order


def test_sattolo_gives_the_expected_order_for_given_draws() -> None:
    """The published steps: after each, shuffling the entries below it gives the same end."""
    draws = [6, 4, 4, 1, 1, 3, 0, 1, 0]
    steps = [
        "0123456789", "0123459786", "0123859746", "0123759846", "0923751846",
        "0523791846", "0527391846", "7520391846", "7250391846", "2750391846",
    ]  # fmt: skip
    for done, step in enumerate(steps):
        order = [int(digit) for digit in step]
        position = 10 - done

        result = sattolo(order[:position], replay(*draws[done:])) + order[position:]
        assert result == list(map(int, steps[-1]))


@pytest.mark.parametrize("count", [6, 7])
def test_repeated_sattolo_stays_in_one_half_of_all_orders_if_n_is_odd_and_alternates_if_even(
    count: int,
) -> None:
    order = list(range(count))
    for round_number in range(1, 100):
        order = sattolo(order, System())
        assert is_even(order) == (count % 2 == 1 or round_number % 2 == 0)


def test_a_pin_lets_repeated_sattolo_reach_the_other_half_of_all_orders() -> None:
    assert not is_even(pinned(range(7), [3], sattolo, System()))
