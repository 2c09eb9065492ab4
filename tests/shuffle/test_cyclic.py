"""Sattolo: every cyclic permutation of n entries is equally likely, so each entry changes its position."""

import itertools
import math
from fractions import Fraction

import pytest

from playshuffle.shuffle import System, pinned, sattolo
from tests.shuffle.all_draws import distribution, is_uniform_over, replay


def cycle_length(permutation: tuple[int, ...]) -> int:
    """Return the length of the cycle that contains position 0."""
    steps, position = 1, permutation[0]
    while position != 0:
        steps, position = steps + 1, permutation[position]
    return steps


def is_even(order: list[int]) -> bool:
    return sum(a > b for a, b in itertools.combinations(order, 2)) % 2 == 0


@pytest.mark.parametrize("count", range(2, 8))
def test_each_cyclic_permutation_of_all_entries_results_from_exactly_one_sequence_of_draws(
    count: int,
) -> None:
    cycles = [p for p in itertools.permutations(range(count)) if cycle_length(p) == count]
    shares = distribution(lambda randbelow: tuple(sattolo(range(count), randbelow)))

    assert len(cycles) == math.factorial(count - 1)
    assert is_uniform_over(shares, cycles)
    assert set(shares.values()) == {Fraction(1, len(cycles))}


def test_sattolo_reproduces_the_steps_of_a_published_example() -> None:
    """The published steps: from each of them, the remaining draws lead to the same last order."""
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
def test_sattolo_keeps_the_parity_of_an_order_with_an_odd_number_of_entries_and_else_changes_it(
    count: int,
) -> None:
    order = list(range(count))
    for round_number in range(1, 100):
        order = sattolo(order, System())
        assert is_even(order) == (count % 2 == 1 or round_number % 2 == 0)


def test_sattolo_with_a_pinned_entry_changes_the_parity_of_an_order_of_seven_entries() -> None:
    assert not is_even(pinned(range(7), [3], sattolo, System()))
