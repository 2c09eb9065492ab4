"""Shuffle whole groups, each kept together."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

from playshuffle.shuffle.chance import RandBelow
from playshuffle.shuffle.uniform import durstenfeld

# Which blocks are also shuffled inside; 'last' is the block at the end of the order.
Inside = Literal["none", "last", "all"]


def blocks(
    order: Sequence[int], keys: Sequence[int], randbelow: RandBelow, inside: Inside = "none"
) -> list[int]:
    """Shuffle the groups and keep each together.

    All m! orders of the m groups are equally likely, and so are all orders of the entries in blocks that
    `inside` names. Other blocks keep their order. The entries of a group may be scattered in `order`.

    Draws: as by Durstenfeld, m-1 for the groups, then those for each block shuffled inside, in the order of
    the result.

    Cost: O(n).
    """
    return _shuffled(members(order, keys).values(), randbelow, inside)


def members(order: Sequence[int], keys: Sequence[int]) -> dict[int, list[int]]:
    """Map each group to its entries, in the order of first appearance."""
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
