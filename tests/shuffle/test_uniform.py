"""Uniform shuffles: each of the n! orders is exactly equally likely; published examples are reproduced."""

import itertools
import math
from fractions import Fraction

import pytest

from playshuffle.shuffle import (
    RandBelow,
    Seeded,
    Shuffle,
    by_keys,
    durstenfeld,
    fisher_yates,
    forward_durstenfeld,
    from_table,
    insertion,
    inside_out,
    top_in_at_random,
)
from tests.shuffle.all_draws import distribution, is_uniform_over, replay

DIRECT: list[Shuffle] = [durstenfeld, forward_durstenfeld, fisher_yates, inside_out, insertion, from_table]


@pytest.mark.parametrize("count", range(7))
@pytest.mark.parametrize("shuffle", DIRECT)
def test_each_order_results_from_exactly_one_sequence_of_draws(shuffle: Shuffle, count: int) -> None:
    """So each of the n! orders is equally likely."""
    order = range(10, 10 + count)
    shares = distribution(lambda randbelow: tuple(shuffle(order, randbelow)))

    assert is_uniform_over(shares, list(itertools.permutations(order)))
    assert set(shares.values()) == {Fraction(1, math.factorial(count))}


@pytest.mark.parametrize("count", range(4))
def test_sorting_by_random_keys_gives_all_orders_equally_likely_if_no_keys_are_equal(count: int) -> None:
    """In the runs without equal keys; after equal keys all are drawn again, so these runs decide."""
    shares = distribution(lambda randbelow: tuple(by_keys(range(count), randbelow)), draw_limit=count)

    assert is_uniform_over(shares, list(itertools.permutations(range(count))))


def test_if_two_random_keys_are_equal_all_keys_are_drawn_again() -> None:
    assert by_keys([7, 8, 9], replay(5, 5, 1, 2, 1, 0)) == [9, 8, 7]


@pytest.mark.parametrize(("count", "moves"), [(2, 6), (3, 8), (4, 7)])
def test_top_in_at_random_makes_all_orders_equally_likely_however_many_moves_a_run_takes(
    count: int, moves: int
) -> None:
    """Among the runs that stop after the same number of moves each order is equally likely."""

    def run(randbelow: RandBelow) -> tuple[tuple[int, ...], int]:
        taken = 0

        def counted(bound: int) -> int:
            nonlocal taken
            taken += 1
            return randbelow(bound)

        return tuple(top_in_at_random(range(count), counted)), taken

    shares = distribution(run, draw_limit=moves)

    for taken in {taken for _, taken in shares}:
        stopped = {order: share for (order, at), share in shares.items() if at == taken}
        assert is_uniform_over(stopped, list(itertools.permutations(range(count))))


def test_durstenfeld_reproduces_the_steps_of_a_published_example() -> None:
    """Each published step is reached by letting the draws that follow swap nothing."""
    draws = [4, 0, 0, 2, 2, 0]
    steps = ["0123654", "5123604", "6123504", "6132504", "6132504", "1632504"]
    stay = [6, 5, 4, 3, 2, 1]
    reached = [durstenfeld(range(7), replay(*draws[:k], *stay[k:])) for k in range(1, 7)]

    assert ["".join(map(str, order)) for order in reached] == steps


def test_forward_durstenfeld_reproduces_a_published_example() -> None:
    partners = [5, 3, 6, 4, 5, 6]
    ahead = [partner - position for position, partner in enumerate(partners)]

    assert forward_durstenfeld(range(7), replay(*ahead)) == [5, 3, 6, 4, 0, 2, 1]


def test_fisher_yates_reproduces_a_published_example() -> None:
    assert fisher_yates(range(7), replay(5, 3, 4, 3, 0, 1)) == [5, 3, 6, 4, 0, 2, 1]


def test_inside_out_shuffles_an_iterator_of_unknown_length() -> None:
    """Each entry takes one draw."""
    assert inside_out(iter([7, 8, 9]), replay(0, 0, 1)) == [8, 9, 7]


def test_the_last_row_of_the_table_of_permutations_is_the_reversed_order() -> None:
    assert from_table(range(8), replay(math.factorial(8) - 1)) == [7, 6, 5, 4, 3, 2, 1, 0]


def test_top_in_at_random_takes_n_times_the_nth_harmonic_number_of_moves_on_average() -> None:
    """About 130 for 32 entries; the mean of 400 runs is off by 2 as a rule, by 12 once in 10⁹ cases."""
    source = Seeded("moves")
    moves = 0

    def counted(bound: int) -> int:
        nonlocal moves
        moves += 1
        return source(bound)

    for _ in range(400):
        top_in_at_random(range(32), counted)

    assert abs(moves / 400 - 130) < 12
