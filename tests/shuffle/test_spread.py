"""Spread: as few neighbours of one group as can be, always, and every position as likely as the next."""

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.shuffle import Seeded, System, fewest_repeats, repeats, spread
from tests.shuffle.all_draws import distribution, replay

SIZES = st.lists(st.integers(1, 12), max_size=12)
DOMINATED = st.tuples(st.integers(10, 60), SIZES).map(lambda sizes: [sizes[0], *sizes[1]])


def keys_of(sizes: Sequence[int]) -> list[int]:
    return [key for key, size in enumerate(sizes) for _ in range(size)]


def badness(order: Sequence[int], keys: Sequence[int]) -> int:
    return repeats([keys[entry] for entry in order])


@pytest.mark.parametrize("keys", list(itertools.combinations_with_replacement(range(3), 5)))
def test_the_fewest_repeats_are_those_of_the_best_of_all_orders(keys: tuple[int, ...]) -> None:
    assert fewest_repeats(keys) == min(badness(order, keys) for order in itertools.permutations(range(5)))


@given(
    st.one_of(SIZES, DOMINATED).flatmap(lambda sizes: st.permutations(keys_of(sizes))),
    st.integers(0, 1 << 30),
)
def test_spread_has_the_fewest_possible_repeats(keys: list[int], seed: int) -> None:
    order = spread(range(len(keys)), keys, Seeded(str(seed)))

    assert sorted(order) == list(range(len(keys)))
    assert badness(order, keys) == fewest_repeats(keys)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=60), st.integers(0, 1 << 30))
def test_the_albums_of_one_artist_repeat_as_rarely_as_possible_among_the_tracks_of_the_artist(
    tags: list[tuple[int, int]], seed: int
) -> None:
    artists = [artist for artist, _ in tags]
    albums = [artist * 3 + album for artist, album in tags]
    order = spread(range(len(tags)), artists, Seeded(str(seed)), within=albums)

    assert sorted(order) == list(range(len(tags)))
    assert badness(order, artists) == fewest_repeats(artists)
    for artist in set(artists):
        alone = [entry for entry in order if artists[entry] == artist]
        assert badness(alone, albums) == fewest_repeats([albums[entry] for entry in alone])


@pytest.mark.parametrize(
    ("sizes", "albums"),
    [
        *((sizes, None) for sizes in ([1, 1], [2, 2], [1, 1, 2], [1] * 4, [2, 2, 1], [3, 2, 1], [2, 2, 2])),
        ([2, 1, 1], [0, 1, 2, 2]),
    ],
)
def test_every_entry_is_equally_likely_at_every_position(sizes: list[int], albums: list[int] | None) -> None:
    """Exactly, as long as no group has more than half of the entries."""
    keys = keys_of(sizes)
    count = len(keys)
    shares = distribution(lambda randbelow: tuple(spread(range(count), keys, randbelow, albums)))

    assert all(badness(order, keys) == 0 for order in shares)
    for position, entry in itertools.product(range(count), repeat=2):
        assert sum(share for order, share in shares.items() if order[position] == entry) == Fraction(1, count)


@pytest.mark.parametrize("sizes", [[2, 1], [3, 1], [3, 2], [4, 1], [4, 1, 1]])
def test_each_other_entry_is_equally_likely_in_each_gap_of_a_group_of_more_than_half(
    sizes: list[int],
) -> None:
    keys = keys_of(sizes)
    shares = distribution(lambda randbelow: tuple(spread(range(len(keys)), keys, randbelow)))

    assert {badness(order, keys) for order in shares} == {fewest_repeats(keys)}
    assert all(keys[order[0]] == keys[order[-1]] == 0 for order in shares)
    for entry in range(sizes[0], len(keys)):
        gaps = Counter[int]()
        for order, share in shares.items():
            gap = sum(keys[before] == 0 for before in order[: order.index(entry)])
            gaps[gap] += share  # type: ignore[assignment]
        assert set(gaps) == set(range(1, sizes[0]))
        assert len(set(gaps.values())) == 1


def test_the_entries_of_a_group_are_at_even_distances() -> None:
    """Ten of a thousand, with 100 ± 9.4 positions from one to the next: never 60 off in 20 rounds."""
    keys = [0] * 10 + list(range(1, 991))
    source = Seeded("distances")
    for _ in range(20):
        order = spread(range(1000), keys, source)
        positions = [position for position, entry in enumerate(order) if keys[entry] == 0]
        assert all(40 < later - earlier < 160 for earlier, later in itertools.pairwise(positions))


@pytest.mark.parametrize(("order", "keys"), [([], []), ([3], [0] * 4), ([3, 1], [0] * 4)])
def test_spread_returns_exactly_the_entries_of_very_short_orders(order: list[int], keys: list[int]) -> None:
    assert sorted(spread(order, keys, System())) == sorted(order)
    assert sorted(spread(order, keys, System(), within=keys)) == sorted(order)


def test_spread_shuffles_an_order_of_a_single_group_uniformly() -> None:
    shares = distribution(lambda randbelow: tuple(spread(range(4), [7] * 4, randbelow)))

    assert len(shares) == 24
    assert len(set(shares.values())) == 1


def test_a_draw_decides_the_order_of_two_entries_of_two_groups() -> None:
    """Phases 0 and 1 of 2 set the ring; the opening turns it."""
    assert spread([0, 1], [0, 1], replay(0, 1, 0)) == [0, 1]
    assert spread([0, 1], [0, 1], replay(0, 1, 1)) == [1, 0]
