"""Read and write the rows of one playlist: its last order, the order before, and their base.

A row is whole, or holds edits to a whole row of the same playlist. An order that needs few edits is
stored as such, so that a small change to a large library writes little. The whole row that edits
refer to is kept with the age `BASE` as long as one needs it.
"""

import contextlib
import json
import zlib
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat
from typing import NamedTuple

from playshuffle.library.identity import Remembered
from playshuffle.library.marks import MARK_BYTES
from playshuffle.store.edits import apply_edits, pack_edits
from playshuffle.system.sqlite import Connection

# Each takes one byte in SQLite's format, so that a long row gets another age in place. 0 and 1 take none.
LAST, BEFORE, BASE = 2, 3, 4

_TEXT_BYTES = 1 << 18


class Base(NamedTuple):
    """A whole row, as it was loaded.

    data_version: of the database then; another one means that another process has written.
    checksum: identifies the row for its edits.
    loaded_edits: those of the order that was loaded; empty if that is the order of this row.
    """

    row: int
    data_version: int
    checksum: int
    order: Remembered
    loaded_edits: bytes = b""


class Edits(NamedTuple):
    """An order, packed as edits to a whole row; row, data_version: of the whole row, as in `Base`."""

    row: int
    data_version: int
    packed: bytes


class Values(NamedTuple):
    """The columns of a row that do not depend on its form."""

    library: bytes
    content: str
    played: int
    gone: str
    shuffled: int


class DamagedError(Exception):
    """Rows make no sense; `rows` are their numbers."""

    def __init__(self, rows: Sequence[int]) -> None:
        super().__init__(rows)
        self.rows = rows


def load(database: Connection, playlist: bytes, content: str) -> tuple[Remembered, Base] | None:
    """Return the order that a playlist had with this content, and its base; None if there is none.

    Raises:
        DamagedError: it is damaged, or its base is.
    """
    query = (
        "SELECT playlist.rowid, edits, gone, paths, marks, places FROM playlist"
        " LEFT JOIN library ON library = digest WHERE path = ?"
    )
    found = database.execute(f"{query} AND content = ? AND age != {BASE}", (playlist, content)).fetchone()
    if found is None:
        return None
    row, edits, gone, *_ = found
    whole = found
    if edits != b"":
        whole = database.execute(f"{query} AND edits = x'' AND age != {LAST}", (playlist,)).fetchone()
    if whole is None:
        raise DamagedError([row])
    try:
        base = _base(database, whole)
        if edits == b"":
            _check(base.order)
            return base.order, base
        # The edits fit this base alone, so checking the result is enough.
        order = Remembered(*apply_edits(base.order, edits, base.checksum), _since(gone))
        _check(order)
        base = base._replace(loaded_edits=edits)
    except (zlib.error, ValueError, AttributeError, TypeError, LookupError, OverflowError) as error:
        raise DamagedError(sorted({row, whole[0]})) from error
    else:
        return order, base


def pack(
    base: Base,
    paths: Callable[[], Iterable[bytes]],
    marks: Callable[[], bytes],
    places: Sequence[int],
    *,
    is_known: bool,
) -> Edits | None:
    """Return an order as edits to its base; None if it is better stored whole.

    is_known: it is the order that was loaded with the base, so its edits can be used again.
    """
    if is_known and base.loaded_edits:
        packed: bytes | None = base.loaded_edits
    else:
        packed = pack_edits(base.order, list(paths()), marks(), places, base.checksum)
    return None if packed is None else Edits(base.row, base.data_version, packed)


def put(
    database: Connection,
    playlist: bytes,
    values: Values,
    before: str | None,
    marks: Callable[[], bytes],
    places: Sequence[int],
    edits: Edits | None,
    put_library: Callable[[], object],
) -> None:
    """Store an order, and keep the order before, each with its base.

    Args:
        database: in a transaction.
        playlist: resolved path of the file.
        values: its other columns.
        before: content of the file as it is now.
        marks: returns the marks of its tracks; called only if the order is stored whole.
        places: the order, an index array over the paths.
        edits: the same order as edits, None to store it whole. They have their base.
        put_library: stores the paths of a whole row.
    """
    query = "SELECT rowid, age, content, edits != x'' FROM playlist WHERE path = ? ORDER BY age"
    rows = database.execute(query, (playlist,)).fetchall()
    ages: dict[int, int] = {}  # of the rows that stay
    for row, age, content, is_edited in rows:
        if age != BASE and content == before:
            whole = (
                next((one[0] for one in rows if one[1] != LAST and not one[3]), None) if is_edited else row
            )
            if edits is not None and edits.row != whole:
                edits = None
            if content != values.content:
                ages |= {whole: BASE} if is_edited and whole is not None else {}
                ages[row] = BEFORE
    if edits is not None:
        ages.setdefault(edits.row, BASE)
        forms = (b"", b"", edits.packed)
    else:
        # Before rows are deleted, since the packed marks of one may be stored again.
        packed_marks = _packed_marks(database, playlist, values.library, marks())
        forms = (array("I", places).tobytes(), packed_marks, b"")
    for row, *_ in rows:
        if row not in ages:
            database.execute("DELETE FROM playlist WHERE rowid = ?", (row,))
    for row, age in sorted(ages.items(), key=lambda one: -one[1]):
        database.execute("UPDATE playlist SET age = ? WHERE rowid = ?", (age, row))
    if edits is None:
        put_library()
    database.execute(
        "INSERT INTO playlist (path, age, library, content, played, gone, shuffled, places, marks, edits)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (playlist, LAST, *values, *forms),
    )


def _packed_marks(database: Connection, playlist: bytes, library: bytes, marks: bytes) -> bytes:
    """Return compressed marks, copied from the last whole order if they are the same: packing is slow."""
    query = "SELECT marks FROM playlist WHERE path = ? AND library = ? AND edits = x'' ORDER BY age LIMIT 1"
    row = database.execute(query, (playlist, library)).fetchone()
    with contextlib.suppress(zlib.error, TypeError):
        # zlib output ends with a checksum of the content, so different marks are not even unpacked.
        if row and row[0][-4:] == zlib.adler32(marks).to_bytes(4, "big") and zlib.decompress(row[0]) == marks:
            packed: bytes = row[0]
            return packed
    return zlib.compress(marks, 1)


def has_base(database: Connection, playlist: bytes, edits: Edits) -> bool:
    """Return whether the base of edits is stored as it was when it was loaded."""
    # If the state was damaged and is a new one, the version may be the same.
    query = "SELECT 1 FROM playlist WHERE rowid = ? AND path = ?"
    is_there = database.execute(query, (edits.row, playlist)).fetchone() is not None
    return is_there and data_version(database) == edits.data_version


def data_version(database: Connection) -> int:
    """Return a number that changes when another connection has written."""
    number: int = database.execute("PRAGMA data_version").fetchone()[0]
    return number


def _base(database: Connection, found: Sequence[object]) -> Base:
    """Return a whole row; raise ValueError or another error if it is damaged."""
    row, _, gone, paths, marks, places = found
    order = Remembered(
        _unpacked(paths),  # type: ignore[arg-type]
        zlib.decompress(marks) if marks else b"",  # type: ignore[arg-type]
        array("I", places),  # type: ignore[call-overload] # a tenth of the memory of a list
        _since(gone),
    )
    checksum = zlib.crc32(places, zlib.crc32(marks))  # type: ignore[arg-type]
    return Base(row, data_version(database), checksum, order)  # type: ignore[arg-type]


def _unpacked(packed: bytes) -> list[bytes]:
    """Return the paths of a library, without the whole text in memory."""
    unpack = zlib.decompressobj()
    paths: list[bytes] = []
    last = b""
    while not unpack.eof:
        text = unpack.decompress(packed, _TEXT_BYTES)
        packed = unpack.unconsumed_tail
        if not text and not packed and not unpack.eof:
            raise ValueError("the paths end too early")
        some = (last + text).split(b"\0")
        last = some.pop()
        paths += some
    return [*paths, last]


def _since(gone: object) -> dict[int, int]:
    return {int(index): int(seconds) for index, seconds in json.loads(gone).items()}  # type: ignore[arg-type]


def _check(order: Remembered) -> None:
    """Raise ValueError or IndexError if an order is damaged."""
    paths, marks, places, gone = order
    # Less memory than a set of the places, and faster than a loop.
    is_placed = bytearray(len(paths))
    deque(map(is_placed.__setitem__, places, repeat(1)), maxlen=0)
    if len(places) != len(paths) or 0 in is_placed:
        raise ValueError("the order is not a permutation")
    if len(marks) not in (0, MARK_BYTES * len(paths)) or not all(0 <= index < len(paths) for index in gone):
        raise ValueError("the row belongs to other tracks")
