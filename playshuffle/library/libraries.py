"""Make the library of each playlist's folders: find missing roots, and recognise the tracks of a scan."""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from playshuffle.errors import MissingError, PlayshuffleError
from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder
from playshuffle.library.last_known import last_known
from playshuffle.library.lost_roots import lost_roots, seems_missing
from playshuffle.library.missing import Root, check_roots, current_mounts, with_new_place
from playshuffle.library.recognition import recognise
from playshuffle.library.scan import Library, Place, Scan
from playshuffle.library.track_table import PartError, RootKey, TrackTable
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.library.walk import Changes, WalkResult


class Reach(NamedTuple):
    """Which roots can be read.

    Attributes:
        missing: an error for each unreadable root that had tracks, unless `--accept-missing` is given.
        errors: an error for each unreadable root without known tracks.
    """

    roots: frozenset[bytes]
    missing: Mapping[bytes, MissingError]
    errors: Mapping[bytes, PlayshuffleError]
    accepts_loss: bool


# An error for each root that seems to be missing.
MissingRoots = Mapping[RootKey, MissingError]


def check_reach(
    places: Iterable[Place], last_root: Callable[[bytes], Root | None], *, accepts_loss: bool
) -> Reach:
    """Find out which roots can be read.

    `last_root` returns the last scan's result for a root, if any. With `accepts_loss`, roots that cannot be
    read, and tracks that disappeared, count as deleted.
    """
    roots = dict.fromkeys(root for place in places for root in place.roots)
    errors = check_roots({root: last_root(root) for root in roots})
    missing = {root: error for root, error in errors.items() if isinstance(error, MissingError)}
    return Reach(
        frozenset(roots.keys() - errors.keys()),
        {} if accepts_loss else missing,
        {root: error for root, error in errors.items() if root not in missing},
        accepts_loss,
    )


def recognise_scan(
    last_table: TrackTable, scan: Scan, reach: Reach, changes: Changes, now_s: int
) -> tuple[TrackTable, MissingRoots, Collection[bytes]]:
    """Return the table of tracks after a scan, and the missing roots in the scan and outside of it.

    A missing root keeps its tracks, except for files that were moved elsewhere.

    Raises:
        PartError: `last_table` is only a part of the table, and the whole table is needed.
    """
    keys = [key for place in scan.places for key in place.root_keys]
    missing = {key: reach.missing[key[0]] for key in keys if key[0] in reach.missing}
    elsewhere = {
        root
        for (root, _), last_root in last_table.roots.items()
        if root not in reach.roots and seems_missing(root, last_root)
    }
    while True:
        table, roots_now, numbers = _recognise_present(last_table, scan, changes, missing, elsewhere, now_s)
        known_numbers = (root.numbers for root in last_table.roots.values())
        if not (last_table.is_whole or all(map(numbers.issuperset, known_numbers))):
            raise PartError
        lost: dict[RootKey, MissingError] = {}
        for place, walked in scan.places.items() if not reach.accepts_loss else ():
            roots = {key: roots_now[key] for key in place.root_keys if key in roots_now}
            lost |= lost_roots(last_table, table, roots, numbers, walked, changes.gone)
        if not lost:
            break
        missing |= lost
    missing = {key: _with_new_place(last_table, key, error) for key, error in missing.items()}
    # Roots whose loss was accepted: known, and without tracks.
    accepted = keys if reach.accepts_loss else []
    gone = {
        key: Root(array("I"), ()) for key in accepted if key[0] not in reach.roots and key in last_table.roots
    }
    return table._replace(roots={**last_table.roots, **roots_now, **gone}), missing, elsewhere


def _with_new_place(last_table: TrackTable, key: RootKey, error: MissingError) -> MissingError:
    root = last_table.roots.get(key)
    if root is None or error.path != key[0]:
        return error
    return with_new_place(error, root.mounts, sorted(last_table.paths_of(root.numbers).values()))


def _recognise_present(
    last_table: TrackTable,
    scan: Scan,
    changes: Changes,
    missing: MissingRoots,
    elsewhere: Collection[bytes],
    now_s: int,
) -> tuple[TrackTable, Mapping[RootKey, Root], frozenset[int]]:
    """Return the table after recognition in all present roots, these roots, and the tracks found there.

    `elsewhere` are missing roots outside of this scan.
    """
    present = {
        place: [root for root in scanned.roots if (root, place.ignore_files) not in missing]
        for place, scanned in scan.places.items()
    }
    libraries = {
        place: tracks([scan.places[place].roots[root] for root in roots])[0]
        for place, roots in present.items()
    }
    table = recognise(
        last_table,
        libraries.values(),
        changes.moved,
        scanned={root for place, roots in present.items() if place.files is None for root in roots},
        missing={*elsewhere, *(root for root, _ in missing)},
        now_s=now_s,
    )
    roots_now: dict[RootKey, Root] = {}
    numbers = frozenset[int]()
    for place, library in libraries.items():
        numbers_there = table.numbers_of(library)
        numbers = numbers.union(numbers_there)
        if place.files is None:  # single files say nothing about the other tracks of their root
            roots_now |= _roots_now(place, present[place], library, numbers_there)
    return table, roots_now, numbers


def _roots_now(
    place: Place, roots: Sequence[bytes], library: Tracks, numbers: "array[int]"
) -> dict[RootKey, Root]:
    roots_now: dict[RootKey, Root] = {}
    for root in roots:
        numbers_below = numbers
        if len(roots) > 1:  # they may overlap: each has all tracks below it
            top = root.rstrip(b"/") + b"/"
            pairs = zip(library.paths, numbers, strict=True)
            numbers_below = array("I", [number for path, number in pairs if path.startswith(top)])
        roots_now[root, place.ignore_files] = Root(numbers_below, current_mounts(root))
    return roots_now


def make_libraries(
    table: TrackTable, scan: Scan, missing: MissingRoots, cache: Cache | None
) -> dict[Place, Library]:
    """Return the library of each playlist's folders, with the last known tracks of missing roots."""
    cached = cache.folders([root for root, _ in missing]) if cache is not None and missing else {}
    return {place: _library(table, place, scanned, missing, cached) for place, scanned in scan.places.items()}


def _library(
    table: TrackTable,
    place: Place,
    scanned: WalkResult,
    missing: MissingRoots,
    cached: Mapping[bytes, Folder],
) -> Library:
    by_path = {folder.path: folder for folder in scanned.folders}
    by_root: list[Sequence[Folder]] = []
    errors: dict[bytes, MissingError] = {}
    waiting: dict[bytes, frozenset[int]] = {}
    for root in place.roots if place.files is None else (b"",):
        error = missing.get((root, place.ignore_files))
        if error is None:
            by_root.append(scanned.roots.get(root, ()))
            continue
        errors[root] = error
        numbers = _numbers_below(table, root, ignore_files=place.ignore_files)
        folders = last_known(table, root, numbers, cached)
        by_root.append(folders)
        waiting[root] = _absent_numbers(table, folders, numbers, by_path)
    library, skipped, untagged = tracks(by_root)
    known_roots = {key[0]: table.roots[key] for key in place.root_keys if key in table.roots}
    numbered = Tracks(library.folders, library.rows, table.numbers_of(library))
    return Library(
        numbered,
        [*scanned.skipped, *skipped],
        untagged,
        scanned.unreadable,
        scanned.growing,
        {root: len(last_root.numbers) for root, last_root in known_roots.items()},
        errors,
        {root: frozenset(numbered.indices_of(numbers)) for root, numbers in waiting.items()},
        frozenset(numbered.indices_of(table.renamed)),
    )


def _numbers_below(table: TrackTable, root: bytes, *, ignore_files: bool) -> frozenset[int]:
    """Return the tracks of a root at its last scan, preferably a scan with the same `ignore_files`."""
    last_root = table.roots.get((root, ignore_files)) or table.roots.get((root, not ignore_files))
    return frozenset(last_root.numbers) if last_root is not None else frozenset[int]()


def _absent_numbers(
    table: TrackTable,
    folders: Iterable[Folder],
    numbers: Collection[int],
    folders_now: Mapping[bytes, Folder],
) -> frozenset[int]:
    absent: set[int] = set()
    for folder in folders:
        folder_now = folders_now.get(folder.path)
        names = frozenset(folder_now.file_names() if folder_now is not None else ())
        by_name = table.folders[folder.path].numbers_by_name()
        absent.update(number for name, number in by_name.items() if number in numbers and name not in names)
    return frozenset(absent)
