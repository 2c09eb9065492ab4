"""Deal some entries of an order in random order."""

from collections.abc import Sequence

from playshuffle.shuffle.chance import RandBelow, draws


def deal(order: Sequence[int], count: int, randbelow: RandBelow) -> tuple[list[int], list[int]]:
    """Deal some entries off the order, as a forward Durstenfeld shuffle that stops early.

    The dealt are uniform over all ordered selections of `count` entries; to deal on from the
    rest is to go on with the same shuffle.

    Args:
        order: n distinct indices; not changed.
        count: how many to deal, 0 to n.
        randbelow: drawn from `count` times, with bounds n, n-1, …; not for the last one left.

    Returns:
        The dealt entries, and the rest in no order that means anything.

    Raises:
        ValueError: for a count below 0 or above n.

    Cost: O(count) draws, O(n) to copy.

    Source: Durstenfeld, Communications of the ACM 7 (1964), algorithm 235.
    """
    _check(count, len(order))
    shuffled = list(order)
    bounds = range(len(order), max(len(order) - count, 1), -1)
    for position, ahead in enumerate(draws(randbelow, bounds)):
        partner = position + ahead
        shuffled[position], shuffled[partner] = shuffled[partner], shuffled[position]
    return shuffled[:count], shuffled[count:]


def sparse_deal(n: int, count: int, randbelow: RandBelow) -> list[int]:
    """Deal from 0, 1, …, n-1 without writing them out; the same as `deal` does with the same draws.

    Uniform over all ordered selections of `count` out of n.

    Args:
        n: how many there are to deal from.
        count: how many to deal, 0 to n.
        randbelow: drawn from `count` times, with bounds n, n-1, …; not for the last one left.

    Returns:
        The dealt entries.

    Raises:
        ValueError: for a count below 0 or above n.

    Cost: O(count) time and memory, however large n is.

    Source: Durstenfeld, as above; only positions whose entry is no longer their own are kept.
    """
    _check(count, n)
    moved: dict[int, int] = {}
    dealt = []
    for position, ahead in enumerate(draws(randbelow, range(n, max(n - count, 1), -1))):
        partner = position + ahead
        entry = moved.pop(position, position)
        dealt.append(moved.get(partner, partner) if ahead else entry)
        moved[partner] = entry
    if len(dealt) < count:
        dealt.append(moved.get(n - 1, n - 1))
    return dealt


def _check(count: int, n: int) -> None:
    if not 0 <= count <= n:
        raise ValueError(f"cannot deal {count} of {n}")
