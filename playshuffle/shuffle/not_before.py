"""Shuffle so that no entry comes too soon after it was last played."""

from bisect import bisect
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from playshuffle.shuffle.chance import RandBelow, draws

_NO_PINS: Mapping[int, int] = MappingProxyType({})


class EmptyPositionError(ValueError):
    """No entry may have a position.

    position: the first of them, from 0.
    """

    def __init__(self, position: int) -> None:
        super().__init__(f"no entry may have position {position}")
        self.position = position


def soonest_after(played: Sequence[int], gap: int) -> dict[int, int]:
    """Return the first position that each entry may have if `gap` plays lie between two of its plays.

    Args:
        played: distinct indices as they were last played.
        gap: plays from one playing of an entry to its next; 0 and 1 ask for nothing.
    """
    return {entry: max(gap - len(played) + at, 0) for at, entry in enumerate(played)}


def not_before(
    order: Sequence[int],
    soonest: Mapping[int, int],
    randbelow: RandBelow,
    pins: Mapping[int, int] = _NO_PINS,
    late: Collection[int] = (),
) -> list[int]:
    """Shuffle so that no entry comes before the first position that it may have.

    Uniform over all orders in which that is so: each position draws among the entries not yet
    used whose first position is not beyond it, and how many these are does not depend on the
    draws before. A pinned entry has its position, and may have it too soon.

    With late entries, each position draws among the others that are ready, and among the late ones only
    if there is no other. Such an order exists whenever one exists without that rule.

    Args:
        order: n distinct indices; not changed.
        soonest: `soonest[entry]` is its first position; an entry without one may have any.
        randbelow: drawn from once for each position without a pin.
        pins: `pins[position]` is the entry that has this position.
        late: entries that come behind the others.

    Returns:
        A new list of the same entries.

    Raises:
        EmptyPositionError: if such an order does not exist.
        ValueError: for a pinned position or entry that the order does not have.

    Cost: O(n log n).

    Source: none known.
    """
    staying = frozenset(pins.values())
    positions = [at for at in range(len(order)) if at not in pins]
    entries = sorted((entry for entry in order if entry not in staying), key=lambda e: soonest.get(e, 0))
    if len(entries) != len(positions) or len(staying) + len(entries) != len(order):
        raise ValueError(f"an order of {len(order)} cannot have the pins {dict(pins)}")
    firsts = [soonest.get(entry, 0) for entry in entries]
    bounds = [bisect(firsts, at) - used for used, at in enumerate(positions)]
    if min(bounds, default=1) < 1:
        raise EmptyPositionError(next(at for at, bound in zip(positions, bounds, strict=True) if bound < 1))
    # Of entries[used:bisect(firsts, at)] each may come next: those that are ready and were not used.
    if late:
        entries = _others_first(entries, firsts, positions, late, randbelow)
    else:
        for used, ahead in enumerate(draws(randbelow, bounds)):
            partner = used + ahead
            entries[used], entries[partner] = entries[partner], entries[used]
    result = [pins.get(at, -1) for at in range(len(order))]
    for at, entry in zip(positions, entries, strict=True):
        result[at] = entry
    return result


def _others_first(
    entries: Sequence[int],
    firsts: Sequence[int],
    positions: Sequence[int],
    late: Collection[int],
    randbelow: RandBelow,
) -> list[int]:
    """Return entries, sorted by their first positions, in an order with late ones only where need be."""
    result: list[int] = []
    ready: tuple[list[int], list[int]] = [], []
    read = 0
    for at in positions:
        end = bisect(firsts, at)
        for entry in entries[read:end]:
            ready[entry in late].append(entry)
        read = end
        pool = ready[0] or ready[1]
        drawn = randbelow(len(pool))
        pool[drawn], pool[-1] = pool[-1], pool[drawn]
        result.append(pool.pop())
    return result
