"""Keeping groups apart in an order that exists: the fewest repeats, with the fewest moves."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.shuffle import RandBelow, Seeded, fewest_repeats, move_apart, repeats, swap_apart
from tests.shuffle.all_draws import distribution, is_uniform_over, replay
from tests.shuffle.test_spread import repeats_in


def fewest_moved(order: Sequence[int], after: Sequence[int]) -> int:
    """Return the smallest number of moved entries: all but the longest common subsequence of both orders."""
    at = {entry: position for position, entry in enumerate(order)}
    longest: list[int] = []
    for position in (at[entry] for entry in after):
        end = next((end for end, last in enumerate(longest) if last > position), len(longest))
        longest[end:] = [position, *longest[end + 1 :]]
    return len(order) - len(longest)


@pytest.mark.parametrize("count", [*range(6), pytest.param(6, marks=pytest.mark.slow)])
def test_move_apart_leaves_the_fewest_repeats_with_at_most_one_move_for_each_extra_repeat(count: int) -> None:
    """Every way to group up to six entries, and every sequence of draws; without a surplus no draw."""
    order = range(count)
    for keys in itertools.product(order, repeat=count):
        if list(dict.fromkeys(keys)) != list(range(len(set(keys)))):
            continue  # the same up to the names of the groups
        surplus = repeats(keys) - fewest_repeats(keys)
        assert surplus or move_apart(order, keys, replay()) == list(order)
        for after in distribution(lambda draw, keys=keys: tuple(move_apart(order, keys, draw))):  # type: ignore[misc]
            assert sorted(after) == list(order)
            assert repeats_in(after, keys) == fewest_repeats(keys)
            assert fewest_moved(order, after) <= surplus


@given(st.lists(st.integers(0, 3), max_size=12), st.integers(0, 12), st.integers(0, 1 << 30))
def test_move_apart_changes_nothing_before_the_first_unplayed_position_and_adds_no_repeat(
    keys: list[int], first: int, seed: int
) -> None:
    first = min(first, len(keys))

    after = move_apart(range(len(keys)), keys, Seeded(str(seed)), first)

    assert after[:first] == list(range(first))
    assert sorted(after) == list(range(len(keys)))
    assert repeats_in(after, keys) <= repeats(keys)


def test_each_of_two_neighbours_of_one_group_is_equally_likely_to_move_to_each_good_position() -> None:
    """Entries 1 and 2 are the neighbours. Good: before 0, between 3 and 4, or behind 4."""
    shares = distribution(lambda draw: tuple(move_apart(range(5), [1, 0, 0, 2, 3], draw)))

    one = [(1, 0, 2, 3, 4), (0, 2, 3, 1, 4), (0, 2, 3, 4, 1)]
    other = [(2, 0, 1, 3, 4), (0, 1, 3, 2, 4), (0, 1, 3, 4, 2)]
    assert shares == {after: Fraction(1, 6) for after in (*one, *other)}


def test_move_apart_also_uses_positions_that_its_own_earlier_moves_made_free_of_repeats() -> None:
    """Two pairs whose only free positions appear one after the other."""
    keys = [0, 1, 1, 0, 0, 2]
    for after in distribution(lambda draw: tuple(move_apart(range(6), keys, draw, 1))):
        assert repeats_in(after, keys) == 0


Case = tuple[list[int], list[int], list[int]]


@st.composite
def pinned(draw: st.DrawFn) -> Case:
    """Draw an order, its pinned positions, and the group of each entry."""
    keys = draw(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    order = draw(st.permutations(range(len(keys))))
    return order, draw(st.lists(st.sampled_from(range(len(keys))), unique=True)), keys


@given(pinned(), st.none() | st.sets(st.integers(-1, 12)))
def test_swap_apart_keeps_pinned_entries_and_adds_no_repeats(case: Case, positions: set[int] | None) -> None:
    order, pins, keys = case
    before = list(order)

    after = swap_apart(order, pins, keys, Seeded("1"), positions=positions)

    assert order == before
    assert sorted(after) == sorted(order)
    assert all(after[at] == order[at] for at in pins)
    assert repeats_in(after, keys) <= repeats_in(order, keys)


@given(pinned())
def test_swap_apart_stops_only_when_no_swap_of_unpinned_entries_leaves_fewer_repeats(case: Case) -> None:
    """If no group has more than half of the entries."""
    order, pins, keys = case

    after = swap_apart(order, pins, keys, Seeded("1"))

    count = repeats_in(after, keys)
    free = [at for at in range(len(order)) if at not in pins]
    if count and not fewest_repeats(keys):
        for one, other in itertools.combinations(free, 2):
            swapped = list(after)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            assert repeats_in(swapped, keys) >= count


@pytest.mark.parametrize("positions", [None, [1, -1]])
def test_an_entry_beside_a_pinned_one_of_its_group_is_equally_likely_to_swap_with_each_good_partner(
    positions: list[int] | None,
) -> None:
    """Entry 1 is of the group of entry 0. A swap with entry 2, 3, 4 or 5 leaves no repeat."""
    keys = [0, 0, 1, 2, 3, 4]

    def run(draw: RandBelow) -> tuple[int, ...]:
        return tuple(swap_apart([0, 1, 2, 3, 4, 5], [0], keys, draw, positions=positions))

    assert is_uniform_over(
        distribution(run), {(0, 2, 1, 3, 4, 5), (0, 3, 2, 1, 4, 5), (0, 4, 2, 3, 1, 5), (0, 5, 2, 3, 4, 1)}
    )
