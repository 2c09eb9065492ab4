"""The statistics of an audit: good shuffles pass, and bad ones are called bad."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from playshuffle import shuffle
from playshuffle.audit.audited_orders import NAMES, SPECIMEN, Audited, artists, audited
from playshuffle.audit.bias import Verdict, count, deviations, judge
from playshuffle.audit.chisquare import tails
from playshuffle.shuffle import RandBelow, Seeded, Shuffle, durstenfeld
from playshuffle.shuffle.specimens import SPECIMENS, swap_any
from tests.support.needs import unmet


def judged(order: Audited, rounds: int, seed: str = "audit") -> Verdict:
    return judge(order, count(order, rounds, Seeded(seed)))


def posing_as(name: str, made: Shuffle, tracks: int = 60) -> Audited:
    """Return an audit of one shuffle against the guarantee of another."""
    return audited(name, tracks)._replace(shuffle=made)


def one_of(orders: Sequence[Sequence[int]]) -> Shuffle:
    """Return a shuffle whose results are these orders, in turn."""
    turns = itertools.cycle(orders)
    return lambda *_: list(next(turns))


def test_the_figures_of_a_known_bad_shuffle_of_three_tracks_are_exactly_those_computed_by_hand() -> None:
    """All 27 sequences of draws, 100 times each, leave four cells uneven.

    They are off by 100 of 900, so the sum is 400/9. Its mean is 9 - 3, with (3 - 1)² degrees of freedom.
    """
    paths = iter(list(itertools.chain.from_iterable(itertools.product(range(3), repeat=3))) * 100)
    order = posing_as("random", swap_any, 3)
    counts = count(order, 2700, lambda _: next(paths))
    found = judge(order, counts)

    assert counts.cells == [[900, 1000, 800], [900, 800, 1000], [900, 900, 900]]
    assert found.chi_square == pytest.approx(400 / 9 * 4 / 6)
    assert found.freedom == 4
    half = found.chi_square / 2
    assert found.p == pytest.approx(2 * math.exp(-half) * (1 + half))
    assert (counts.fixed, found.fixed_expected) == (2600, 2700)
    assert found.reasons == ["some positions are favoured"]


def test_a_shuffle_whose_positions_are_more_even_than_chance_allows_is_called_bad() -> None:
    order = posing_as("random", one_of(list(itertools.permutations(range(3)))), 3)
    counts = count(order, 600, Seeded("audit"))
    found = judge(order, counts)

    assert (found.chi_square, counts.fixed, found.fixed_expected) == (0, 600, 600)
    assert found.reasons == ["the positions are too even for chance"]


def test_the_deviation_of_each_cell_from_its_expected_count_is_in_standard_deviations() -> None:
    """In 1800 rounds, each cell has 600 ± 20; three of the cells have 650, 550 and 600."""
    made = [[0, 1, 2]] * 650 + [[1, 0, 2]] * 550 + [[2, 1, 0]] * 600
    order = posing_as("random", one_of(made), 3)
    counts = count(order, 1800, Seeded(""))

    assert deviations(counts, order.guarantee)[0] == pytest.approx([2.5, -2.5, 0])
    assert deviations(counts, order.guarantee, 3) == [[pytest.approx(0)]]


def test_the_deviation_of_a_cell_that_must_be_empty_is_nan_if_it_is_empty_and_else_infinite() -> None:
    order = posing_as("sattolo", one_of([[1, 2, 0], [2, 0, 1], [0, 2, 1]]), 3)
    counts = count(order, 300, Seeded(""))
    matrix = deviations(counts, order.guarantee)

    assert matrix[0][0] == math.inf
    assert math.isnan(matrix[1][1])
    assert "100 times a track stood where it may not" in judge(order, counts).reasons


def test_the_deviation_of_the_cell_of_a_pinned_track_is_zero() -> None:
    order = audited("pinned", 6)
    matrix = deviations(count(order, 100, Seeded("")), order.guarantee)

    assert matrix[0][0] == matrix[3][3] == 0


@pytest.mark.parametrize("rounds", [500, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", NAMES)
def test_every_good_order_passes_its_audit_and_every_bad_shuffle_fails(name: str, rounds: int) -> None:
    """With one seed in 10,000 a good order is called bad; with this one none is."""
    order = audited(name, 8 if name == "table" else 60)
    reasons = judged(order, rounds).reasons

    assert bool(reasons) == name.startswith(SPECIMEN)
    assert not reasons or order.entropy_bits or "some positions are favoured" in reasons


def test_a_shuffle_whose_generator_has_fewer_bits_than_all_orders_need_fails_its_audit() -> None:
    few, many = audited(f"{SPECIMEN}little-state", 8), audited(f"{SPECIMEN}little-state", 9)

    assert SPECIMENS["little-state"].entropy_bits == 16
    assert not any("bits" in reason for reason in judged(few, 100).reasons)
    assert any("16 bits" in reason for reason in judged(many, 100).reasons)


def deranged(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Shuffle until no track keeps its position: as even as Sattolo, but not always one cycle."""
    while True:
        made = durstenfeld(order, randbelow)
        if all(map(int.__ne__, made, order)):
            return made


def leaning(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Return an order of one cycle, as Sattolo, but always with the last track first."""
    inner = durstenfeld(order[:-1], randbelow)
    ring = [order[-1], *inner]
    made = list(order)
    for at, track in enumerate(ring):
        made[track] = ring[at - 1]
    turn = made.index(order[-1])
    made[turn], made[0] = made[0], made[turn]
    return made


def with_gap(plays: int) -> Shuffle:
    return lambda order, randbelow: shuffle.not_before(order, shuffle.soonest_after(order, plays), randbelow)


def of_keys(make: Callable[..., list[int]], *more: Any) -> Shuffle:
    return lambda order, randbelow: make(order, artists(len(order)), randbelow, *more)


def spread_from_the_top(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    """Return an order with the fewest repeats, but the artist with most tracks always begins."""
    keys = artists(len(order))
    made = shuffle.spread(order, keys, randbelow)
    at = next(at for at, track in enumerate(made) if keys[track] == max(keys) - 1)
    turned = made[at:] + made[:at]
    return turned if sum(map(int.__eq__, map(keys.__getitem__, turned), keys[1:])) else made


def heavier(order: Sequence[int], randbelow: RandBelow) -> list[int]:
    half = len(order) // 2
    return shuffle.weighted(order, [6] * half + [1] * (len(order) - half), randbelow)


@pytest.mark.parametrize(
    ("name", "wrong", "reason"),
    [
        ("sattolo", durstenfeld, "stood where it may not"),
        ("sattolo", deranged, "in one ring"),
        ("sattolo", leaning, "favoured"),
        ("gap", durstenfeld, "stood where it may not"),
        ("gap", with_gap(14), "stood where it may not"),
        ("gap", with_gap(20), "favoured"),
        ("spread", durstenfeld, "as few as can be"),
        ("spread", spread_from_the_top, "favoured"),
        ("groups", durstenfeld, "stays together"),
        ("groups", of_keys(shuffle.blocks, "all"), "in its order"),
        ("light", durstenfeld, "favoured"),
        ("light", lambda order, draw: shuffle.semi_shuffle(order, 13, 1, draw), "keep their position"),
        ("pinned", durstenfeld, "stood where it may not"),
        ("part", durstenfeld, "stood where it may not"),
        ("deal", durstenfeld, "stood where it may not"),
        ("favourites", durstenfeld, "favoured"),
        ("favourites", heavier, "favoured"),
        ("random", shuffle.sattolo, "too few tracks keep their position"),
        ("random", lambda order, draw: shuffle.semi_shuffle(order, 1, 0, draw), "too many tracks keep"),
    ],
)
def test_a_shuffle_that_breaks_its_guarantee_fails_the_audit(name: str, wrong: Shuffle, reason: str) -> None:
    assert any(reason in found for found in judged(posing_as(name, wrong), 400).reasons)


@pytest.mark.parametrize("name", ["random", "sattolo", "gap", "light", "spread"])
def test_the_p_values_of_a_good_order_are_uniformly_distributed_over_many_seeds(name: str) -> None:
    """Test of Kolmogorov and Smirnov over 100 seeds: 2.225 is exceeded once in 10,000 cases."""
    seeds = 100
    order = audited(name, 8)
    found = [judged(order, 100, str(seed)) for seed in range(seeds)]
    for ps in (sorted(one.p for one in found), sorted(one.fixed_p for one in found)):
        if ps[0] < 1:  # with Sattolo there are no fixed points to be counted
            farthest = max(abs(p - (at + 0.5) / seeds) for at, p in enumerate(ps))

            assert farthest * math.sqrt(seeds) < 2.225


def test_p_values_of_extreme_chi_square_sums_stay_between_0_and_1() -> None:
    assert tails(0, 3481) == (0, 1)
    assert tails(1e7, 3481) == (1, 0)
    assert 0 < tails(5500, 3481)[1] < 1e-80
    assert 0 < tails(2000, 3481)[0] < 1e-80


def test_p_values_of_chi_square_sums_equal_those_of_scipy() -> None:
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
