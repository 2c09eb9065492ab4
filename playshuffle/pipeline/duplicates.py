"""Find tracks of a library that are the same recording."""

from collections.abc import Sequence

from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder
from playshuffle.library.scan import survey
from playshuffle.pipeline.tag_rows import rows_of
from playshuffle.pipeline.tools import Tools
from playshuffle.selection.duplicates import without_copies
from playshuffle.tags.reading import Tags


def find_duplicates(roots: Sequence[bytes], tools: Tools) -> list[list[bytes]]:
    """Return groups of tracks that are one recording, each with the best copy first."""
    with Cache() as cache:
        library = survey(roots, cache, tools.read_all, tools.progress)
        look_up = rows_of(cache, tools.read_all)

        def tags_of(folder: Folder) -> list[Tags | None]:
            return [None if row is None else Tags._make(row) for row in look_up(folder)]

        _, _, groups = without_copies(library.tracks, tags_of, {})
        paths = library.tracks.paths
        return [[paths[index] for index in (group.kept, *group.others)] for group in groups]
