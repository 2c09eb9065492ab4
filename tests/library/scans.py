"""Scan folders again and again, each time with the folders and tags of earlier scans, as with the cache."""

from collections.abc import Sequence

from playshuffle.library.folder import Folder
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.tag_columns import TagRows, unpack
from playshuffle.tags.reading import ReadAll
from tests.support.tree import by_path, find


class Scans:
    """Folders and tags of earlier scans.

    Attributes:
        fresh: the folders that the last scan read, in this order.
    """

    def __init__(self) -> None:
        self.known: dict[bytes, Folder] = {}
        self.fields: dict[bytes, TagRows] = {}
        self.fresh: list[bytes] = []

    def scan(self, roots: Sequence[bytes], read_all: ReadAll) -> list[Folder]:
        """Return the folders below the roots. `read_all` reads new and changed files."""
        known = {path: folder for path, folder in self.known.items() if path.startswith(tuple(roots))}
        folders = by_path(find(roots, known))
        fresh = list(
            with_readings(
                list(folders.values()), known, lambda folder: self.fields.get(folder.path, ()), read_all
            )
        )
        self.fresh = [folder.path for folder, _ in fresh]
        self.fields |= {folder.path: unpack(text.encode()) for folder, text in fresh}
        found = folders | {folder.path: folder for folder, _ in fresh}
        self.known |= found
        return list(found.values())
