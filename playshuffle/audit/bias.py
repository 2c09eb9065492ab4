"""Count the position of each track over many shuffles, and test the counts for bias.

A cell is a track at a position. The sum over all cells of (seen - expected)² / expected is close to a scaled
chi-square sum. Its mean is exact: the number of cells that can be filled, less one a track. The guarantee
gives the degrees of freedom, or they follow from how much successive rounds agree (Satterthwaite, Biometrics
Bulletin 2 (1946) 110-114).
"""

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from playshuffle.audit.audited_orders import Audited
from playshuffle.audit.chisquare import tails
from playshuffle.audit.guarantees import Guarantee
from playshuffle.shuffle import RandBelow

# How often an audit calls a good order bad. Two figures are tested, each on both sides.
FALSE_ALARM = 1 / 10_000
_BAD = FALSE_ALARM / 2

# Rounds for each track. With fewer, a cell has too few counts for a chi-square sum.
ROUNDS_PER_TRACK = 5


class Counts(NamedTuple):
    """Counts over all rounds.

    Attributes:
        cells: cells[track][position] is the number of rounds with this track at this position.
        fixed: number of tracks that kept their position, summed over all rounds.
        fixed_squares: the same, squared in each round before the sum.
        agreement: mean square of how much successive rounds agree; 1 for each cell if cells are independent.
    """

    rounds: int
    cells: list[list[int]]
    fixed: int
    fixed_squares: int
    broken: int
    agreement: float
    ns_per_track: float


class Verdict(NamedTuple):
    """The result of the tests: good if `reasons` is empty.

    Attributes:
        p: probability of so extreme a chi-square sum by chance.
        fixed_expected: the expected value of `Counts.fixed`.
        impossible: how often a track was at a position with probability 0.
    """

    chi_square: float
    freedom: float
    p: float
    fixed_expected: float
    fixed_p: float
    impossible: int
    reasons: list[str]


def count(
    order: Audited, rounds: int, randbelow: RandBelow, report: Callable[[int], None] = lambda _: None
) -> Counts:
    """Shuffle the same tracks in each round, and count the positions of each track.

    `report` is called with the number of finished rounds.
    """
    guarantee = order.guarantee
    size = len(guarantee.chances)
    inverse = [[1 / chance if chance else 0.0 for chance in row] for row in guarantee.chances]
    cells = [[0] * size for _ in range(size)]
    natural = range(order.tracks)
    fixed = fixed_squares = broken = ns = 0
    agreement = 0.0
    before: Sequence[int] = ()
    for done in range(rounds):
        report(done)
        start_ns = time.perf_counter_ns()
        shuffled = order.shuffle(natural, randbelow)
        ns += time.perf_counter_ns() - start_ns
        if guarantee.keeps is not None and not guarantee.keeps(shuffled):
            broken += 1
        if guarantee.counted is not None:
            shuffled = guarantee.counted(shuffled)
        for position, track in enumerate(shuffled):
            cells[track][position] += 1
        stayed = sum(map(int.__eq__, shuffled, natural))
        fixed += stayed
        fixed_squares += stayed * stayed
        if guarantee.freedom is None and before:
            pairs = enumerate(zip(shuffled, before, strict=True))
            fixed_points = sum(inverse[track][position] for position, (track, old) in pairs if track == old)
            agreement += (fixed_points - size) ** 2
        before = shuffled
    return Counts(
        rounds, cells, fixed, fixed_squares, broken, agreement / (rounds - 1), ns / rounds / order.tracks
    )


def judge(order: Audited, counts: Counts) -> Verdict:
    """Test the counts against the guarantee of the order."""
    guarantee, own_bits = order.guarantee, order.entropy_bits
    chi_square, freedom = _chi_square(counts, guarantee)
    low, high = tails(chi_square, freedom)
    p = min(1.0, 2 * min(low, high))
    fixed_expected = counts.rounds * sum(row[track] for track, row in enumerate(guarantee.chances))
    fixed_p = _fixed_p(counts, fixed_expected)
    impossible = sum(
        observed
        for row, chances in zip(counts.cells, guarantee.chances, strict=True)
        for observed, chance in zip(row, chances, strict=True)
        if not chance
    )
    reasons = []
    if impossible:
        reasons.append(f"{impossible:,} times a track stood where it may not")
    if counts.broken:
        reasons.append(f"in {counts.broken:,} rounds it is not so that {guarantee.rule}")
    if p < _BAD:
        reasons.append(
            "the positions are too even for chance" if low < high else "some positions are favoured"
        )
    if fixed_p < _BAD:
        reasons.append(f"too {'few' if counts.fixed < fixed_expected else 'many'} tracks keep their position")
    if own_bits is not None and guarantee.bits is not None and own_bits < guarantee.bits:
        reasons.append(f"its own generator has {own_bits} bits and can never reach most orders")
    return Verdict(chi_square, freedom, p, fixed_expected, fixed_p, impossible, reasons)


def deviations(counts: Counts, guarantee: Guarantee, pooled: int = 1) -> list[list[float]]:
    """Return the deviation of each cell from its expected count, in standard deviations.

    Blocks of `pooled` rows and columns count as one cell. A cell that must be empty has NaN if it is empty,
    and infinity if not.
    """
    size = len(counts.cells)
    parts = [range(start, min(start + pooled, size)) for start in range(0, size, pooled)]
    return [[_deviation(counts, guarantee, tracks, positions) for positions in parts] for tracks in parts]


def _deviation(counts: Counts, guarantee: Guarantee, tracks: range, positions: range) -> float:
    chances = [guarantee.chances[track][position] for track in tracks for position in positions]
    observed = sum(counts.cells[track][position] for track in tracks for position in positions)
    if not any(chances):
        return math.inf if observed else math.nan
    off = observed - counts.rounds * sum(chances)
    variance = counts.rounds * sum(chance * (1 - chance) for chance in chances)
    if not variance:  # the track always keeps its position
        return math.copysign(math.inf, off) if off else 0.0
    return off / math.sqrt(variance)


def _chi_square(counts: Counts, guarantee: Guarantee) -> tuple[float, float]:
    chi_square = 0.0
    mean = -len(guarantee.chances)
    for row, chances in zip(counts.cells, guarantee.chances, strict=True):
        for observed, chance in zip(row, chances, strict=True):
            if chance:
                mean += 1
                chi_square += (observed - counts.rounds * chance) ** 2 / (counts.rounds * chance)
    freedom = mean**2 / counts.agreement if guarantee.freedom is None else guarantee.freedom
    return chi_square * freedom / mean, freedom


def _fixed_p(counts: Counts, expected: float) -> float:
    """Return the probability of so many, or so few, fixed tracks by chance."""
    variance = counts.fixed_squares - counts.fixed**2 / counts.rounds
    if variance <= 0:  # the same in every round
        return float(math.isclose(counts.fixed, expected, abs_tol=1e-6))
    return math.erfc(abs(counts.fixed - expected) / math.sqrt(2 * variance))
