"""Pack the difference between two orders, so that a small change to a large library writes little.

The base is an order that is stored whole. `pack` returns the edits that lead from it to another
order, and `apply` makes that order again. Edits hold a checksum of their base, and apply to no other.
"""

import zlib
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import TypeVar

from playshuffle.library.identity import Remembered, same_ends
from playshuffle.library.marks import MARK_BYTES, mark_at

# Checksum of the base; then numbers of paths removed and added, of marks, and of places.
_HEADER = Struct("<5I")
# Longer edits cost more, with each further change, than to store the order whole once.
_MOST_BYTES_A_TRACK = 2
_FEW = 8

_Rows = TypeVar("_Rows", bytes, list[bytes], list[int])


def pack(
    base: Remembered, paths: Sequence[bytes], marks: bytes, places: Sequence[int], checksum: int
) -> bytes | None:
    """Return the edits that turn one order into another, None if they would be too long.

    Args:
        base: the order that is stored whole.
        paths: of the other order, as `Remembered` has them.
        marks: of these.
        places: of the other order.
        checksum: identifies the base.
    """
    most = _MOST_BYTES_A_TRACK * len(paths)
    changed = _changed_paths(base.paths, paths)
    if changed is None or bool(base.marks) != bool(marks):
        return None
    removed, added = changed
    if 8 * (len(removed) + len(added)) > most:
        return None
    marked = []
    if marks:
        for row in _different_rows(_edited_marks(base.marks, removed, added), marks):
            marked.append(row)
            if MARK_BYTES * len(marked) > most:
                return None
    order = _edited_places(base, removed, added, len(paths))
    positions = _positions(added, places)
    order = _with(order, positions, [places[at] for at in positions])
    arrays: tuple[Sequence[int], ...] = (removed, added, marked)
    if order == list(places):
        whole = 0
        arrays += (positions, [places[at] for at in positions])
    else:
        whole = len(places)
        arrays += (places,)
    rows = (mark_at(marks, row) for row in marked)
    texts = (b"".join(rows), b"\0".join([paths[index] for index in added]))
    if sum(map(len, texts)) > most:
        return None
    header = _HEADER.pack(checksum, len(removed), len(added), len(marked), whole)
    return zlib.compress(b"".join([header, *(array("I", one).tobytes() for one in arrays), *texts]), 1)


def apply(base: Remembered, edits: bytes, checksum: int) -> tuple[list[bytes], bytes, list[int]]:
    """Return paths, marks and places of an order.

    Raises:
        ValueError: the edits belong to another base, or are damaged.
    """
    try:
        content = zlib.decompress(edits)
        wanted, *sizes, whole = _HEADER.unpack_from(content)
    except (zlib.error, StructError) as error:
        raise ValueError("the edits are damaged") from error
    if wanted != checksum:
        raise ValueError("the edits belong to another order")
    end = _HEADER.size
    arrays = []
    for size in (*sizes, *((whole,) if whole else (sizes[1], sizes[1]))):
        start, end = end, end + 4 * size
        arrays.append(list(array("I", content[start:end])))
    removed, added, marked, *order = arrays
    rows, names = content[end : end + MARK_BYTES * len(marked)], content[end + MARK_BYTES * len(marked) :]
    paths = _with(_without(list(base.paths), removed), added, names.split(b"\0") if added else [])
    marks = _with_rows(_edited_marks(base.marks, removed, added), marked, rows)
    if whole:
        return paths, marks, order[0]
    positions, indices = order
    return paths, marks, _with(_edited_places(base, removed, added, len(paths)), positions, indices)


def _changed_paths(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[list[int], list[int]] | None:
    """Return the indices of removed paths in `old` and of added ones in `new`, moved ones in both.

    None if a path is in either list twice.
    """
    head, tail = same_ends(old, new)
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    were, are = frozenset(before), frozenset(after)
    if len(were) != len(before) or len(are) != len(after):
        return None
    moved: frozenset[bytes] = frozenset()
    if [path for path in before if path in are] != [path for path in after if path in were]:
        row_of = {path: row for row, path in enumerate(before)}
        rows = [row_of[path] for path in after if path in were]
        end = next(at for at in range(1, len(rows)) if rows[at] < rows[at - 1])
        moved = frozenset(before[row] for row in rows[end:])  # tracks that have vanished are the last ones
    removed = [head + row for row, path in enumerate(before) if path not in are or path in moved]
    return removed, [head + row for row, path in enumerate(after) if path not in were or path in moved]


def _edited_marks(marks: bytes, removed: Sequence[int], added: Sequence[int]) -> bytes:
    """Return the marks of the base, with zeros for paths that were added."""
    if not marks:
        return marks
    kept = _without(marks, removed, MARK_BYTES)
    return _with(kept, added, bytes(MARK_BYTES * len(added)), MARK_BYTES)


def _edited_places(base: Remembered, removed: Sequence[int], added: Sequence[int], count: int) -> list[int]:
    """Return the order of the base without removed paths, as indices into the new paths."""
    if not removed and not added:
        return list(base.places)
    new_index = _with(_without(list(range(count)), added), removed, [-1] * len(removed))
    order = list(map(new_index.__getitem__, base.places))
    return [index for index in order if index >= 0] if removed else order


def _positions(added: Sequence[int], places: Sequence[int]) -> list[int]:
    """Return where the added indices are in an order, ascending."""
    if len(added) <= _FEW:
        return sorted(map(places.index, added))
    wanted = frozenset(added)
    return [at for at, index in enumerate(places) if index in wanted]


def _without(rows: _Rows, removed: Sequence[int], width: int = 1) -> _Rows:
    """Return rows, each `width` long, without those at some indices, ascending."""
    starts = [0, *(width * (row + 1) for row in removed)]
    ends = [*(width * row for row in removed), len(rows)]
    return _joined(rows, (rows[start:end] for start, end in zip(starts, ends, strict=True)))


def _with(rows: _Rows, places: Sequence[int], new: _Rows, width: int = 1) -> _Rows:
    """Return rows with others inserted, which have these indices afterwards, ascending."""

    def pieces() -> Iterator[_Rows]:
        end = 0
        for number, place in enumerate(places):
            start, end = end, width * (place - number)
            yield rows[start:end]
            yield new[width * number : width * (number + 1)]
        yield rows[end:]

    return _joined(rows, pieces())


def _with_rows(marks: bytes, places: Sequence[int], new: bytes) -> bytes:
    """Return marks of which some are replaced."""
    changed = bytearray(marks)
    for number, row in enumerate(places):
        changed[MARK_BYTES * row : MARK_BYTES * (row + 1)] = mark_at(new, number)
    return bytes(changed)


def _joined(like: _Rows, pieces: Iterator[_Rows]) -> _Rows:
    if isinstance(like, bytes):
        return b"".join(pieces)
    return list(chain.from_iterable(pieces))


def _different_rows(one: bytes, other: bytes) -> Iterator[int]:
    """Yield the rows of marks that differ, ascending; both have the same length."""
    todo = [(0, len(one) // MARK_BYTES)]
    while todo:
        start, end = todo.pop()
        if one[MARK_BYTES * start : MARK_BYTES * end] == other[MARK_BYTES * start : MARK_BYTES * end]:
            continue
        if end - start == 1:
            yield start
            continue
        middle = (start + end) // 2
        todo += [(middle, end), (start, middle)]
