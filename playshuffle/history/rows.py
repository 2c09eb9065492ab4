"""Define the rows of a play history."""

from collections.abc import Callable, Hashable, Sequence
from operator import add
from typing import NamedTuple, Self, TypeVar
from urllib.parse import unquote_to_bytes

Key = TypeVar("Key", bound=Hashable)


class Played(NamedTuple):
    """The plays of one track in a source; None if the source does not know.

    Attributes:
        last_played: Unix seconds, as `last_skipped`.
        rating: from 0 to 1.
    """

    last_played: int | None = None
    last_skipped: int | None = None
    plays: int | None = None
    skips: int | None = None
    rating: float | None = None


class TagNames(NamedTuple):
    """The tags that name a track in a source without paths."""

    artist: str
    title: str
    album: str = ""
    recording_id: str = ""


class HistoryRow(NamedTuple):
    """One track of a database, or one play of a log.

    Attributes:
        path: absolute, or relative to a music folder; empty if tags name the track.
    """

    path: bytes
    played: Played
    names: TagNames | None = None


class Columns(NamedTuple):
    """The fields of `Played`, in columns: to make a tuple of each row would take longer than to read it."""

    last_played: Sequence[int | None] = ()
    last_skipped: Sequence[int | None] = ()
    plays: Sequence[int | None] = ()
    skips: Sequence[int | None] = ()
    rating: Sequence[float | None] = ()

    def rows(self, indices: Sequence[int]) -> "Columns":
        """Return the rows at these indices, which may repeat."""
        return Columns._make([column[index] for index in indices] for column in self)

    def and_rows(self, others: "Columns") -> "Columns":
        return Columns._make([*mine, *its] for mine, its in zip(self, others, strict=True))

    def combined(self, keys: Sequence[Key], *, is_log: bool = False) -> tuple[Sequence[Key], "Columns"]:
        """Return one row for each key: the sum of its events, or the greatest of its totals."""
        if len(set(keys)) == len(keys):
            return keys, self
        combine = summed if is_log else merged
        played: dict[Key, Played] = {}
        for key, row in zip(keys, map(Played._make, zip(*self, strict=True)), strict=True):
            played[key] = combine(played[key], row) if key in played else row
        return [*played], Columns(*zip(*played.values(), strict=True))


class HistoryRows(NamedTuple):
    """The rows of a source, as columns: the fields of `HistoryRow`."""

    paths: Sequence[bytes]
    played: Columns
    names: Sequence[TagNames | None]

    @classmethod
    def of(cls, rows: Sequence[HistoryRow]) -> Self:
        paths, played, names = zip(*rows, strict=True) if rows else ((), (), ())
        return cls(paths, Columns(*zip(*played, strict=True)), names)


def path_of_uri(uri: bytes) -> bytes:
    """Return the path of a `file://` URI; empty for a stream or a path."""
    return unquote_to_bytes(uri[7:]) if uri.startswith(b"file:///") else b""


def merged(first: Played, second: Played) -> Played:
    """Merge two totals: the latest times, the greatest counts, the first rating.

    Never sums: both may have counted the same plays.
    """
    rating = second.rating if first.rating is None else first.rating
    greatest = (_of_known(max, *pair) for pair in zip(first[:4], second[:4], strict=True))
    return Played._make([*greatest, rating])


def summed(first: Played, second: Played) -> Played:
    """Add two events: the latest times, the sums of the counts, the second rating."""
    plays, skips = _of_known(add, first.plays, second.plays), _of_known(add, first.skips, second.skips)
    return merged(second, first)._replace(plays=plays, skips=skips)


def _of_known(function: Callable[[int, int], int], first: int | None, second: int | None) -> int | None:
    return second if first is None else first if second is None else function(first, second)
