"""Weights: the heavier an entry, the earlier, in the exact proportion."""

import math

import pytest

from playshuffle.shuffle import Seeded, System, weighted
from tests.shuffle.all_draws import replay


def test_the_first_entry_is_drawn_in_proportion_to_its_weight() -> None:
    """Of 8,000 rounds each count is off by 45 at most as a rule; by 270, 6 deviations, once in 10⁹ cases."""
    source = Seeded("weights")
    weights = [1, 2, 0, 5]
    firsts = [weighted([0, 1, 3], weights, source)[0] for _ in range(8000)]

    assert all(abs(firsts.count(entry) - 1000 * weights[entry]) < 270 for entry in (0, 1, 3))


def test_the_second_entry_is_drawn_by_weight_among_the_entries_left() -> None:
    """2 follows 1 in 5 of 6 rounds, by their weights; 6 deviations of about 4,000 are 142."""
    source = Seeded("weights")
    seconds = [
        order[1] for order in (weighted([0, 1, 2], [1, 4, 5], source) for _ in range(10_000)) if order[0] == 1
    ]

    assert abs(seconds.count(2) - len(seconds) * 5 / 6) < 142


def test_weighted_sorts_by_the_published_key_that_is_made_of_a_draw_and_the_weight() -> None:
    """-ln(U)/w with U = (draw + 1)/2**53: the least draw has a finite key, the greatest comes first."""
    top = (1 << 53) - 1

    assert weighted([0, 1, 2], [1.0, 1.0, 1.0], replay(0, top, 5)) == [1, 2, 0]
    half = (1 << 52) - 1
    assert math.log(2) / 3 < math.log(4) / 5
    assert weighted([0, 1], [3.0, 5.0], replay(half, (1 << 51) - 1)) == [0, 1]


@pytest.mark.parametrize("weight", [0.0, -1.0, math.inf, math.nan, 1e-101])
def test_a_weight_must_be_a_positive_number(weight: float) -> None:
    with pytest.raises(ValueError, match="weight"):
        weighted([0, 1], [1.0, weight], System())
