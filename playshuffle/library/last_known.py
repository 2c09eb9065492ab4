"""Return the last known tracks of a missing root."""

from array import array
from collections.abc import Collection, Iterator, Mapping

from playshuffle.library.folder import NO_DEVICE, NOT_LISTED, STAMP_BYTES, Folder
from playshuffle.library.track_table import TrackTable
from playshuffle.tags.cause import NOT_THERE


def last_known(
    table: TrackTable, root: bytes, numbers: Collection[int], cached: Mapping[bytes, Folder]
) -> list[Folder]:
    """Return the folders of a missing root with its last known tracks, and with the tags that are cached.

    `numbers` are the tracks at the last scan of the root. Their device is `NO_DEVICE`, so that none of them
    counts as the same file as another one.
    """
    wanted = frozenset(numbers)
    top = root.rstrip(b"/") + b"/"
    folders: list[Folder] = []
    for path, row in table.folders.items():
        if not path.startswith(top) or wanted.isdisjoint(array("I", row.numbers)):
            continue
        names = [name for name, number in row.numbers_by_name().items() if number in wanted]
        left = _folders(path, names, cached.get(path, NOT_LISTED))
        folders += [folder._replace(device=NO_DEVICE) for folder in left]
    return folders


def _folders(path: bytes, names: list[bytes], cached: Folder) -> Iterator[Folder]:
    """Yield the files whose tags are cached, and the others as a folder without tags."""
    wanted = frozenset(names)
    lost = wanted.difference(cached.file_names())
    others = [row for row, name in enumerate(cached.file_names()) if name not in wanted]
    if len(others) < cached.track_count:
        reasons = cached.odd.reasons | dict.fromkeys(others, (NOT_THERE, "", False))
        yield cached._replace(odd=cached.odd._replace(linked={}, reasons=reasons))
    if lost:
        yield NOT_LISTED._replace(
            path=path, names=b"/".join(sorted(lost)), stamps=bytes(STAMP_BYTES * len(lost))
        )
