"""The tails of a chi-square sum are those that tables and other programs give."""

import math

import pytest

from playshuffle.audit.chisquare import tails
from tests.support.needs import unmet


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
    for freedom in (0.5, 1, 2, 2.5, 4, 49, 3481, 100_000):
        for chi_square in (freedom + 1.999999, freedom + 2.000001):  # where series and fraction meet
            assert tails(chi_square, freedom)[0] == pytest.approx(stats.chi2.cdf(chi_square, freedom))
        for off in (-8, -3, -1, 0, 0.5, 2, 6, 20):
            chi_square = freedom + off * math.sqrt(2 * freedom)
            if chi_square > 0:
                low, high = tails(chi_square, freedom)

                assert low == pytest.approx(stats.chi2.cdf(chi_square, freedom), rel=1e-8)
                assert high == pytest.approx(stats.chi2.sf(chi_square, freedom), rel=1e-8)
