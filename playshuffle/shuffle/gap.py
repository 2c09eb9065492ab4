"""The seam between two rounds: the order just played in, the next one out, no entry back too soon."""

from bisect import bisect
from collections.abc import Mapping, Sequence

from playshuffle.shuffle.chance import RandBelow, draws
from playshuffle.shuffle.uniform import durstenfeld


def after_gap(order: Sequence[int], gap: int, randbelow: RandBelow) -> list[int]:
    """Shuffle so that no entry is played again before `gap` plays since it was last played.

    Uniform over all orders that keep the gap: place p draws among the entries not yet used
    of the first n-gap+p+1, and how many these are does not depend on the draws before. A gap
    of 0 or 1 asks for nothing, one of n repeats the order. Entries that were not played in
    the last round go in front of it: as if they had been played longest ago.

    Args:
        order: n distinct indices as they were last played; not changed.
        gap: plays from one playing of an entry to its next, 0 to n.
        randbelow: drawn from n-1 times: gap-1 times with bound n-gap+1, then with one less
            each time down to 2; gap 0 draws as 1.

    Returns:
        A new list of the same entries; for n < 2 the same order.

    Raises:
        ValueError: for a gap below 0 or above n (above 1 for n = 0).

    Cost: O(n).

    Source: none known.
    """
    if not 0 <= gap <= max(len(order), 1):
        raise ValueError(f"an order of {len(order)} cannot keep a gap of {gap}")
    free_count = len(order) - max(gap, 1) + 1
    free, waiting = list(order[:free_count]), order[free_count:]
    opening = []
    for entry, drawn in zip(waiting, draws(randbelow, [free_count] * len(waiting)), strict=True):
        opening.append(free[drawn])
        free[drawn] = entry
    return opening + durstenfeld(free, randbelow)


def not_before(order: Sequence[int], soonest: Mapping[int, int], randbelow: RandBelow) -> list[int]:
    """Shuffle so that no entry comes before the first place that it may have.

    Uniform over all orders in which that is so: place p draws among the entries not yet used
    whose first place is p or lower, and how many these are does not depend on the draws before.

    Args:
        order: n distinct indices; not changed.
        soonest: `soonest[entry]` is its first place; an entry that is not named may have any.
        randbelow: drawn from n times.

    Returns:
        A new list of the same entries.

    Raises:
        ValueError: if there is no such order.

    Cost: O(n log n).

    Source: none known.
    """
    entries = sorted(order, key=lambda entry: soonest.get(entry, 0))
    firsts = [soonest.get(entry, 0) for entry in entries]
    bounds = [bisect(firsts, place) - place for place in range(len(entries))]
    if min(bounds, default=1) < 1:
        raise ValueError(
            f"no entry may have place {next(at for at, bound in enumerate(bounds) if bound < 1)}"
        )
    # Of entries[place:bisect(firsts, place)] each may come next: those that are ready and did not come.
    for place, ahead in enumerate(draws(randbelow, bounds)):
        partner = place + ahead
        entries[place], entries[partner] = entries[partner], entries[place]
    return entries
