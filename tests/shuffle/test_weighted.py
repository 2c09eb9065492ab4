"""Shuffle by weight. `tests/audit` tests the probability of each position, under the order favourites."""

import math

from playshuffle.shuffle import weighted
from tests.shuffle.all_draws import replay


def test_a_weighted_shuffle_sorts_by_the_published_key_made_of_a_draw_and_the_weight() -> None:
    """The key is -ln(U)/w with U = (draw + 1)/2**53: finite for the smallest draw, 0 for the greatest."""
    top = (1 << 53) - 1

    assert weighted([0, 1, 2], [1.0, 1.0, 1.0], replay(0, top, 5)) == [1, 2, 0]
    half = (1 << 52) - 1
    assert math.log(2) / 3 < math.log(4) / 5
    assert weighted([0, 1], [3.0, 5.0], replay(half, (1 << 51) - 1)) == [0, 1]
