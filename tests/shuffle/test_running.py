"""A running order: what comes leaves the law of the order as it was."""

import itertools
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.shuffle import (
    Inside,
    RandBelow,
    Seeded,
    System,
    blocks,
    durstenfeld,
    fewest_repeats,
    insert,
    insert_apart,
    insert_in_block,
    spread,
)
from tests.shuffle.all_draws import distribution, is_uniform_over, replay
from tests.shuffle.test_spread import badness


def test_inserting_into_a_uniform_order_leaves_it_uniform() -> None:
    def run(randbelow: RandBelow) -> tuple[int, ...]:
        return tuple(insert(durstenfeld(range(3), randbelow), [3, 4], randbelow))

    assert is_uniform_over(distribution(run), list(itertools.permutations(range(5))))


@pytest.mark.parametrize("first", range(5))
def test_no_entry_is_inserted_before_the_first_unplayed_position(first: int) -> None:
    order = [9, 8, 7, 6]
    shares = distribution(lambda randbelow: tuple(insert(order, [1], randbelow, first)))
    allowed = [(*order[:at], 1, *order[at:]) for at in range(first, 5)]

    assert is_uniform_over(shares, allowed)


@given(
    st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 3), max_size=6), st.integers(0, 1 << 30)
)
def test_inserting_into_a_spread_order_keeps_it_spread(old: list[int], new: list[int], seed: int) -> None:
    """Whatever comes in, and however many at a time."""
    keys = old + new
    source = Seeded(str(seed))
    order = spread(range(len(old)), old, source)
    running = insert_apart(order, range(len(old), len(keys)), keys, source)

    assert sorted(running) == list(range(len(keys)))
    assert [entry for entry in running if entry < len(old)] == order
    assert badness(running, keys) == fewest_repeats(keys)


@pytest.mark.parametrize("order", [list(p) for p in itertools.permutations(range(4))])
@pytest.mark.parametrize("first", range(5))
def test_the_positions_that_are_best_for_a_new_entry_are_equally_likely(order: list[int], first: int) -> None:
    """Best: the fewest neighbours of one group that one insertion from the cursor on can leave."""
    keys = [0, 0, 1, 2, 0]
    candidates = [(*order[:at], 4, *order[at:]) for at in range(first, 5)]
    fewest = min(badness(candidate, keys) for candidate in candidates)
    shares = distribution(lambda randbelow: tuple(insert_apart(order, [4], keys, randbelow, first)))

    assert is_uniform_over(shares, [c for c in candidates if badness(c, keys) == fewest])


def test_a_new_track_joins_its_album_at_its_place_among_the_present_tracks() -> None:
    keys = [0, 0, 0, 1, 1, 1]

    assert insert_in_block([3, 5, 0, 2], [1, 4], keys, replay()) == [3, 4, 5, 0, 1, 2]
    assert insert_in_block([3, 5, 0, 2], [4], keys, replay(), first=1) == [3, 4, 5, 0, 2]
    assert insert_in_block([4, 5, 0, 2], [3], keys, replay(), first=1) == [4, 3, 5, 0, 2]
    assert insert_in_block([4, 5, 0, 2], [3], keys, replay(), first=2) == [4, 5, 3, 0, 2]


def test_a_new_track_of_an_album_that_was_played_opens_a_new_block() -> None:
    keys = [0, 0, 0, 1, 1, 1, 2]
    order = [4, 5, 0, 2, 6]
    shares = distribution(lambda randbelow: tuple(insert_in_block(order, [3], keys, randbelow, first=3)))

    assert is_uniform_over(shares, [(4, 5, 0, 2, 3, 6), (4, 5, 0, 2, 6, 3)])


def test_new_albums_leave_the_order_of_blocks_uniform() -> None:
    keys = [0, 0, 1, 1, 2, 2]

    def run(randbelow: RandBelow) -> tuple[int, ...]:
        return tuple(insert_in_block(blocks([0, 2, 3], keys, randbelow), [4, 1, 5], keys, randbelow))

    whole = [tuple(itertools.chain(*p)) for p in itertools.permutations([(0, 1), (2, 3), (4, 5)])]
    assert is_uniform_over(distribution(run), whole)


def test_the_first_album_of_an_empty_order_needs_no_draw() -> None:
    assert insert_in_block([], [1, 0], [0, 0], replay(0)) == [0, 1]


def test_a_new_entry_may_be_anywhere_in_a_block_that_is_shuffled_inside() -> None:
    """Each of the 3! orders of the first block is equally likely; the last one is sorted, or likewise."""
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


def test_nothing_is_inserted_into_the_played_part_of_a_shuffled_block() -> None:
    shares = distribution(
        lambda draw: tuple(insert_in_block([2, 0, 3], [1], [0, 0, 0, 0], draw, first=1, inside="all"))
    )

    assert is_uniform_over(shares, [(2, 1, 0, 3), (2, 0, 1, 3), (2, 0, 3, 1)])


@pytest.mark.parametrize("first", [-1, 4])
def test_a_first_unplayed_position_beyond_the_order_is_refused(first: int) -> None:
    order, keys = [0, 1, 2], [0] * 4
    with pytest.raises(ValueError, match="beyond"):
        insert(order, [3], System(), first)
    with pytest.raises(ValueError, match="beyond"):
        insert_apart(order, [3], keys, System(), first)
    with pytest.raises(ValueError, match="beyond"):
        insert_in_block(order, [3], keys, System(), first)
