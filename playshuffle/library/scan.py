"""Scan folders into a library, and cache what was read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder, Reading, Skipped, rows
from playshuffle.library.listed_files import listed_folders
from playshuffle.library.tracks import ReadAll, Tracks, tracks, with_readings
from playshuffle.library.walk import Changes, find


class Progress:
    """Told how far a run is; a context manager that does nothing with it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def finding(self, files: int) -> None:
        """So many audio files were found up to now."""

    def growing(self, paths: Sequence[bytes]) -> None:
        """These files are being written, and were left for later."""

    def forgotten(self) -> None:
        """Report that the cache cannot be written, so the next run must read all tags again."""

    def reading(self, done: int, of: int) -> None:
        """Report how many files have had their tags read, of how many."""


_KEEP_EVERY = 256  # folders; limits what an interrupted first run loses


@dataclass(frozen=True, slots=True)
class Library:
    """The tracks of the roots, and the skipped files; `gone` are folders that were removed."""

    tracks: Tracks
    skipped: list[Skipped]
    untagged: list[Skipped]
    unreadable: list[Skipped]
    gone: list[bytes]


def survey(
    roots: Sequence[bytes],
    cache: Cache | None,
    read_all: ReadAll,
    progress: Progress,
    changes: Changes,
    *,
    use_ignore_files: bool,
) -> Library:
    """Look at the folders, and read what is not in the cache."""
    known = cache.folders(roots) if cache is not None else {}
    found = find(
        roots,
        known,
        use_ignore_files=use_ignore_files,
        with_stamps=cache is not None,
        seen_so_far=progress.finding,
        may_fork=True,
        dirty=changes.dirty,
        still_ns=changes.still_ns,
    )
    if found.growing:
        progress.growing(found.growing)
    folders = found.roots
    if cache is not None:
        fresh = _read(folders, known, cache, read_all, progress)
        if fresh:
            folders = [[fresh.get(folder.path, folder) for folder in root] for root in folders]
        if not cache.is_kept:
            progress.forgotten()
    library, skipped, untagged = tracks(folders)
    gone = known.keys() - (folder.path for root in folders for folder in root)
    return Library(library, found.skipped + skipped, untagged, found.unreadable, list(gone))


def survey_files(
    paths: Sequence[bytes], cache: Cache | None, read_all: ReadAll, progress: Progress
) -> Library:
    """Look at files that are listed by name, and read what is not in the cache."""
    folders, missing = listed_folders(paths)
    if cache is not None:
        mine = {folder.path for folder in folders}
        known = {path: folder for path, folder in cache.folders(mine).items() if path in mine}
        fresh = _read([folders], known, cache, read_all, progress, may_keep=_holds_all_of(known))
        folders = [fresh.get(folder.path, folder) for folder in folders]
    library, skipped, untagged = tracks([folders])
    return Library(library, missing + skipped, untagged, [], [])


def _holds_all_of(known: Mapping[bytes, Folder]) -> Callable[[Folder], bool]:
    """Return whether a folder with some of its files may replace what is known of it."""

    def holds_all(folder: Folder) -> bool:
        before = known.get(folder.path)
        return before is None or set(rows(before.names, b"/")) <= set(rows(folder.names, b"/"))

    return holds_all


def _read(
    roots: Sequence[Sequence[Folder]],
    known: Mapping[bytes, Folder],
    cache: Cache,
    read_all: ReadAll,
    progress: Progress,
    may_keep: Callable[[Folder], bool] = lambda _: True,
) -> dict[bytes, Folder]:
    """Read what is not in the cache, and keep it there; the folders that were read, by path."""

    def read_and_tell(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for done, one in enumerate(read_all(paths), 1):
            progress.reading(done, len(paths))
            yield one

    fresh: dict[bytes, Folder] = {}
    unkept: list[tuple[Folder, str]] = []
    folders = (folder for root in roots for folder in root)
    try:
        for folder, fields in with_readings(folders, known, cache.fields, read_and_tell):
            fresh[folder.path] = folder
            if may_keep(folder):
                unkept.append((folder, fields))
            if len(unkept) == _KEEP_EVERY:
                cache.keep(unkept, ())
                unkept = []
    finally:  # an interrupted run keeps what it has read
        cache.keep(unkept, ())
    return fresh
