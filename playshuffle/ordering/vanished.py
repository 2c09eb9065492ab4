"""Remember the positions of vanished tracks for 30 days, so that a drive that returns has its order."""

from collections import defaultdict
from collections.abc import Sequence

from playshuffle.library.identity import Remembered

VANISHED_S = 30 * 86_400  # how long the position of a vanished track is remembered


def recently_vanished(before: Remembered, vanished: Sequence[int], now_s: int) -> list[tuple[int, int]]:
    """Return the vanished tracks that are still remembered, and since when (Unix seconds).

    Args:
        before: the remembered order.
        vanished: indices in it of all tracks that do not exist.
        now_s: Unix time.
    """
    # The clock may have been set back; the track must not stay for ever.
    since = [(index, min(before.gone.get(index, now_s), now_s)) for index in vanished]
    return [(index, since_s) for index, since_s in since if now_s - since_s <= VANISHED_S]


def insert_vanished(order: Sequence[int], present: Sequence[int]) -> list[int]:
    """Insert the tracks of an order that another one lacks into that one, each after its predecessor.

    Mostly these are the vanished tracks, and the other order has the present ones.
    """
    present_set = frozenset(present)
    if present_set.issuperset(order):
        return list(present)
    behind: dict[int, list[int]] = defaultdict(list)
    before = -1
    for index in order:
        if index in present_set:
            before = index
        else:
            behind[before].append(index)
    result = list(behind[-1])
    for index in present:
        result.append(index)
        result += behind.get(index, ())
    return result
