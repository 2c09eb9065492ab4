"""Define what an update relied on, for the next one to compare.

`short_cut` makes and compares it; the messages of the service carry it, and need no more than this module.
"""

from typing import NamedTuple


class Basis(NamedTuple):
    """What an update relied on, as numbers that go into JSON.

    Attributes:
        cache: version of the cache of tags.
        state: version of the state file.
        playlist: device, inode, size, mtime and ctime of the playlist file.
        roots: device and inode of each root.
        updated_s: when the update ran, in Unix seconds.
        due_s: when the playlist must be updated even if nothing changes, in Unix seconds; None for never.
        drawn_s: when the order was drawn, in Unix seconds.
    """

    cache: list[int]
    state: list[int]
    playlist: list[int]
    roots: list[list[int]]
    updated_s: int
    due_s: int | None
    drawn_s: int
