"""Store the rows of play histories as they were read last, and the tracks that they belong to."""

import zlib
from array import array
from collections.abc import Sequence
from typing import NamedTuple
from zlib import adler32, crc32

from playshuffle.history.rows import Columns
from playshuffle.store import schema
from playshuffle.store.state import State

_WORDS = 6  # of a row: the number of its track, and the five fields of `Played`
_MISSING = 0xFFFF_FFFF
_RATING = 1_000_000  # ratings are stored in millionths
NO_TRACK = 0


class StoredPlays(NamedTuple):
    """The rows of a play history, as columns. A row with several tracks is there for each of them.

    Attributes:
        stamp: of the files of the history, and of the tracks that its rows were compared with.
        read_s: when it was read (Unix seconds).
        numbers: the number of the track of each row, or `NO_TRACK`.
        keys: a hash of the path or the tags that name each row.
    """

    stamp: str
    title: str
    note: str
    read_s: int
    numbers: "array[int]" = array("I")
    keys: "array[int]" = array("q")
    played: Columns = Columns()

    def with_tracks(self) -> tuple[Sequence[int], Columns]:
        """Return number and plays of each row with a track."""
        if NO_TRACK not in self.numbers:
            return self.numbers, self.played
        rows = [row for row, number in enumerate(self.numbers) if number != NO_TRACK]
        return [self.numbers[row] for row in rows], self.played.rows(rows)


def path_keys(paths: Sequence[bytes]) -> "array[int]":
    """Return a hash of each path."""
    halves = array("I", bytes(8 * len(paths)))
    halves[::2], halves[1::2] = array("I", map(crc32, paths)), array("I", map(adler32, paths))
    return array("q", halves.tobytes())


def load(state: State, source: bytes) -> StoredPlays | None:
    """Return the stored plays of a play history, if any."""
    return _first(state, "source = ?", source)


def load_latest(state: State, start: bytes) -> StoredPlays | None:
    """Return the latest of the stored plays whose key begins so."""
    return _first(state, "source >= ? AND source < ? ORDER BY read_s DESC LIMIT 1", start, start + b"\xff")


def _first(state: State, condition: str, *values: bytes) -> StoredPlays | None:
    query = f"SELECT stamp, title, note, read_s, rows FROM plays WHERE {condition}"  # noqa: S608 - our own words
    for stamp, title, note, read_s, packed in state.rows(query, *values):
        unpacking = zlib.decompressobj()
        words, keys = array("I", unpacking.decompress(packed)), array("q", unpacking.unused_data)
        count = len(keys)
        numbers, *columns = (words[number * count : (number + 1) * count] for number in range(_WORDS))
        *others, ratings = map(_unpacked, columns)
        shares = [None if rating is None else rating / _RATING for rating in ratings]
        return StoredPlays(stamp, title, note, read_s, numbers, keys, Columns._make([*others, shares]))
    return None


def _unpacked(column: "array[int]") -> list[int | None]:
    if column.count(_MISSING) == len(column):  # most sources lack most columns
        return [None] * len(column)
    return [None if value == _MISSING else value for value in column]


def _packed(column: Sequence[int | None]) -> "array[int]":
    if column.count(None) == len(column):
        return array("I", [_MISSING]) * len(column)
    try:
        return array("I", [_MISSING if value is None else value for value in column])
    except OverflowError:  # times before 1970, as of a player whose clock was never set, or huge sums
        return array("I", [_fitting(value) for value in column])


def _fitting(value: int | None) -> int:
    return _MISSING if value is None or value < 0 else min(value, _MISSING - 1)


def save(state: State, source: bytes, plays: StoredPlays) -> None:
    """Store the plays of a play history."""
    *columns, shares = plays.played
    columns.append([None if share is None else round(share * _RATING) for share in shares])
    packed = zlib.compress(b"".join([plays.numbers, *map(_packed, columns)]), 1)
    row = (source, *plays[:4], packed + plays.keys.tobytes())  # keys are random
    state.change(lambda database: database.execute(schema.replace("plays"), row), source)
