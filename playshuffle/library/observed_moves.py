"""Follow files through the moves of files and folders that were observed."""

from collections.abc import Iterable, Iterator, Mapping


def paths_after(paths: Mapping[int, bytes], moved: Iterable[tuple[bytes, bytes]]) -> dict[int, bytes]:
    """Return the path, after all moves in their order, of each track that was moved."""
    track_at = {path: old for old, path in paths.items()}
    folders = {folder for path in track_at for folder in _above(path)}
    where: dict[int, bytes] = {}
    for source, target in moved if track_at else ():
        moving = [source] if source in track_at else []
        if source in folders:
            moving += [path for path in track_at if path.startswith(source + b"/")]
        for path in moving:
            to = target + path[len(source) :]
            old = track_at.pop(path)
            where.pop(track_at.get(to, old), None)  # what stood there is overwritten
            track_at[to], where[old] = old, to
            folders.update(_above(to))
    return where


def _above(path: bytes) -> Iterator[bytes]:
    """Yield the folders that a path is in, the nearest first."""
    while (end := path.rfind(b"/")) > 0:
        path = path[:end]
        yield path
