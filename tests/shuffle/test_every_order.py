"""What holds for every shuffle: the same entries, the input unchanged, the same order for a seed."""

import math
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playshuffle import shuffle
from playshuffle.shuffle import RandBelow, Seeded, Shuffle, System, durstenfeld
from playshuffle.shuffle.specimens import SPECIMENS

KEYS = [entry % 3 for entry in range(100)]
ALBUMS = [entry % 7 for entry in range(100)]


def dealt_in_full(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    dealt, rest = shuffle.deal(order, len(order) // 2, randbelow)
    return dealt + rest


ORDERS: dict[str, Shuffle] = {
    "durstenfeld": shuffle.durstenfeld,
    "forward_durstenfeld": shuffle.forward_durstenfeld,
    "fisher_yates": shuffle.fisher_yates,
    "inside_out": shuffle.inside_out,
    "by_keys": shuffle.by_keys,
    "insertion": shuffle.insertion,
    "top_in_at_random": shuffle.top_in_at_random,
    "deal": dealt_in_full,
    "sattolo": shuffle.sattolo,
    "pinned": lambda order, draw: shuffle.pinned(order, range(0, len(order), 3), durstenfeld, draw),
    "part": lambda order, draw: shuffle.part(order, range(0, len(order), 2), durstenfeld, draw),
    "semi_shuffle": lambda order, draw: shuffle.semi_shuffle(order, 5, 1, draw),
    "not_before": lambda order, draw: shuffle.not_before(
        order, shuffle.soonest_after(order, len(order) // 2), draw
    ),
    "weighted": lambda order, draw: shuffle.weighted(order, range(1, 101), draw),
    "blocks": lambda order, draw: shuffle.blocks(order, KEYS, draw, "all"),
    "spread": lambda order, draw: shuffle.spread(order, KEYS, draw),
    "spread_within": lambda order, draw: shuffle.spread(order, KEYS, draw, ALBUMS),
    **{name: specimen.shuffle for name, specimen in SPECIMENS.items()},
}


@pytest.mark.parametrize("name", ORDERS)
@settings(max_examples=25)  # of each of two dozen orders
@given(order=st.lists(st.integers(0, 99), unique=True, max_size=30), seed=st.integers(0, 1 << 30))
def test_each_shuffle_returns_a_new_list_with_the_same_entries_and_leaves_its_input_unchanged(
    name: str, order: list[int], seed: int
) -> None:
    before = list(order)
    after = ORDERS[name](order, Seeded(str(seed)))

    assert sorted(after) == sorted(before)
    assert order == before
    assert after is not order


@pytest.mark.parametrize("name", ORDERS)
def test_each_shuffle_gives_the_same_order_with_its_draws_in_bulk_and_one_by_one(name: str) -> None:
    """A bound method counts as a plain function: it is called for each draw."""
    assert ORDERS[name](range(100), Seeded("1")) == ORDERS[name](range(100), Seeded("1").__call__)


DRAW = System()


@pytest.mark.parametrize(
    ("function", "arguments", "reason"),
    [
        *(
            (shuffle.move_apart, (range(3), [0, 0, 1], DRAW, first), "beyond an order of 3")
            for first in (-1, 4)
        ),
        *((shuffle.insert, (range(3), [3], DRAW, first), "beyond an order of 3") for first in (-1, 4)),
        *(
            (shuffle.insert_apart, (range(3), [3], [0] * 4, DRAW, first), "beyond an order")
            for first in (-1, 4)
        ),
        *((shuffle.insert_in_block, (range(3), [3], [0] * 4, DRAW, first), "beyond an") for first in (-1, 4)),
        *((shuffle.pinned, (range(3), [at], durstenfeld, DRAW), "pinned beyond") for at in (-1, 3)),
        *(
            (shuffle.part, (range(6), positions, durstenfeld, DRAW), "beyond")
            for positions in (range(-1, 2), range(7), range(5, 10, 4), range(2, -2, -1))
        ),
        *((shuffle.semi_shuffle, (range(2), *steps, DRAW), "no swaps") for steps in ((0, 0), (1, -1))),
        *((shuffle.deal, (range(3), count, DRAW), "cannot deal") for count in (-1, 4)),
        *((shuffle.sparse_deal, (3, count, DRAW), "cannot deal") for count in (-1, 4)),
        (shuffle.from_table, (range(9), DRAW), "too large"),
        *(
            (shuffle.not_before, (range(3), {}, DRAW, pins), "cannot have the pins")
            for pins in ({3: 0}, {-1: 0}, {0: 9}, {0: 1, 1: 1})
        ),
        *(
            (shuffle.weighted, (range(2), [1.0, weight], DRAW), "weight")
            for weight in (0.0, -1.0, math.inf, math.nan, 1e-101)
        ),
    ],
)
def test_shuffles_refuse_arguments_outside_of_their_documented_bounds(
    function: Callable[..., object], arguments: tuple[object, ...], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        function(*arguments)


# A change here breaks the promise that a seed keeps its order: say so in the changelog.
STABLE: dict[str, list[int]] = {
    "durstenfeld": [1, 4, 8, 3, 5, 0, 7, 6, 9, 2],
    "forward_durstenfeld": [2, 3, 8, 9, 4, 5, 1, 6, 0, 7],
    "fisher_yates": [2, 3, 8, 9, 0, 1, 7, 6, 4, 5],
    "inside_out": [9, 6, 7, 3, 0, 5, 2, 4, 8, 1],
    "by_keys": [8, 3, 2, 9, 7, 4, 1, 6, 0, 5],
    "insertion": [6, 5, 8, 1, 4, 0, 9, 3, 2, 7],
    "top_in_at_random": [1, 7, 9, 6, 5, 8, 4, 0, 3, 2],
    "deal": [2, 3, 8, 9, 4, 5, 6, 7, 0, 1],
    "sattolo": [6, 7, 9, 8, 3, 2, 1, 5, 0, 4],
    "pinned": [0, 8, 1, 3, 2, 4, 6, 5, 7, 9],
    "part": [6, 1, 8, 3, 2, 5, 0, 7, 4, 9],
    "semi_shuffle": [0, 2, 5, 3, 4, 8, 6, 7, 1, 9],
    "not_before": [4, 3, 6, 0, 1, 5, 9, 2, 8, 7],
    "weighted": [6, 8, 1, 9, 5, 4, 2, 7, 3, 0],
    "blocks": [2, 8, 5, 0, 3, 9, 6, 4, 1, 7],
    "spread": [5, 0, 7, 3, 8, 9, 1, 2, 6, 4],
    "spread_within": [4, 9, 8, 3, 1, 2, 6, 7, 5, 0],
    "swap-any": [0, 5, 1, 3, 9, 4, 6, 8, 7, 2],
    "random-swaps": [3, 1, 5, 2, 4, 8, 7, 6, 0, 9],
    "coin-sort": [0, 1, 2, 5, 4, 3, 6, 7, 8, 9],
    "tied-keys": [1, 4, 7, 8, 9, 3, 5, 0, 2, 6],
    "little-state": [1, 5, 0, 4, 2, 8, 3, 7, 9, 6],
}


@pytest.mark.parametrize("name", ORDERS)
def test_each_shuffle_of_ten_entries_with_the_seed_1_gives_the_order_listed_in_a_table(name: str) -> None:
    assert ORDERS[name](range(10), Seeded("1")) == STABLE[name]
