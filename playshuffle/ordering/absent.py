"""Keep the positions of absent tracks in an order, so that a track that returns has its position."""

from collections import defaultdict
from collections.abc import Sequence

ABSENT_S = 30 * 86_400  # how long the position of an absent track is remembered


def insert_absent(order: Sequence[int], present: Sequence[int]) -> list[int]:
    """Insert the tracks of an order that another one lacks into that one, each after its predecessor.

    Mostly these are the absent tracks, and the other order has the present ones.
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
