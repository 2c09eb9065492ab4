"""Insert entries into an order that is being played: its distribution stays the same."""

import itertools
from collections.abc import Sequence
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.audit.mix import predictable
from playshuffle.shuffle import (
    Inside,
    RandBelow,
    Seeded,
    blocks,
    durstenfeld,
    fewest_repeats,
    insert,
    insert_apart,
    insert_in_block,
    move_apart,
    part_in_order,
    spread,
)
from tests.shuffle.all_draws import distribution, is_uniform_over, replay
from tests.shuffle.test_spread import deviation, repeats_in


def test_all_orders_are_equally_likely_after_entries_are_inserted_into_a_uniform_order() -> None:
    def run(randbelow: RandBelow) -> tuple[int, ...]:
        return tuple(insert(durstenfeld(range(3), randbelow), [3, 4], randbelow))

    assert is_uniform_over(distribution(run), list(itertools.permutations(range(5))))


@pytest.mark.parametrize("first", range(5))
def test_a_new_entry_is_equally_likely_at_each_position_from_the_first_unplayed_one_on(first: int) -> None:
    order = [9, 8, 7, 6]
    shares = distribution(lambda randbelow: tuple(insert(order, [1], randbelow, first)))
    allowed = [(*order[:at], 1, *order[at:]) for at in range(first, 5)]

    assert is_uniform_over(shares, allowed)


@given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=6), st.integers(0, 99))
def test_a_spread_order_with_new_entries_has_the_fewest_neighbours_of_one_group(
    old: list[int], new: list[int], seed: int
) -> None:
    keys = old + new
    source = Seeded(str(seed))
    order = spread(range(len(old)), old, source)
    running = insert_apart(order, range(len(old), len(keys)), keys, source)

    assert sorted(running) == list(range(len(keys)))
    assert [entry for entry in running if entry < len(old)] == order
    assert repeats_in(running, keys) == fewest_repeats(keys)


@pytest.mark.parametrize("order", [list(p) for p in itertools.permutations(range(4))])
@pytest.mark.parametrize("first", range(5))
def test_a_new_entry_is_equally_likely_at_each_of_its_best_positions(order: list[int], first: int) -> None:
    """Best: with the fewest neighbours of one group that an insertion from `first` on can leave.

    Here no position is far from the group, or all best ones are equally far.
    """
    for keys in ([0, 0, 1, 2, 0], [0, 1, 2, 3, 4]):
        candidates = [(*order[:at], 4, *order[at:]) for at in range(first, 5)]
        fewest = min(repeats_in(candidate, keys) for candidate in candidates)
        best = [candidate for candidate in candidates if repeats_in(candidate, keys) == fewest]

        def run(randbelow: RandBelow, keys: Sequence[int] = keys) -> tuple[int, ...]:
            return tuple(insert_apart(order, [4], keys, randbelow, first))

        shares = distribution(run)
        assert set(shares) <= set(best)
        assert is_uniform_over(shares, best) or 0 in keys[1:]


def test_a_new_entry_is_inserted_far_from_its_group_and_beside_no_entry_of_its_subgroup() -> None:
    """Its group is at positions 3 and 13 of a ring of 40, so it is inserted before 26 to 31."""
    order = list(range(40))
    keys = [0 if entry in (3, 13, 40) else entry + 1 for entry in range(41)]
    shares = distribution(lambda randbelow: insert_apart(order, [40], keys, randbelow).index(40))
    assert is_uniform_over(shares, range(26, 32))

    albums = [9 if entry in (28, 40) else -entry for entry in range(41)]
    shares = distribution(lambda randbelow: insert_apart(order, [40], keys, randbelow, 0, albums).index(40))
    assert is_uniform_over(shares, [26, 27, 30, 31])


def test_an_order_keeps_its_distances_while_300_entries_are_replaced_one_by_one() -> None:
    """Predictable, deviation of the gaps and repeats of albums are about those of a new order."""
    keys, albums = [entry // 50 for entry in range(1000)], [entry // 12 for entry in range(1000)]
    source = Seeded("replaced")
    order = spread(range(1000), keys, source, albums)
    for entry in range(1000, 1300):
        removed = order.pop(source(1000))
        order = part_in_order(move_apart(order, keys, source), (), keys, albums)
        keys.append(source(20))
        albums.append(albums[removed])
        order = insert_apart(order, [entry], keys, source, 0, albums)
        order = part_in_order(move_apart(order, keys, source), (), keys, albums)
    new = spread(order, keys, source, albums)

    assert repeats_in(order, keys) == repeats_in(order, albums) == 0
    assert predictable([keys[entry] for entry in order]) <= predictable([keys[entry] for entry in new])
    assert deviation([keys[entry] for entry in order]) < deviation([keys[entry] for entry in new]) + 0.1


def test_a_new_entry_joins_the_block_of_its_group_in_sorted_order_behind_the_played_entries() -> None:
    keys = [0, 0, 0, 1, 1, 1]

    assert insert_in_block([3, 5, 0, 2], [1, 4], keys, replay()) == [3, 4, 5, 0, 1, 2]
    assert insert_in_block([3, 5, 0, 2], [4], keys, replay(), first=1) == [3, 4, 5, 0, 2]
    assert insert_in_block([4, 5, 0, 2], [3], keys, replay(), first=1) == [4, 3, 5, 0, 2]
    assert insert_in_block([4, 5, 0, 2], [3], keys, replay(), first=2) == [4, 5, 3, 0, 2]


def test_a_new_entry_whose_block_was_completely_played_starts_a_block_of_its_own() -> None:
    keys = [0, 0, 0, 1, 1, 1, 2]
    order = [4, 5, 0, 2, 6]
    shares = distribution(lambda randbelow: tuple(insert_in_block(order, [3], keys, randbelow, first=3)))

    assert is_uniform_over(shares, [(4, 5, 0, 2, 3, 6), (4, 5, 0, 2, 6, 3)])


def test_all_orders_of_blocks_are_equally_likely_after_new_blocks_are_inserted() -> None:
    keys = [0, 0, 1, 1, 2, 2]

    def run(randbelow: RandBelow) -> tuple[int, ...]:
        return tuple(insert_in_block(blocks([0, 2, 3], keys, randbelow), [4, 1, 5], keys, randbelow))

    whole = [tuple(itertools.chain(*p)) for p in itertools.permutations([(0, 1), (2, 3), (4, 5)])]
    assert is_uniform_over(distribution(run), whole)


def test_a_new_entry_is_equally_likely_at_each_position_of_a_block_that_is_shuffled_inside() -> None:
    """All 3! orders of that block are equally likely; with 'last', a block that is not the last is sorted."""
    keys = [0, 0, 0, 1, 1]

    def run(inside: Inside, draw: RandBelow) -> tuple[int, ...]:
        return tuple(insert_in_block([*durstenfeld([0, 2], draw), 3, 4], [1], keys, draw, inside=inside))

    firsts = [(*block, 3, 4) for block in itertools.permutations(range(3))]
    assert is_uniform_over(distribution(partial(run, "all")), firsts)

    def run_last(draw: RandBelow) -> tuple[int, ...]:
        order = [3, 4, *durstenfeld([0, 2], draw)]
        return tuple(insert_in_block(order, [1], keys, draw, inside="last"))

    lasts = [(3, 4, *block) for block in itertools.permutations(range(3))]
    assert is_uniform_over(distribution(run_last), lasts)
    assert insert_in_block([0, 2, 4, 3], [1], keys, replay(), inside="last") == [0, 1, 2, 4, 3]


def test_a_new_entry_of_a_shuffled_block_is_inserted_only_into_the_unplayed_part_of_the_block() -> None:
    shares = distribution(
        lambda draw: tuple(insert_in_block([2, 0, 3], [1], [0, 0, 0, 0], draw, first=1, inside="all"))
    )

    assert is_uniform_over(shares, [(2, 1, 0, 3), (2, 0, 1, 3), (2, 0, 3, 1)])
