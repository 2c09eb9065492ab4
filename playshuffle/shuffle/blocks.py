"""Shuffle whole groups, each kept together."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from playshuffle.shuffle.chance import RandBelow
from playshuffle.shuffle.uniform import durstenfeld

# Which blocks are shuffled within as well; 'last' is the one that comes to be played last.
Inside = Literal["none", "last", "all"]


def blocks(
    order: Sequence[int], keys: Sequence[int], randbelow: RandBelow, inside: Inside = "none"
) -> list[int]:
    """Shuffle the groups and keep each together.

    Uniform over the m! orders of m groups; inside a group entries stay in their order, or
    each of their orders is equally likely too.

    Args:
        order: n distinct indices; not changed. A group need not stand together in it.
        keys: `keys[entry]` is the group of an entry.
        randbelow: drawn from m-1 times as by Durstenfeld, then likewise for each block that
            is shuffled inside, as they will be played.
        inside: which blocks are shuffled inside: none, the one played last, or all.

    Returns:
        A new list of the same entries.

    Cost: O(n).

    Source: none.
    """
    return _shuffled(members(order, keys).values(), randbelow, inside)


def members(order: Sequence[int], keys: Sequence[int]) -> dict[int, list[int]]:
    """Return the entries of each group, in their order; the groups by first sight."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for entry in order:
        groups[keys[entry]].append(entry)
    return groups


def _shuffled(groups: Iterable[list[int]], randbelow: RandBelow, inside: Inside) -> list[int]:
    in_order = list(groups)
    shuffled_blocks = [in_order[number] for number in durstenfeld(range(len(in_order)), randbelow)]
    first_mixed = {"none": len(shuffled_blocks), "last": max(len(shuffled_blocks) - 1, 0), "all": 0}[inside]
    mixed = [durstenfeld(block, randbelow) for block in shuffled_blocks[first_mixed:]]
    return [entry for block in shuffled_blocks[:first_mixed] + mixed for entry in block]
