"""Return the last known tracks of a missing root."""

from array import array
from collections.abc import Collection, Mapping

from playshuffle.library.folder import NOT_LISTED, STAMP_BYTES, Folder
from playshuffle.library.track_table import FolderRow, TrackTable
from playshuffle.tags.cause import NOT_THERE


def last_known(
    table: TrackTable, root: bytes, numbers: Collection[int], cached: Mapping[bytes, Folder], device: int
) -> list[Folder]:
    """Return the folders of a missing root with its last known tracks, and with the tags that are cached.

    Args:
        numbers: the tracks at the last scan of the root.
        device: a number that no device has, so that no file counts as a file on another drive.
    """
    wanted = frozenset(numbers)
    top = root.rstrip(b"/") + b"/"
    folders = []
    for path, row in table.folders.items():
        if not path.startswith(top) or wanted.isdisjoint(array("I", row.numbers)):
            continue
        names = [name for name, number in row.numbers_by_name().items() if number in wanted]
        folders.append(_folder(path, names, row, cached.get(path))._replace(device=device))
    return folders


def _folder(path: bytes, names: list[bytes], row: FolderRow, cached: Folder | None) -> Folder:
    if cached is not None and set(names).issubset(cached.file_names()):
        reasons = dict(cached.odd.reasons)
        if cached.names != row.names or len(names) < cached.track_count:
            wanted = frozenset(names)
            for at, name in enumerate(cached.file_names()):
                if name not in wanted:
                    reasons[at] = (NOT_THERE, "", False)
        return cached._replace(odd=cached.odd._replace(linked={}, reasons=reasons))
    return NOT_LISTED._replace(path=path, names=b"/".join(names), stamps=bytes(STAMP_BYTES * len(names)))
