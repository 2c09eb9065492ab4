"""Shuffle all but pinned entries, or a part of an order, or by a few swaps."""

import itertools
from collections import Counter

import pytest

from playshuffle.shuffle import Shuffle, durstenfeld, fisher_yates, part, pinned, semi_shuffle
from tests.shuffle.all_draws import distribution, is_uniform_over, replay


@pytest.mark.parametrize("pins", [(), (0,), (4,), (1, 3), (0, 1, 2), (0, 2, 3, 4), (0, 1, 2, 3, 4)])
@pytest.mark.parametrize("shuffle", [durstenfeld, fisher_yates])
def test_all_orders_that_keep_the_pinned_entries_in_place_are_equally_likely(
    shuffle: Shuffle, pins: tuple[int, ...]
) -> None:
    order = range(10, 15)
    shares = distribution(lambda randbelow: tuple(pinned(order, pins, shuffle, randbelow)))
    allowed = [
        p for p in itertools.permutations(order) if all(p[position] == order[position] for position in pins)
    ]

    assert is_uniform_over(shares, allowed)


@pytest.mark.parametrize(
    "positions",
    [*map(range, (0, 1, 6)), range(2, 5), range(0, 6, 2), range(1, 6, 2), range(1, 6, 3), range(4, 0, -2)],
    ids=str,
)
def test_exactly_the_entries_at_the_positions_of_a_part_are_shuffled_uniformly(positions: range) -> None:
    order = range(10, 16)
    shares = distribution(lambda randbelow: tuple(part(order, positions, durstenfeld, randbelow)))
    allowed = [
        p
        for p in itertools.permutations(order)
        if all(p[at] == order[at] for at in set(range(6)) - set(positions))
    ]

    assert is_uniform_over(shares, allowed)


def test_the_given_shuffle_gets_the_entries_of_a_part_in_the_order_of_its_positions() -> None:
    shuffled = part(range(6), range(1, 6, 2), lambda entries, _: entries[::-1], replay())  # type: ignore[arg-type,return-value]

    assert shuffled == [0, 5, 2, 3, 4, 1]


@pytest.mark.parametrize(
    ("count", "group", "skip", "swaps"),
    [(52, 1, 0, 26), (52, 13, 3, 14), (51, 13, 3, 13), (6, 2, 1, 0), (6, 1, 9, 0), (2, 1, 0, 1)],
)
def test_the_number_of_swaps_in_a_semi_shuffle_is_half_the_entries_less_the_skipped_swaps(
    count: int, group: int, skip: int, swaps: int
) -> None:
    """`skip` swaps are omitted for each multiple of `group`: 4 times 3 of the 26 swaps of 52 entries."""
    bounds = Counter[int]()

    def randbelow(bound: int) -> int:
        bounds[bound] += 1
        return 0

    semi_shuffle(range(count), group, skip, randbelow)

    assert bounds == ({count: 2 * swaps} if swaps else {})


def test_each_swap_of_a_semi_shuffle_exchanges_the_entries_at_two_drawn_positions() -> None:
    assert semi_shuffle(range(5), 1, 0, replay(0, 4, 4, 1)) == [4, 0, 2, 3, 1]
