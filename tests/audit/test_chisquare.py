"""The tails of a chi-square sum are those that tables and other programs give."""

import math

import pytest

from playshuffle.audit.chisquare import tails
from tests.support.needs import unmet

SUMS = [0.5, 3.0, 12.0, 40.0, 300.0]


@pytest.mark.parametrize("chi_square", SUMS)
def test_two_and_four_degrees_of_freedom_have_a_closed_form(chi_square: float) -> None:
    half = chi_square / 2

    assert tails(chi_square, 2)[1] == pytest.approx(math.exp(-half), rel=1e-12)
    assert tails(chi_square, 4)[1] == pytest.approx(math.exp(-half) * (1 + half), rel=1e-12)


@pytest.mark.parametrize("chi_square", SUMS)
def test_one_degree_of_freedom_is_the_square_of_a_normal_draw(chi_square: float) -> None:
    assert tails(chi_square, 1)[1] == pytest.approx(math.erfc(math.sqrt(chi_square / 2)), rel=1e-12)


@pytest.mark.parametrize(
    ("chi_square", "freedom", "large"), [(3.841, 1, 0.05), (18.307, 10, 0.05), (29.588, 10, 0.001)]
)
def test_the_tails_are_those_of_the_table(chi_square: float, freedom: int, large: float) -> None:
    assert tails(chi_square, freedom)[1] == pytest.approx(large, rel=1e-3)


@pytest.mark.parametrize("freedom", [0.5, 1, 7, 121, 3481])
def test_the_tails_meet_where_series_and_fraction_meet(freedom: float) -> None:
    """Both sum to one, and neither jumps from one way of reckoning to the other."""
    below, above = tails(freedom + 1.999999, freedom), tails(freedom + 2.000001, freedom)

    assert sum(below) == pytest.approx(1)
    assert below == pytest.approx(above, rel=1e-5)


def test_the_tails_are_in_their_bounds_however_far_out() -> None:
    assert tails(0, 3481) == (0, 1)
    assert tails(1e7, 3481) == (1, 0)
    assert 0 < tails(5500, 3481)[1] < 1e-80
    assert 0 < tails(2000, 3481)[0] < 1e-80


def test_the_tails_are_those_of_scipy() -> None:
    try:
        from scipy import stats
    except ImportError:
        unmet("scipy is missing: pip install scipy")
    for freedom in (1, 2.5, 49, 3481, 100_000):
        for off in (-8, -3, -1, 0, 0.5, 2, 6, 20):
            chi_square = freedom + off * math.sqrt(2 * freedom)
            if chi_square > 0:
                low, high = tails(chi_square, freedom)

                assert low == pytest.approx(stats.chi2.cdf(chi_square, freedom), rel=1e-8)
                assert high == pytest.approx(stats.chi2.sf(chi_square, freedom), rel=1e-8)
