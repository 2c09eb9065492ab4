"""Store the plays of play histories as they were read last.

Plays belong to the number of a track, so they follow renames that a player does not know.
"""

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


class StoredPlays(NamedTuple):
    """The plays in a play history.

    Attributes:
        read_s: when it was read (Unix seconds).
        numbers: the number of the track of each row.
        keys: the key of the path that each row has in the history.
    """

    stamp: str
    title: str
    note: str
    read_s: int
    numbers: "array[int]" = array("I")
    keys: "array[int]" = array("q")
    played: Columns = Columns()


def path_keys(paths: Sequence[bytes]) -> "array[int]":
    """Return a hash of each path."""
    halves = array("I", bytes(8 * len(paths)))
    halves[::2], halves[1::2] = array("I", map(crc32, paths)), array("I", map(adler32, paths))
    return array("q", halves.tobytes())


def load(state: State, source: bytes) -> StoredPlays | None:
    """Return the stored plays of a play history, if any."""
    for stamp, title, note, read_s, packed in state.rows(
        "SELECT stamp, title, note, read_s, rows FROM plays WHERE source = ?", source
    ):
        unpacking = zlib.decompressobj()
        words, keys = array("I", unpacking.decompress(packed)), array("q", unpacking.unused_data)
        numbers, *values = (words[at * len(keys) : (at + 1) * len(keys)] for at in range(_WORDS))
        *columns, ratings = map(_unpacked, values)
        shares = [None if rating is None else rating / _RATING for rating in ratings]
        return StoredPlays(stamp, title, note, read_s, numbers, keys, Columns._make([*columns, shares]))
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
