"""Look up the tags of the tracks in a folder, as rows of the cache."""

from collections.abc import Mapping, Sequence
from typing import Any

from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder
from playshuffle.library.tag_columns import RowsOf, TagRow, TagsOf, no_tags
from playshuffle.tags.reading import ReadAll, Tags


def cached_rows(
    cache: Cache, read_all: ReadAll, replaced: Mapping[bytes, Mapping[str, Any]] | None = None
) -> RowsOf:
    """Return a function that looks up a folder's tags in the cache; if it lost them, in the files.

    A folder without the tags of a scan is on a missing drive: nothing is read.

    `replaced` maps paths of files to fields of `Tags` that replace their tags.
    """

    def look_up(folder: Folder) -> Sequence[TagRow]:
        if folder.durations_ms is None:
            return no_tags(folder)
        names = folder.file_names()
        fields: Sequence[TagRow] = cache.fields(folder)
        if len(fields) != len(names):
            read = dict(read_all([folder.path + name for name in names]))
            fields = [read[row].tags for row in range(len(names))]
        if not replaced:
            return fields
        replacements = [replaced.get(folder.path + name, {}) for name in names]
        return [
            Tags._make(row or Tags())._replace(**tags) if tags else row
            for row, tags in zip(fields, replacements, strict=True)
        ]

    return look_up


def tags_from(rows_of: RowsOf) -> TagsOf:
    """Return a look-up like `rows_of`, with `Tags` as results."""
    return lambda folder: [None if row is None else Tags._make(row) for row in rows_of(folder)]
