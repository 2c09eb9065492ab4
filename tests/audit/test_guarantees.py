"""Compare the probabilities that audits use with those of the shuffles, over all sequences of draws."""

import itertools
from collections import defaultdict
from fractions import Fraction

import pytest

from playshuffle.audit.audited_orders import NAMES, SPECIMEN, audited
from playshuffle.audit.guarantees import Chances, favoured, one_ring, uniform
from tests.shuffle.all_draws import distribution

# Spread, and shuffles by keys and by weight, have too many draws; top-in has no limit of draws.
ENDLESS = ("by-keys", "favourites", "spread", "top-in")
SHOWN = [name for name in NAMES if not name.startswith(SPECIMEN) and name not in ENDLESS]

Shares = dict[tuple[int, ...], Fraction]


def shares_of(name: str, tracks: int) -> Shares:
    """Return the exact probability of each order."""
    shuffle = audited(name, tracks).shuffle
    return distribution(lambda randbelow: tuple(shuffle(range(tracks), randbelow)))


def chances_of(shares: Shares, size: int) -> list[list[Fraction]]:
    """Return the exact probability of each track at each position."""
    chances = [[Fraction(0)] * size for _ in range(size)]
    for order, share in shares.items():
        for position, track in enumerate(order):
            chances[track][position] += share
    return chances


def approximate(chances: Chances) -> list[object]:
    return [pytest.approx(row, abs=1e-12) for row in chances]


@pytest.mark.parametrize("tracks", [3, 4, 5])
@pytest.mark.parametrize("name", SHOWN)
def test_the_probabilities_in_a_guarantee_are_exactly_the_probabilities_of_its_shuffle(
    name: str, tracks: int
) -> None:
    """And every order that the shuffle can result in keeps the rule of the guarantee."""
    guarantee = audited(name, tracks).guarantee
    shares: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for order, share in shares_of(name, tracks).items():
        assert guarantee.keeps is None or guarantee.keeps(order)
        shares[order if guarantee.counted is None else tuple(guarantee.counted(order))] += share

    assert chances_of(shares, len(guarantee.chances)) == approximate(guarantee.chances)
    assert guarantee.bits is None or 2**guarantee.bits == pytest.approx(len(shares))


@pytest.mark.parametrize("tracks", [3, 4, 5, 6])
def test_the_probabilities_of_a_weighted_order_are_those_of_drawing_tracks_by_weight(tracks: int) -> None:
    heavy = tracks // 2
    weights = [3] * heavy + [1] * (tracks - heavy)
    shares = {}
    for order in itertools.permutations(range(tracks)):
        shares[order] = Fraction(1)
        for position, track in enumerate(order):
            shares[order] *= Fraction(weights[track], sum(weights[left] for left in order[position:]))

    assert chances_of(shares, tracks) == approximate(favoured(tracks, heavy, 3).chances)


def freedom_of(shares: Shares, chances: list[list[Fraction]]) -> Fraction:
    """Return 2 · mean² / variance of the chi-square sum, from the probabilities of all pairs of orders."""
    size = len(chances)
    mean = sum(chance > 0 for row in chances for chance in row) - size
    square = Fraction(0)
    for (one, share), (other, chance) in itertools.product(shares.items(), repeat=2):
        same = [at for at in range(size) if one[at] == other[at]]
        agreement = sum((1 / chances[one[at]][at] for at in same), Fraction(0))
        square += share * chance * (agreement - size) ** 2
    return mean**2 / square


@pytest.mark.parametrize("tracks", [3, 4])
def test_the_degrees_of_freedom_that_audits_use_for_a_uniform_order_are_exact(tracks: int) -> None:
    shares = shares_of("random", tracks)

    assert freedom_of(shares, chances_of(shares, tracks)) == uniform(tracks).freedom == (tracks - 1) ** 2


@pytest.mark.parametrize("tracks", [3, 4, 5])
def test_the_degrees_of_freedom_that_audits_use_for_sattolo_are_close_to_the_exact_ones(tracks: int) -> None:
    """Within a tenth for up to five tracks."""
    shares = shares_of("sattolo", tracks)
    freedom = freedom_of(shares, chances_of(shares, tracks))

    assert freedom == pytest.approx(one_ring(tracks).freedom, rel=0.1)
