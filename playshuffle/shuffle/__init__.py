"""Shuffles as functions: an index array and a source of draws in, a new index array out.

Nothing here knows of music: an order is a sequence of distinct integers, chance is a
function `randbelow(n)`, and `keys[entry]` says which group an entry belongs to.
"""

from playshuffle.shuffle.blocks import Inside, blocks, cut
from playshuffle.shuffle.chance import RandBelow, Seeded, Source, System, chance, draws
from playshuffle.shuffle.constrained import part, pinned, restore, semi_shuffle
from playshuffle.shuffle.cyclic import sattolo, sattolo_without
from playshuffle.shuffle.deals import deal, sparse_deal
from playshuffle.shuffle.gap import after_gap, not_before
from playshuffle.shuffle.running import insert, insert_apart, insert_in_block, remove, rename
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
    "Inside",
    "RandBelow",
    "Seeded",
    "Shuffle",
    "Source",
    "System",
    "after_gap",
    "blocks",
    "by_keys",
    "chance",
    "cut",
    "deal",
    "draws",
    "durstenfeld",
    "fisher_yates",
    "forward_durstenfeld",
    "from_table",
    "insert",
    "insert_apart",
    "insert_in_block",
    "insertion",
    "inside_out",
    "not_before",
    "part",
    "pinned",
    "remove",
    "rename",
    "restore",
    "sattolo",
    "sattolo_without",
    "semi_shuffle",
    "sparse_deal",
    "spread",
    "top_in_at_random",
    "weighted",
]
