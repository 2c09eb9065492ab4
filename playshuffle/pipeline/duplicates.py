"""Find tracks of a library that are the same recording."""

from collections.abc import Sequence

from playshuffle.library.cache import Cache
from playshuffle.library.scan import survey
from playshuffle.pipeline.tag_rows import cached_rows, tags_from
from playshuffle.pipeline.tools import Tools
from playshuffle.selection.duplicates import copies_among


def find_duplicates(roots: Sequence[bytes], tools: Tools) -> list[list[bytes]]:
    """Return groups of tracks that are one recording, each with the best copy first."""
    with Cache() as cache:
        library = survey(roots, cache, tools.read_all, tools.progress)
        tags_of = tags_from(cached_rows(cache, tools.read_all))
        groups = copies_among(library.tracks, tags_of, {})
        paths = library.tracks.paths
        return [[paths[index] for index in (group.kept, *group.others)] for group in groups]
