"""Spread: the fewest possible neighbours of one group, and every position equally likely for each entry."""

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.shuffle import Seeded, fewest_repeats, repeats, spread
from tests.shuffle.all_draws import distribution, is_uniform_over

SIZES = st.lists(st.integers(1, 12), max_size=12)
DOMINATED = st.tuples(st.integers(10, 60), SIZES).map(lambda sizes: [sizes[0], *sizes[1]])


def keys_of(sizes: Sequence[int]) -> list[int]:
    return [key for key, size in enumerate(sizes) for _ in range(size)]


def repeats_in(order: Sequence[int], keys: Sequence[int]) -> int:
    return repeats([keys[entry] for entry in order])


@pytest.mark.parametrize("keys", list(itertools.combinations_with_replacement(range(3), 5)))
def test_the_computed_minimum_of_repeats_is_the_number_of_repeats_in_the_best_of_all_orders(
    keys: tuple[int, ...],
) -> None:
    assert fewest_repeats(keys) == min(repeats_in(order, keys) for order in itertools.permutations(range(5)))


@given(
    st.one_of(SIZES, DOMINATED).flatmap(lambda sizes: st.permutations(keys_of(sizes))),
    st.integers(0, 1 << 30),
)
def test_a_spread_order_has_the_fewest_possible_neighbours_of_one_group(keys: list[int], seed: int) -> None:
    order = spread(range(len(keys)), keys, Seeded(str(seed)))

    assert sorted(order) == list(range(len(keys)))
    assert repeats_in(order, keys) == fewest_repeats(keys)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=60), st.integers(0, 1 << 30))
def test_among_the_tracks_of_each_artist_a_spread_order_has_the_fewest_neighbours_of_one_album(
    tags: list[tuple[int, int]], seed: int
) -> None:
    artists = [artist for artist, _ in tags]
    albums = [artist * 3 + album for artist, album in tags]
    order = spread(range(len(tags)), artists, Seeded(str(seed)), within=albums)

    assert sorted(order) == list(range(len(tags)))
    assert repeats_in(order, artists) == fewest_repeats(artists)
    for artist in set(artists):
        alone = [entry for entry in order if artists[entry] == artist]
        assert repeats_in(alone, albums) == fewest_repeats([albums[entry] for entry in alone])


@pytest.mark.parametrize(
    ("sizes", "albums"),
    [
        *((sizes, None) for sizes in ([1, 1], [2, 2], [1, 1, 2], [1] * 4, [2, 2, 1], [3, 2, 1], [2, 2, 2])),
        ([2, 1, 1], [0, 1, 2, 2]),
    ],
)
def test_in_a_spread_order_every_entry_is_equally_likely_at_every_position(
    sizes: list[int], albums: list[int] | None
) -> None:
    """No group has more than half of the entries; `albums` are groups within the groups."""
    keys = keys_of(sizes)
    count = len(keys)
    shares = distribution(lambda randbelow: tuple(spread(range(count), keys, randbelow, albums)))

    assert all(repeats_in(order, keys) == 0 for order in shares)
    for position, entry in itertools.product(range(count), repeat=2):
        assert sum(share for order, share in shares.items() if order[position] == entry) == Fraction(1, count)


@pytest.mark.parametrize("sizes", [[2, 1], [3, 1], [3, 2], [4, 1], [4, 1, 1]])
def test_entries_outside_of_a_majority_group_are_equally_likely_in_each_gap_of_that_group(
    sizes: list[int],
) -> None:
    """A majority group has more than half of the entries."""
    keys = keys_of(sizes)
    shares = distribution(lambda randbelow: tuple(spread(range(len(keys)), keys, randbelow)))

    assert {repeats_in(order, keys) for order in shares} == {fewest_repeats(keys)}
    assert all(keys[order[0]] == keys[order[-1]] == 0 for order in shares)
    for entry in range(sizes[0], len(keys)):
        gaps = Counter[int]()
        for order, share in shares.items():
            gap = sum(keys[before] == 0 for before in order[: order.index(entry)])
            gaps[gap] += share  # type: ignore[assignment]
        assert set(gaps) == set(range(1, sizes[0]))
        assert len(set(gaps.values())) == 1


def test_spread_places_the_entries_of_a_group_at_roughly_even_distances() -> None:
    """Ten of a thousand, with 100 ± 9.4 positions from one to the next: 60 off is not seen in 20 rounds."""
    keys = [0] * 10 + list(range(1, 991))
    source = Seeded("distances")
    for _ in range(20):
        order = spread(range(1000), keys, source)
        positions = [position for position, entry in enumerate(order) if keys[entry] == 0]
        assert all(40 < later - earlier < 160 for earlier, later in itertools.pairwise(positions))


def test_spread_shuffles_an_order_of_a_single_group_uniformly() -> None:
    shares = distribution(lambda randbelow: tuple(spread(range(4), [7] * 4, randbelow)))

    assert is_uniform_over(shares, [*itertools.permutations(range(4))])
