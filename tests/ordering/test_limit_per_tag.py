"""A limit for each artist: which of the tracks above the limit are omitted is uniformly random."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playshuffle.ordering.limit_per_tag import over_limit, values
from playshuffle.shuffle import RandBelow, Seeded
from playshuffle.tags.reading import Tags
from tests.shuffle.all_draws import distribution
from tests.support.tagged import all_of, tagged


def no_rank(_: int) -> int:
    return 0


@pytest.mark.parametrize("count", range(1, 7))
@pytest.mark.parametrize("limit", range(1, 5))
def test_under_a_limit_each_choice_of_tracks_of_one_artist_is_equally_likely(count: int, limit: int) -> None:
    def kept(randbelow: RandBelow) -> frozenset[int]:
        return frozenset(range(count)).difference(
            over_limit(dict.fromkeys(range(count), 0), limit, no_rank, randbelow)[0]
        )

    choices = list(map(frozenset, combinations(range(count), min(limit, count))))

    assert distribution(kept) == dict.fromkeys(choices, Fraction(1, len(choices)))


def test_under_a_limit_the_tracks_of_each_artist_are_chosen_independently() -> None:
    shares = distribution(lambda draw: tuple(over_limit({0: 0, 1: 1, 2: 0, 3: 1, 4: 0}, 1, no_rank, draw)[0]))

    assert len(shares) == 6
    assert set(shares.values()) == {Fraction(1, 6)}


def test_a_limit_keeps_tracks_of_lower_rank_first_and_chooses_at_random_among_equal_ranks() -> None:
    shares = distribution(
        lambda draw: tuple(over_limit(dict.fromkeys(range(5), 0), 3, [1, 2, 0, 2, 2].__getitem__, draw)[0])
    )

    assert shares == dict.fromkeys([(1, 3), (1, 4), (3, 4)], Fraction(1, 3))


@given(
    numbers=st.lists(st.integers(0, 3), max_size=30),
    limit=st.integers(1, 4),
    seed=st.integers(0, 1 << 30),
    data=st.data(),
)
def test_a_limit_omits_only_the_surplus_tracks_of_each_value_those_of_highest_rank(
    numbers: list[int], limit: int, seed: int, data: st.DataObject
) -> None:
    ranks = data.draw(st.lists(st.integers(0, 2), min_size=len(numbers), max_size=len(numbers)))
    out, _ = over_limit(dict(enumerate(numbers)), limit, ranks.__getitem__, Seeded(str(seed)))
    kept = Counter(number for index, number in enumerate(numbers) if index not in out)

    assert out == sorted(set(out))
    assert kept == {number: min(limit, count) for number, count in Counter(numbers).items()}
    for index in out:  # whatever is kept of its value has no higher rank
        mine = {other for other, number in enumerate(numbers) if number == numbers[index]}
        assert all(ranks[other] <= ranks[index] for other in mine.difference(out))


@given(
    numbers=st.lists(st.integers(0, 2), max_size=6),
    limit=st.integers(1, 3),
    ranks=st.lists(st.integers(0, 1), min_size=6, max_size=6),
)
def test_the_second_result_lists_exactly_the_omitted_tracks_that_another_draw_could_keep(
    numbers: list[int], limit: int, ranks: list[int]
) -> None:
    left_out = distribution(
        lambda draw: frozenset(over_limit(dict(enumerate(numbers)), limit, ranks.__getitem__, draw)[0])
    )
    out, drawn = over_limit(dict(enumerate(numbers)), limit, ranks.__getitem__, Seeded("0"))

    assert set(out).difference(drawn) == frozenset.intersection(*left_out)


def test_under_a_limit_for_each_album_tracks_without_an_album_do_not_count_as_one_album() -> None:
    files = [Tags(album="A"), Tags(album="a"), Tags(), Tags(), None]
    tracks, tags_of = tagged({f"/m/{number}.ogg": each for number, each in enumerate(files)})
    one, two, *others = values(all_of(tracks, tags_of), "album").values()

    assert one == two
    assert len({one, *others}) == 4
