"""Spread: the fewest possible neighbours of one group, and every position equally likely for each entry."""

import itertools
import statistics
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.audit.mix import predictable
from playshuffle.shuffle import Seeded, fewest_repeats, repeats, spread
from tests.shuffle.all_draws import distribution, is_uniform_over

SIZES = st.lists(st.integers(1, 12), max_size=12)
SEEDS = st.integers(0, 1 << 30).map(str)
DOMINATED = st.tuples(st.integers(10, 60), SIZES).map(lambda sizes: [sizes[0], *sizes[1]])


def keys_of(sizes: Sequence[int]) -> list[int]:
    return [key for key, size in enumerate(sizes) for _ in range(size)]


def repeats_in(order: Sequence[int], keys: Sequence[int]) -> int:
    return repeats([keys[entry] for entry in order])


def deviation(keys: Sequence[int], of: Collection[int] = ()) -> float:
    """Return the deviation of the gaps of a group, in mean gaps; the mean of these groups, or of all."""
    deviations = []
    for group in of or set(keys):
        positions = [position for position, key in enumerate(keys) if key == group]
        gaps = [later - earlier for earlier, later in itertools.pairwise(positions)]
        deviations.append(statistics.pstdev(gaps) / statistics.mean(gaps))
    return statistics.mean(deviations)


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
        alone = [albums[entry] for entry in order if artists[entry] == artist]
        # They are a ring, too; if an album has most tracks, the opening may be where this costs a repeat.
        is_crowded = 2 * max(map(alone.count, alone)) > len(alone)
        assert repeats(alone) <= fewest_repeats(alone) + is_crowded


class Replayed:
    """Draws from a seed, except that the last draws are given; counts them."""

    def __init__(self, seed: str, given: Mapping[int, int]) -> None:
        self._source, self._given = Seeded(seed), given
        self.bounds = list[int]()

    def __call__(self, bound: int) -> int:
        number = len(self.bounds)
        self.bounds.append(bound)
        drawn = self._source(bound)
        return self._given.get(number, drawn)


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=24), st.booleans(), SEEDS
)
def test_with_all_draws_but_the_last_fixed_each_entry_comes_once_to_each_position(
    tags: list[tuple[int, int]], has_albums: bool, seed: str
) -> None:
    """So every entry is exactly equally likely at every position; no group has more than half of them."""
    keys = [artist for artist, _ in tags]
    keys = [~entry if keys.count(key) > len(keys) // 2 else key for entry, key in enumerate(keys)]
    albums = [album for _, album in tags] if has_albums else None
    count = len(tags)
    draws = Replayed(seed, {})
    spread(range(count), keys, draws, albums)
    last = len(draws.bounds) - 1
    orders = [spread(range(count), keys, Replayed(seed, {last: at}), albums) for at in range(count)]

    assert draws.bounds[last] == count
    assert all(repeats_in(order, keys) == 0 for order in orders)
    for position in range(count):
        assert sorted(order[position] for order in orders) == list(range(count))


@given(
    st.tuples(st.integers(2, 12), st.lists(st.integers(1, 4), min_size=1, max_size=4)), st.booleans(), SEEDS
)
def test_with_all_but_the_last_draws_fixed_each_entry_beside_a_majority_comes_once_to_each_gap(
    sizes: tuple[int, list[int]], has_albums: bool, seed: str
) -> None:
    """A majority group has more than half of the entries."""
    others = keys_of(sizes[1])[: sizes[0] - 1]
    keys = [-1] * sizes[0] + others
    albums = [entry % 3 for entry in range(len(keys))] if has_albums else None
    draws = Replayed(seed, {})
    spread(range(len(keys)), keys, draws, albums)
    opening, phase = len(draws.bounds) - 2, len(draws.bounds) - 1
    gaps = Counter[tuple[int, int]]()
    for draw in itertools.product(range(len(others)), range(sizes[0] - 1)):
        order = spread(range(len(keys)), keys, Replayed(seed, {opening: draw[0], phase: draw[1]}), albums)
        assert keys[order[0]] == keys[order[-1]] == -1
        assert repeats_in(order, keys) == fewest_repeats(keys)
        for position, entry in enumerate(order):
            if keys[entry] != -1:
                gaps[entry, sum(keys[before] == -1 for before in order[:position])] += 1

    assert draws.bounds[-2:] == [len(others), sizes[0] - 1]
    assert set(gaps) == set(itertools.product(range(sizes[0], len(keys)), range(1, sizes[0])))
    assert set(gaps.values()) == {len(others)}


def test_spread_places_the_entries_of_a_group_at_roughly_even_distances() -> None:
    """Ten of a thousand, 50 to 150 parts of a ring apart: never more than 25 positions off in 20 rounds."""
    keys = [0] * 10 + list(range(1, 991))
    source = Seeded("distances")
    for _ in range(20):
        order = spread(range(1000), keys, source)
        positions = [position for position, entry in enumerate(order) if keys[entry] == 0]
        assert all(25 < later - earlier < 175 for earlier, later in itertools.pairwise(positions))


def test_no_group_of_a_spread_order_follows_another_each_time() -> None:
    """Ten artists of ten: who names the artist that is most due is right about half of the time."""
    keys = keys_of([10] * 10)
    source = Seeded("most due")
    shares = [predictable([keys[entry] for entry in spread(range(100), keys, source)]) for _ in range(100)]

    assert 0.4 < sum(shares) / len(shares) < 0.52


def test_beside_a_majority_the_other_groups_are_at_even_distances() -> None:
    keys = keys_of([60] + [5] * 8)
    source = Seeded("others")
    orders = [[keys[entry] for entry in spread(range(100), keys, source)] for _ in range(100)]

    assert statistics.mean(deviation(order, range(1, 9)) for order in orders) < 0.3


@pytest.mark.parametrize("largest", [3, 15, 40, 47])
def test_albums_by_several_artists_have_no_neighbours_if_none_has_most_of_the_tracks(largest: int) -> None:
    albums = [0] * largest + [1 + entry // 9 for entry in range(100 - largest)]
    singles = list(range(100))
    few = [entry % 25 for entry in range(100)]
    source = Seeded("compilations")
    for artists in (singles, few):
        orders = [spread(range(100), artists, source, albums) for _ in range(50)]
        assert all(repeats_in(order, artists) == 0 for order in orders)
        assert sum(repeats_in(order, albums) for order in orders) <= 1


def test_spread_shuffles_an_order_of_a_single_group_uniformly() -> None:
    shares = distribution(lambda randbelow: tuple(spread(range(4), [7] * 4, randbelow)))

    assert is_uniform_over(shares, [*itertools.permutations(range(4))])
