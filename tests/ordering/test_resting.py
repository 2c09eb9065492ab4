"""Resting tracks, which were heard lately, come after all others, for every sequence of draws."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations

import pytest

from playshuffle.library.tag_columns import TagsOf
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.arrange import Arranged, arrange
from playshuffle.ordering.gap import Gap
from playshuffle.ordering.orders import ORDERS
from playshuffle.ordering.recipe import Pin, Recipe
from playshuffle.shuffle import RandBelow, Seeded, fewest_repeats, repeats
from playshuffle.tags.reading import Tags
from tests.shuffle.all_draws import distribution, is_uniform_over, sampled
from tests.support.tagged import all_of, tagged


def library(artists: str, albums: str = "") -> tuple[Tracks, TagsOf]:
    """Return a library with a track for each letter, which names its artist and its album."""
    return tagged(
        {
            f"/m/{at}.ogg": Tags(60_000, artist=artist, album=album, rating=(at + 1) / 6, number=at)
            for at, (artist, album) in enumerate(zip(artists, albums or artists, strict=True))
        }
    )


def subsets(count: int) -> list[frozenset[int]]:
    sizes = range(count + 1)
    return [frozenset(each) for size in sizes for each in combinations(range(count), size)]


def orders(
    found: tuple[Tracks, TagsOf], recipe: Recipe, last: Arranged | None = None
) -> Callable[[RandBelow], tuple[int, ...]]:
    def run(randbelow: RandBelow) -> tuple[int, ...]:
        arranged = arrange(all_of(*found), recipe, last, randbelow)
        return tuple(arranged.order[: arranged.playlist_length])

    return run


def outcomes(order: str, run: Callable[[RandBelow], tuple[int, ...]]) -> dict[tuple[int, ...], Fraction]:
    """Return each result with its probability; spread has too many draws to try them all."""
    return sampled(run) if order == "spread" else distribution(run)


def is_behind(order: Sequence[int], late: frozenset[int]) -> bool:
    """Return whether no late track comes before another one."""
    flags = [index in late for index in order]
    return flags == sorted(flags)


@pytest.mark.parametrize("count", range(1, 7))
def test_in_a_random_order_resting_tracks_come_last_and_both_parts_are_uniformly_shuffled(count: int) -> None:
    found = library("abcdef"[:count])
    for late in subsets(count):
        shares = distribution(orders(found, Recipe(resting=late)))
        allowed = [order for order in permutations(range(count)) if is_behind(order, late)]
        assert is_uniform_over(shares, allowed)


TAKERS = [name for name, order in ORDERS.items() if "rest" in order.takes]


@pytest.mark.parametrize("count", range(1, 6))
@pytest.mark.parametrize("order", [name for name in TAKERS if name not in ("groups", "favourites")])
def test_resting_tracks_come_last_in_every_order_and_for_every_draw(order: str, count: int) -> None:
    found = library("aabba"[:count])
    for late in subsets(count):
        recipe = Recipe(order, resting=late)
        shares = outcomes(order, orders(found, recipe))
        whole = late
        if order == "albums":  # an album rests as a whole
            letters = {"aabba"[index] for index in late}
            whole = frozenset(index for index in range(count) if "aabba"[index] in letters)
        elif order == "folders":  # all tracks are in one folder
            whole = frozenset(range(count)) if late else late
        assert sum(shares.values()) == 1
        assert all(is_behind(each, whole) for each in shares)


@pytest.mark.parametrize("late", subsets(5))
def test_resting_tracks_come_last_in_the_order_favourites(late: frozenset[int]) -> None:
    """With 50 seeds: it has too many draws to try them all."""
    found = library("abcde")
    for seed in range(50):
        order = orders(found, Recipe("favourites", resting=late))(Seeded(str(seed)))
        assert is_behind(order, late)


@pytest.mark.parametrize("late", [{0, 2}, {0, 1, 2}, {1, 2, 5}, {2, 3, 4, 5}])
def test_spread_separates_artists_among_resting_tracks_among_all_others_and_where_both_parts_meet(
    late: set[int],
) -> None:
    artists = "aabbcc"
    found = library(artists)
    recipe = Recipe("spread", resting=frozenset(late))
    keys = list(map(ord, artists))
    early_fewest = fewest_repeats([keys[index] for index in range(6) if index not in late])
    late_fewest = fewest_repeats([keys[index] for index in late])
    for order in outcomes("spread", orders(found, recipe)):
        early = 6 - len(late)
        assert is_behind(order, frozenset(late))
        assert repeats([keys[index] for index in order[:early]]) == early_fewest
        pairs = repeats([keys[index] for index in order]) - early_fewest
        meets = keys[order[early - 1]] == keys[order[early]] if 0 < early < 6 else False
        assert pairs <= late_fewest + meets
        others = {keys[index] for index in late} - ({keys[order[early - 1]]} if early else set())
        assert not (meets and others and late_fewest == 0 and len(late) > 2)


@pytest.mark.parametrize("order", ["albums", "groups"])
def test_a_whole_album_or_group_rests_if_one_of_its_tracks_rests(order: str) -> None:
    found = library("aabbcc")
    by = "artist" if order == "groups" else None
    shares = distribution(orders(found, Recipe(order, group_by=by, resting=frozenset({1}))))

    assert set(shares) == {(2, 3, 4, 5, 0, 1), (4, 5, 2, 3, 0, 1)}


@pytest.mark.parametrize(("order", "count"), [("random", 6), ("spread", 4)])
def test_a_limited_list_has_resting_tracks_only_if_there_are_too_few_others(order: str, count: int) -> None:
    found = library("abcdef"[:count])
    late = frozenset({0, 3})
    recipe = Recipe(order, limit=count - 2, resting=late)
    chosen = {frozenset(each) for each in outcomes(order, orders(found, recipe))}
    assert chosen == {frozenset(range(count)) - late}

    shares = outcomes(order, orders(found, recipe._replace(limit=count - 1)))
    assert all(is_behind(each, late) and len(late & {*each}) == 1 for each in shares)


def test_a_pinned_track_keeps_its_position_even_if_it_rests() -> None:
    found = library("abcabc")
    late = frozenset({0, 1})
    for order in ("random", "spread"):
        recipe = Recipe(order, (Pin(0, 0), Pin(5, 4)), resting=late)
        for each in outcomes(order, orders(found, recipe)):
            assert (each[0], each[4], each[5]) == (0, 5, 1)


@pytest.mark.parametrize("late", subsets(5))
@pytest.mark.parametrize("gap", [2, 3, 5])
def test_a_resting_track_comes_early_only_where_a_gap_allows_no_other_track(
    late: frozenset[int], gap: int
) -> None:
    found = library("abcde")
    last = Arranged([4, 3, 2, 1, 0], 5)
    recipe = Recipe(gap=Gap(gap), resting=late)
    shares = distribution(orders(found, recipe, last))
    first = {index: max(gap - 5 + at, 0) for at, index in enumerate(last.order)}

    assert sum(shares.values()) == 1
    for order in shares:
        assert all(at >= first[index] for at, index in enumerate(order))
        for at, index in enumerate(order):
            waiting = [other for other in order[at:] if other not in late and first[other] <= at]
            assert index not in late or not waiting
