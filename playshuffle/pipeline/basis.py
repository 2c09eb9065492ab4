"""Define what the last update of a playlist relied on, so that the next one may find that it still holds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Basis:
    """What an update relied on, as numbers that go into JSON.

    Attributes:
        cache: identifies what all processes had stored in the cache of tags.
        state: identifies what all processes had stored in the state file.
        playlist: identifies the content of the playlist file.
        roots: of each root of the request, its device and inode.
        taken_s: when the update ended, in Unix seconds.
        until_s: when something is due though nothing changes, in Unix seconds; None for never.
        drawn_s: when the order was drawn, in Unix seconds.
    """

    cache: list[int]
    state: list[int]
    playlist: list[int]
    roots: list[list[int]]
    taken_s: int
    until_s: int | None
    drawn_s: int
