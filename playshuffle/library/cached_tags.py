"""Look up the tags of single files in the cache, without a scan."""

import os
from collections.abc import Iterable

from playshuffle.library.cache import Cache
from playshuffle.tags.reading import Tags


def cached_tags(paths: Iterable[bytes]) -> dict[bytes, Tags]:
    """Return the cached tags of files, by path."""
    wanted = set(paths)
    parents = {os.path.join(os.path.dirname(path), b"") for path in wanted}
    tags: dict[bytes, Tags] = {}
    with Cache() as cache:
        folders = cache.folders(parents)
        for folder in filter(None, map(folders.get, parents)):
            for name, fields in zip(folder.file_names(), cache.fields(folder), strict=False):
                if fields is not None and (path := folder.path + name) in wanted:
                    tags[path] = Tags(*fields)
    return tags
