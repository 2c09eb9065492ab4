"""Shuffle so that no entry comes too soon after it was last played."""

from bisect import bisect
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from playshuffle.shuffle.chance import RandBelow, draws

_NO_PINS: Mapping[int, int] = MappingProxyType({})


class EmptyPositionError(ValueError):
    """No entry is allowed at `position`, from 0, which is the first such position."""

    def __init__(self, position: int) -> None:
        super().__init__(f"no entry may have position {position}")
        self.position = position


def soonest_after(played: Sequence[int], gap: int) -> dict[int, int]:
    """Map each played entry to its first allowed position, `gap` plays after its last play.

    `played` has distinct entries, the one played longest ago first. A gap of 0 or 1 has no effect.
    """
    return {entry: max(gap - len(played) + at, 0) for at, entry in enumerate(played)}


def not_before(
    order: Sequence[int],
    soonest: Mapping[int, int],
    randbelow: RandBelow,
    pins: Mapping[int, int] = _NO_PINS,
    late: Collection[int] = (),
) -> list[int]:
    """Shuffle so that no entry comes before its first allowed position.

    Uniform over all such orders: each position draws among the unused entries that are allowed there. Their
    number does not depend on earlier draws. A pinned entry may come too soon.

    A position draws among entries in `late` only if no other entry is allowed. This rule never makes the
    shuffle impossible.

    Args:
        soonest: maps an entry to its first allowed position; all others are allowed anywhere.
        randbelow: called once for each position without a pin.
        pins: maps a pinned position to its entry.

    Raises:
        EmptyPositionError: no such order exists.
        ValueError: a pinned position or entry is not in the order.

    Cost: O(n log n).
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
    # Any of entries[used:bisect(firsts, at)] may come next: they are allowed here and unused.
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
    """Put late entries only where no other is allowed; `entries` are sorted by first allowed position."""
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
