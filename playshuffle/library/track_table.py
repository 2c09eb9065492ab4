"""Define the table of tracks. Each track has a number that is never used again.

The table has a row for each folder, so that an unchanged folder costs nothing. A number is in one row, or
among the vanished tracks.
"""

from array import array
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from playshuffle.library.marks import Mark, mark_rows
from playshuffle.library.missing import Root
from playshuffle.library.tracks import Tracks

# A vanished track keeps its number for this time. A round of a deck may take months, and a track that
# was dealt in it must be known when it returns.
VANISHED_S = 366 * 86_400

# It keeps its positions in orders for this time.
_POSITION_S = 30 * 86_400


class FolderRow(NamedTuple):
    """The tracks of one folder.

    Attributes:
        names: joined by '/'.
        numbers: four bytes each.
        marks: `MARK_BYTES` each.
    """

    names: bytes
    numbers: bytes
    marks: bytes = b""

    def numbers_by_name(self) -> dict[bytes, int]:
        return dict(zip(self.names.split(b"/"), array("I", self.numbers), strict=True))

    def tracks(self) -> Iterator[tuple[bytes, int, Mark]]:
        return zip(self.names.split(b"/"), array("I", self.numbers), mark_rows(self.marks), strict=True)


class FormerFile(NamedTuple):
    """A former file of a track, and when it disappeared, in Unix seconds."""

    path: bytes
    mark: Mark
    since_s: int


class PartError(Exception):
    """Only a part of the table was loaded, but a new file may be a track in the rest."""


# The path of a root, and whether its scan used ignore files.
RootKey = tuple[bytes, bool]


class TrackTable(NamedTuple):
    """All known tracks.

    Attributes:
        folders: maps paths, which end in a slash, to rows.
        vanished: maps the number of each track without a file to its last file.
        replaced: maps numbers of tracks to former files. Another file at the path counts as the new version,
            but the former file may be elsewhere.
        is_whole: it has all tracks, not only the tracks below some roots.
    """

    folders: Mapping[bytes, FolderRow] = {}
    vanished: Mapping[int, FormerFile] = {}
    replaced: Mapping[int, FormerFile] = {}
    next_number: int = 1
    roots: Mapping[RootKey, Root] = {}
    renamed: frozenset[int] = frozenset()
    is_whole: bool = True

    def paths_of(self, numbers: Collection[int]) -> dict[int, bytes]:
        wanted = frozenset(numbers)
        paths = {number: self.vanished[number].path for number in wanted.intersection(self.vanished)}
        for folder, row in self.folders.items() if wanted else ():
            if not wanted.isdisjoint(array("I", row.numbers)):
                by_name = row.numbers_by_name()
                paths |= {number: folder + name for name, number in by_name.items() if number in wanted}
        return paths

    def former_paths(self, before: "TrackTable") -> dict[int, bytes]:
        """Return the path in the table before of each track that has been found at another path since."""
        return before.paths_of(self.renamed | (before.vanished.keys() - self.vanished.keys()))

    def lost_numbers(self) -> frozenset[int]:
        """Return the numbers of former tracks that the table does not have any more."""
        numbers = chain(self.vanished, *(array("I", row.numbers) for row in self.folders.values()))
        return frozenset(range(1, self.next_number)).difference(numbers)

    def vanished_long_ago(self, now_s: int) -> frozenset[int]:
        """Return the tracks that vanished so long ago that they lose their positions in orders."""
        return frozenset(
            number for number, file in self.vanished.items() if now_s - file.since_s > _POSITION_S
        )

    def numbers_of(self, tracks: Tracks) -> "array[int]":
        numbers = array("I")
        for folder in tracks.folders:
            row = self.folders.get(folder.path)
            if row is not None and row.names == folder.names:
                numbers.frombytes(row.numbers)
            else:
                by_name = row.numbers_by_name() if row is not None else {}
                numbers.extend(by_name.get(name, 0) for name in folder.file_names())
        return numbers if tracks.rows is None else array("I", [numbers[row] for row in tracks.rows])
