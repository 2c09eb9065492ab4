"""Define which tracks of a library to put in order."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf, no_tags
from playshuffle.library.tracks import Tracks

T = TypeVar("T")


class Chosen(NamedTuple):
    """The tracks to put in order. An order is an array of indices into the library `tracks`."""

    tracks: Tracks
    indices: Sequence[int]
    rows_of: RowsOf = no_tags

    def column(self, make: Callable[[Folder], Iterable[T]]) -> list[T]:
        """Return a value for each chosen track; `make` returns the values of a folder's files."""
        return self.tracks.column(make, self.indices)

    def ranks(self, rows: Sequence[int]) -> Sequence[int]:
        """Return the rank of each track over the whole library; `rows` are all positions in `indices`."""
        return self.by_index(sorted(range(len(rows)), key=rows.__getitem__), 0)  # the inverse permutation

    def by_index(self, values: Sequence[T], other: T) -> Sequence[T]:
        """Return the values as a list over the whole library, with `other` for tracks not chosen."""
        if len(self.indices) == len(self.tracks):
            return values
        all_values = [other] * len(self.tracks)
        for index, value in zip(self.indices, values, strict=True):
            all_values[index] = value
        return all_values
