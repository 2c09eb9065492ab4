"""Deal some entries of an order in random order."""

from collections.abc import Sequence

from playshuffle.shuffle.chance import RandBelow, draws


def deal(order: Sequence[int], count: int, randbelow: RandBelow) -> tuple[list[int], list[int]]:
    """Deal some entries, as a forward Durstenfeld shuffle that stops early.

    The dealt entries are uniform over all ordered selections of `count` entries (0 to n). A further deal from
    the rest continues the same shuffle. Returns the dealt entries, and the rest in an arbitrary order.

    Draws: `count`, with bounds n, n-1, …; none for the last entry left. Cost: O(count) draws, O(n) to copy.

    Raises:
        ValueError: the count is below 0 or above n.

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
    """Return the entries that `deal` deals from 0, 1, …, n-1, without building that list.

    It draws and raises as `deal` does, but costs only O(count) time and memory.
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
