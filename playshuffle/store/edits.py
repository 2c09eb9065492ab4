"""Pack the difference between two orders, so that a small change to a large library writes little.

The base is an order that is stored whole. `pack_edits` returns the edits that lead from it to another
order, and `apply_edits` makes that order again. Edits hold a checksum of their base, and apply to no other.
"""

import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from struct import Struct
from struct import error as StructError  # noqa: N812 - it is a class
from typing import NamedTuple

from playshuffle.library.identity import Remembered, same_ends
from playshuffle.library.marks import MARK_BYTES, mark_at

# Checksum of the base; then numbers of paths removed and added, of marks, and of places.
_HEADER = Struct("<5I")
# Longer edits cost more, with each further change, than to store the order whole once.
_MOST_BYTES_A_TRACK = 2
_FEW = 8  # added tracks that are looked up one by one
_REMOVED = 0xFFFFFFFF  # the new index of a removed path
_ROWS_AT_ONCE = 1024  # marks that are compared at once: 32 KB


class _Run(NamedTuple):
    """Rows that are neighbours in both lists: the first one in the old list, and in the new list."""

    old: int
    new: int
    length: int


def pack_edits(
    base: Remembered, paths: Sequence[bytes], marks: bytes, places: Sequence[int], checksum: int
) -> bytes | None:
    """Return the edits that turn one order into another; None if it is better stored whole.

    Args:
        base: the order that is stored whole.
        paths: of the other order, as `Remembered` has them.
        marks: of these paths.
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
    runs = _runs(len(base.paths), removed, len(paths), added)
    marked = []
    if marks:
        for row in _changed_marks(base.marks, marks, runs, added):
            marked.append(row)
            if MARK_BYTES * len(marked) > most:
                return None
    positions = _positions(added, places)
    indices = array("I", [places[at] for at in positions])
    all_places = array("I", places)
    arrays: tuple[Sequence[int], ...] = (removed, added, marked)
    if _edited_places(base, removed, runs, positions, indices) == all_places:
        whole = 0
        arrays += (positions, indices)
    else:
        whole = len(places)
        arrays += (all_places,)
    rows = (mark_at(marks, row) for row in marked)
    texts = (b"".join(rows), b"\0".join([paths[index] for index in added]))
    if sum(map(len, texts)) > most:
        return None
    header = _HEADER.pack(checksum, len(removed), len(added), len(marked), whole)
    return zlib.compress(b"".join([header, *(array("I", one).tobytes() for one in arrays), *texts]), 1)


def apply_edits(base: Remembered, edits: bytes, checksum: int) -> tuple[list[bytes], bytes, "array[int]"]:
    """Return the paths, marks and places of the order that `pack_edits` packed.

    Args:
        base: the order that is stored whole.
        edits: what `pack_edits` returned.
        checksum: identifies the base.

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
        arrays.append(array("I", content[start:end]))
    removed, added, marked, *order = arrays
    rows, names = content[end : end + MARK_BYTES * len(marked)], content[end + MARK_BYTES * len(marked) :]
    count = len(base.paths) - len(removed) + len(added)
    runs = _runs(len(base.paths), removed, count, added)
    paths = [b""] * count
    for old, new, length in runs:
        paths[new : new + length] = base.paths[old : old + length]
    for row, path in zip(added, names.split(b"\0") if added else (), strict=True):
        paths[row] = path
    marks = _edited_marks(base.marks, count, runs, marked, rows)
    return paths, marks, order[0] if whole else _edited_places(base, removed, runs, *order)


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


def _runs(old_count: int, removed: Sequence[int], new_count: int, added: Sequence[int]) -> list[_Run]:
    """Return the rows that stay when some are removed from a list and others are added.

    Args:
        old_count: number of rows before.
        removed: rows of the list before, ascending.
        new_count: number of rows afterwards.
        added: rows of the list afterwards, ascending.

    Raises:
        ValueError: the numbers contradict each other.
    """
    kept_count = old_count - len(removed)
    # How many of the rows that stay are in front of each of these.
    before_removed = [row - number for number, row in enumerate(removed)]
    before_added = [row - number for number, row in enumerate(added)]
    for counts in (before_removed, before_added):
        if counts != sorted(counts) or (counts and not 0 <= counts[0] <= counts[-1] <= kept_count):
            raise ValueError("the edits are of other rows")
    if new_count - len(added) != kept_count:
        raise ValueError("the edits are of another number of rows")
    cuts = sorted({0, kept_count, *before_removed, *before_added})
    return [
        _Run(
            start + bisect_right(before_removed, start),
            start + bisect_right(before_added, start),
            end - start,
        )
        for start, end in pairwise(cuts)
    ]


def _changed_marks(old: bytes, new: bytes, runs: Sequence[_Run], added: Sequence[int]) -> Iterator[int]:
    """Yield the rows of new marks that are added or differ from the old ones."""
    yield from added
    for run in runs:
        for start in range(0, run.length, _ROWS_AT_ONCE):
            end = min(start + _ROWS_AT_ONCE, run.length)
            before = old[MARK_BYTES * (run.old + start) : MARK_BYTES * (run.old + end)]
            after = new[MARK_BYTES * (run.new + start) : MARK_BYTES * (run.new + end)]
            if before != after:
                rows = (row for row in range(end - start) if mark_at(before, row) != mark_at(after, row))
                yield from (run.new + start + row for row in rows)


def _edited_marks(old: bytes, count: int, runs: Sequence[_Run], marked: Sequence[int], rows: bytes) -> bytes:
    """Return `count` marks: those of the base that stay, and new ones (`rows`) at the rows in `marked`."""
    if not old:
        return old
    marks = bytearray(MARK_BYTES * count)
    view = memoryview(old)
    for run in runs:
        end = MARK_BYTES * (run.new + run.length)
        marks[MARK_BYTES * run.new : end] = view[MARK_BYTES * run.old : MARK_BYTES * (run.old + run.length)]
    for number, row in enumerate(marked):
        marks[MARK_BYTES * row : MARK_BYTES * (row + 1)] = mark_at(rows, number)
    return bytes(marks)


def _edited_places(
    base: Remembered,
    removed: Sequence[int],
    runs: Sequence[_Run],
    positions: Sequence[int],
    indices: Sequence[int],
) -> "array[int]":
    """Return the order of the base as indices into the new paths.

    Removed paths are omitted, and `indices` are inserted at `positions`, which are ascending.
    """
    kept = array("I", base.places)
    if removed or indices:
        new_index = array("I", [_REMOVED]) * len(base.paths)
        for old, new, length in runs:
            new_index[old : old + length] = array("I", range(new, new + length))
        kept = array("I", map(new_index.__getitem__, base.places))
    if removed:
        kept = array("I", filter(_REMOVED.__ne__, kept))
    order = array("I", bytes(4 * (len(kept) + len(positions))))
    for old, new, length in _runs(len(kept), (), len(order), positions):
        order[new : new + length] = kept[old : old + length]
    for position, index in zip(positions, indices, strict=True):
        order[position] = index
    return order


def _positions(added: Sequence[int], places: Sequence[int]) -> list[int]:
    """Return where the added indices are in an order, ascending."""
    if len(added) <= _FEW:
        return sorted(map(places.index, added))
    wanted = frozenset(added)
    return [at for at, index in enumerate(places) if index in wanted]
