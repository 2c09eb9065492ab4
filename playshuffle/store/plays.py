"""Store the plays in play histories as they were read last.

They belong to the number of a track, so they follow renames that a player does not know.
"""

import zlib
from array import array
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from playshuffle.history.rows import Played
from playshuffle.store import schema
from playshuffle.store.state import State

_COLUMNS = 7  # number, key of its path, and the five fields of `Played`; each has 8 bytes
_MISSING = -1
_RATING = 1_000_000  # ratings are stored in millionths


class StoredPlays(NamedTuple):
    """The content of a source.

    Attributes:
        stamp: of the source when it was read.
        read_s: when it was read (Unix seconds).
        rows: plays by the number of a track and the key of its path in the source.
    """

    stamp: str
    title: str
    note: str
    read_s: int
    rows: Mapping[tuple[int, int], Played]


def path_key(path: bytes) -> int:
    """Return a number for the path of a row."""
    return zlib.crc32(path) << 31 | zlib.adler32(path) >> 1


def load(state: State, source: bytes) -> StoredPlays | None:
    """Return the stored plays of a source, if any."""
    for stamp, title, note, read_s, packed in state.rows(
        "SELECT stamp, title, note, read_s, rows FROM plays WHERE source = ?", source
    ):
        numbers = array("q", zlib.decompress(packed))
        count = len(numbers) // _COLUMNS
        tracks, keys, *values = (numbers[at * count : (at + 1) * count] for at in range(_COLUMNS))
        *counts, ratings = ([None if value < 0 else value for value in column] for column in values)
        shares = [None if rating is None else rating / _RATING for rating in ratings]
        played = map(Played._make, zip(*counts, shares, strict=True))
        rows = dict(zip(zip(tracks, keys, strict=True), played, strict=True))
        return StoredPlays(stamp, title, note, read_s, rows)
    return None


def save(state: State, source: bytes, plays: StoredPlays) -> None:
    """Store the plays of a source."""
    *values, ratings = zip(*plays.rows.values(), strict=True) if plays.rows else [()] * (_COLUMNS - 2)
    columns = [
        *zip(*plays.rows, strict=True),
        *([_MISSING if value is None else value for value in column] for column in values),
        [_MISSING if rating is None else round(rating * _RATING) for rating in ratings],
    ]
    numbers = array("q", chain.from_iterable(columns))
    row = (source, *plays[:-1], zlib.compress(numbers, 1))
    state.change(lambda database: database.execute(schema.replace("plays"), row), source)
