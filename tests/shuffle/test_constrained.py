"""Pins, parts, the semi-shuffle: what stays stays, what moves is uniform."""

import itertools
from collections import Counter

import pytest

from playshuffle.shuffle import (
    Shuffle,
    System,
    durstenfeld,
    fisher_yates,
    part,
    pinned,
    sattolo,
    semi_shuffle,
)
from tests.shuffle.all_draws import distribution, is_uniform_over, replay


@pytest.mark.parametrize("pins", [(), (0,), (4,), (1, 3), (0, 1, 2), (0, 2, 3, 4), (0, 1, 2, 3, 4)])
@pytest.mark.parametrize("shuffle", [durstenfeld, fisher_yates])
def test_all_orders_with_the_pins_are_equally_likely(shuffle: Shuffle, pins: tuple[int, ...]) -> None:
    order = range(10, 15)
    shares = distribution(lambda randbelow: tuple(pinned(order, pins, shuffle, randbelow)))
    allowed = [
        p for p in itertools.permutations(order) if all(p[position] == order[position] for position in pins)
    ]

    assert is_uniform_over(shares, allowed)


def test_sattolo_with_a_pin_moves_all_other_entries() -> None:
    shares = distribution(lambda randbelow: tuple(pinned(range(5), {2}, sattolo, randbelow)))

    assert len(shares) == 6
    assert all([e for p, e in enumerate(order) if p == e] == [2] for order in shares)


@pytest.mark.parametrize("position", [-1, 3])
def test_a_pin_beyond_the_order_is_refused(position: int) -> None:
    with pytest.raises(ValueError, match="pinned beyond"):
        pinned([1, 2, 3], [position], durstenfeld, System())


@pytest.mark.parametrize(
    "positions",
    [
        range(0),
        range(1),
        range(6),
        range(2, 5),
        range(0, 6, 2),
        range(1, 6, 2),
        range(1, 6, 3),
        range(4, 0, -2),
    ],
    ids=str,
)
def test_only_the_positions_of_the_part_are_shuffled(positions: range) -> None:
    order = range(10, 16)
    shares = distribution(lambda randbelow: tuple(part(order, positions, durstenfeld, randbelow)))
    allowed = [
        p
        for p in itertools.permutations(order)
        if all(p[at] == order[at] for at in set(range(6)) - set(positions))
    ]

    assert is_uniform_over(shares, allowed)


@pytest.mark.parametrize("positions", [range(-1, 2), range(7), range(5, 10, 4), range(2, -2, -1)], ids=str)
def test_a_part_beyond_the_order_is_refused(positions: range) -> None:
    with pytest.raises(ValueError, match="beyond"):
        part(range(6), positions, durstenfeld, System())


def test_the_entries_of_a_part_are_passed_to_the_shuffle_in_their_order() -> None:
    shuffled = part(range(6), range(1, 6, 2), lambda entries, _: entries[::-1], replay())  # type: ignore[arg-type,return-value]

    assert shuffled == [0, 5, 2, 3, 4, 1]


@pytest.mark.parametrize(
    ("count", "group", "skip", "swaps"),
    [
        (52, 1, 0, 26),
        (52, 13, 3, 14),
        (51, 13, 3, 13),
        (6, 2, 1, 0),
        (6, 1, 9, 0),
        (0, 1, 0, 0),
        (1, 1, 0, 0),
        (2, 1, 0, 1),
    ],
)
def test_a_semi_shuffle_makes_one_swap_for_every_two_entries_less_the_skipped_swaps(
    count: int, group: int, skip: int, swaps: int
) -> None:
    """Twelve fewer for 52 entries in groups of 13 with 3 skipped."""
    bounds = Counter[int]()

    def randbelow(bound: int) -> int:
        bounds[bound] += 1
        return 0

    semi_shuffle(range(count), group, skip, randbelow)

    assert bounds == ({count: 2 * swaps} if swaps else {})


def test_a_semi_shuffle_swaps_the_entries_at_each_pair_of_drawn_positions() -> None:
    assert semi_shuffle(range(5), 1, 0, replay(0, 4, 4, 1)) == [4, 0, 2, 3, 1]


@pytest.mark.parametrize(("group", "skip"), [(0, 0), (1, -1)])
def test_a_semi_shuffle_refuses_a_group_below_one_and_a_negative_skip(group: int, skip: int) -> None:
    with pytest.raises(ValueError, match="no swaps"):
        semi_shuffle([1, 2], group, skip, System())
