"""Define the rows of a play history."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import compress
from operator import add
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import unquote_to_bytes

Key = TypeVar("Key", bound=Hashable)


class Played(NamedTuple):
    """The plays of one track in a source; a field is None if unknown.

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


class Unread(NamedTuple):
    """A line that cannot be read, from 1, or a whole file: 0."""

    path: bytes
    line: int


class Columns(NamedTuple):
    """The fields of `Played` as columns: a tuple for each row would be slow."""

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
        """Return one row for each key, with the latest times.

        Counts of a log are added, and its last rating is kept. Of totals, which may include the same plays,
        the greatest counts and the first rating are kept.
        """
        every = list(dict.fromkeys(keys))
        if len(every) == len(keys):
            return keys, self

        def combined(column: Sequence[Any], combine: Any) -> list[Any]:
            values: dict[Key, Any] = {}
            for key, value in zip(keys, column, strict=True):
                if value is not None:
                    values[key] = combine(values[key], value) if key in values else value
            return list(map(values.get, every))

        count = add if is_log else max
        functions = (max, max, count, count, lambda first, second: second if is_log else first)
        return every, Columns._make(map(combined, self, functions))


class HistoryRows(NamedTuple):
    """The rows of a source, as columns: the fields of `HistoryRow`."""

    paths: Sequence[bytes]
    played: Columns
    names: Sequence[TagNames | None]
    unread: Sequence[Unread] = ()

    @classmethod
    def of(cls, rows: Iterable[HistoryRow | Unread]) -> Self:
        everything = list(rows)
        whole = [row for row in everything if isinstance(row, HistoryRow)]
        paths, played, names = tuple(zip(*whole, strict=True)) or ((), (), ())
        unread = [row for row in everything if isinstance(row, Unread)]
        return cls(paths, Columns(*zip(*played, strict=True)), names, unread)

    def where(self, wanted: Sequence[object]) -> Self:
        """Return the rows with a true value in `wanted`."""
        if all(wanted):
            return self
        played = Columns._make(list(compress(column, wanted)) for column in self.played)
        paths, names = list(compress(self.paths, wanted)), list(compress(self.names, wanted))
        return self._replace(paths=paths, played=played, names=names)

    def with_values(self) -> Self:
        """Return the rows that have a time, count or rating."""
        return self.where(list(map(any, zip(*self.played, strict=True))))


def path_of_uri(uri: bytes) -> bytes:
    """Return the path of a `file://` URI; empty for a stream or a path."""
    return unquote_to_bytes(uri[7:]) if uri.startswith(b"file:///") else b""
