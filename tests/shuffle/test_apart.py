"""Keeping groups apart in an order that exists: the fewest repeats, with the fewest moves."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.shuffle import RandBelow, Seeded, System, fewest_repeats, move_apart, repeats, swap_apart
from tests.shuffle.all_draws import distribution, is_uniform_over, replay


def groups_of(order: Sequence[int], keys: Sequence[int]) -> list[int]:
    return [keys[entry] for entry in order]


def fewest_moved(order: Sequence[int], after: Sequence[int]) -> int:
    """How many entries left their position among the others: all but the longest common subsequence."""
    at = {entry: position for position, entry in enumerate(order)}
    longest: list[int] = []
    for position in (at[entry] for entry in after):
        end = next((end for end, last in enumerate(longest) if last > position), len(longest))
        longest[end:] = [position, *longest[end + 1 :]]
    return len(order) - len(longest)


@pytest.mark.parametrize("count", [*range(6), pytest.param(6, marks=pytest.mark.slow)])
def test_move_apart_leaves_the_fewest_repeats_with_at_most_one_move_for_each_repeat_too_many(
    count: int,
) -> None:
    """Every way to group up to six entries, and every sequence of draws."""
    for keys in itertools.product(range(count), repeat=count):
        if list(dict.fromkeys(keys)) != list(range(len(set(keys)))):
            continue  # the same up to the names of the groups
        surplus = repeats(keys) - fewest_repeats(keys)
        shares = distribution(lambda draw, keys=keys: tuple(move_apart(range(count), keys, draw)))  # type: ignore[misc]
        for after in shares:
            assert sorted(after) == list(range(count))
            assert repeats(groups_of(after, keys)) == fewest_repeats(keys)
            assert fewest_moved(range(count), after) <= surplus


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(0, 12), st.integers(0, 1 << 30))
def test_move_apart_keeps_the_played_positions_and_never_adds_repeats(
    keys: list[int], first: int, seed: int
) -> None:
    first = min(first, len(keys))

    after = move_apart(range(len(keys)), keys, Seeded(str(seed)), first)

    assert after[:first] == list(range(first))
    assert sorted(after) == list(range(len(keys)))
    assert repeats(groups_of(after, keys)) <= repeats(keys)


def test_both_entries_of_a_pair_are_equally_likely_to_move_to_each_position_without_a_repeat() -> None:
    keys = [1, 0, 0, 2, 3]
    shares = distribution(lambda draw: tuple(move_apart(range(5), keys, draw)))

    # Entry 1 or 2 leaves; it goes before 0, between 3 and 4, or behind 4.
    one = [(1, 0, 2, 3, 4), (0, 2, 3, 1, 4), (0, 2, 3, 4, 1)]
    other = [(2, 0, 1, 3, 4), (0, 1, 3, 2, 4), (0, 1, 3, 4, 2)]
    assert shares == {after: Fraction(1, 6) for after in (*one, *other)}


def test_no_entry_moves_to_a_played_position() -> None:
    shares = distribution(lambda draw: tuple(move_apart(range(5), [1, 2, 0, 0, 3], draw, 3)))

    assert is_uniform_over(shares, [(0, 1, 2, 4, 3)])


def test_an_entry_may_move_to_a_position_that_an_earlier_move_freed_of_repeats() -> None:
    """Two pairs whose only free positions appear one after the other."""
    keys = [0, 1, 1, 0, 0, 2]
    for after in distribution(lambda draw: tuple(move_apart(range(6), keys, draw, 1))):
        assert repeats(groups_of(after, keys)) == 0


@pytest.mark.parametrize("keys", [[], [0], [0, 1, 0], [0, 0, 1, 0], [0, 0, 0]])
def test_an_order_with_the_fewest_repeats_stays_and_takes_no_draw(keys: list[int]) -> None:
    assert move_apart(range(len(keys)), keys, replay()) == list(range(len(keys)))


@pytest.mark.parametrize("first", [-1, 4])
def test_moving_apart_from_a_first_position_beyond_the_order_is_refused(first: int) -> None:
    with pytest.raises(ValueError, match="beyond an order of 3"):
        move_apart(range(3), [0, 0, 1], System(), first)


@st.composite
def pinned(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """An order, its pins, and the groups."""
    keys = draw(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    order = draw(st.permutations(range(len(keys))))
    return order, draw(st.lists(st.sampled_from(range(len(keys))), unique=True)), keys


@given(pinned(), st.none() | st.sets(st.integers(-1, 12)))
def test_swap_apart_keeps_the_pins_and_never_adds_repeats(
    case: tuple[list[int], list[int], list[int]], positions: set[int] | None
) -> None:
    order, pins, keys = case
    before = list(order)

    after = swap_apart(order, pins, keys, Seeded("1"), positions=positions)

    assert order == before
    assert sorted(after) == sorted(order)
    assert all(after[at] == order[at] for at in pins)
    assert repeats(groups_of(after, keys)) <= repeats(groups_of(order, keys))


@given(pinned())
def test_after_swap_apart_no_further_swap_would_leave_fewer_repeats(
    case: tuple[list[int], list[int], list[int]],
) -> None:
    order, pins, keys = case

    after = swap_apart(order, pins, keys, Seeded("1"))

    count = repeats(groups_of(after, keys))
    free = [at for at in range(len(order)) if at not in pins]
    if count and not fewest_repeats(groups_of(order, keys)):
        for one, other in itertools.combinations(free, 2):
            swapped = list(after)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            assert repeats(groups_of(swapped, keys)) >= count


@pytest.mark.parametrize("positions", [None, [1, -1]])
def test_an_entry_that_repeats_a_pinned_one_swaps_to_any_position_without_a_repeat(
    positions: list[int] | None,
) -> None:
    """Two of one group at the beginning: the second goes equally likely where it makes no repeat."""
    keys = [0, 0, 1, 2, 3, 4]

    def run(draw: RandBelow) -> tuple[int, ...]:
        return tuple(swap_apart([0, 1, 2, 3, 4, 5], [0], keys, draw, positions=positions))

    assert is_uniform_over(
        distribution(run), {(0, 2, 1, 3, 4, 5), (0, 3, 2, 1, 4, 5), (0, 4, 2, 3, 1, 5), (0, 5, 2, 3, 4, 1)}
    )


def test_nothing_is_swapped_if_all_entries_are_of_one_group() -> None:
    assert swap_apart([2, 1, 0], [0, 2], [0, 0, 0], Seeded("1")) == [2, 1, 0]
