"""Shuffle index arrays with a given source of randomness.

Nothing here knows about music. Unless a function says otherwise:

* `order` has n distinct integers and is not changed. The result is a new list of the same entries, and the
  same order for n < 2.
* `keys[entry]` is the group of an entry.
* `randbelow(n)` returns a random integer from 0 to n-1. "Draws" lists the calls and their bounds.
* `first` is the first position that was not played yet, 0 to n; another number raises ValueError. Entries
  before it keep their positions.
"""

from playshuffle.shuffle.apart import (
    fewest_repeats,
    move_apart,
    nearest,
    part_in_order,
    part_on_ring,
    repeats,
    swap_apart,
)
from playshuffle.shuffle.blocks import Inside, blocks
from playshuffle.shuffle.chance import RandBelow, RandomSource, Seeded, System, chance, draws
from playshuffle.shuffle.constrained import behind, part, pinned, semi_shuffle
from playshuffle.shuffle.cyclic import sattolo
from playshuffle.shuffle.deals import deal, sparse_deal
from playshuffle.shuffle.not_before import EmptyPositionError, not_before, soonest_after
from playshuffle.shuffle.running import insert, insert_apart, insert_in_block
from playshuffle.shuffle.spread import spread
from playshuffle.shuffle.uniform import (
    Shuffle,
    by_keys,
    durstenfeld,
    fisher_yates,
    forward_durstenfeld,
    from_table,
    insertion,
    inside_out,
    top_in_at_random,
)
from playshuffle.shuffle.weighted import weighted

__all__ = [
    "EmptyPositionError", "Inside", "RandBelow", "RandomSource", "Seeded", "Shuffle", "System", "behind",
    "blocks", "by_keys", "chance", "deal", "draws", "durstenfeld", "fewest_repeats", "fisher_yates",
    "forward_durstenfeld", "from_table", "insert", "insert_apart", "insert_in_block", "insertion",
    "inside_out", "move_apart", "nearest", "not_before", "part", "part_in_order", "part_on_ring", "pinned",
    "repeats", "sattolo", "semi_shuffle", "soonest_after", "sparse_deal", "spread", "swap_apart",
    "top_in_at_random", "weighted",
]  # fmt: skip
