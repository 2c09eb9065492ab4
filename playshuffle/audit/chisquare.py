"""Compute the probabilities that a chi-square sum is so small, or so large, by chance."""

import math

_ENOUGH = 1e-15
_TINY = 1e-300


def tails(chi_square: float, freedom: float) -> tuple[float, float]:
    """Return the probabilities that a chi-square sum is at most, and at least, `chi_square`.

    They are the regularised incomplete gamma functions P and Q. The smaller result is exact to ten digits,
    down to 1e-300.

    Source: Press et al., Numerical Recipes, section 6.2.
    """
    a, x = freedom / 2, chi_square / 2
    if x <= 0:
        return 0.0, 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        small = min(scale * _series(a, x), 1.0)
        return small, 1 - small
    large = min(scale * _fraction(a, x), 1.0)
    return 1 - large, large


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    while term > total * _ENOUGH:
        a += 1
        term *= x / a
        total += term
    return total


def _fraction(a: float, x: float) -> float:
    """Evaluate the continued fraction of Q by Lentz's method."""
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    total, step, turn = d, 0.0, 0
    while abs(step - 1) > _ENOUGH:
        turn += 1
        factor = turn * (a - turn)
        b += 2
        d = 1 / (factor * d + b or _TINY)
        c = b + factor / c or _TINY
        step = c * d
        total *= step
    return total
