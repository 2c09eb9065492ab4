"""Scan folders into a library, and cache the tags of its tracks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import NamedTuple, Self

from playshuffle.library.cache import Cache
from playshuffle.library.folder import Folder, Skipped
from playshuffle.library.folder_readings import with_readings
from playshuffle.library.listed_files import listed_folders
from playshuffle.library.tracks import Tracks, tracks
from playshuffle.library.walk import Changes, find
from playshuffle.tags.reading import ReadAll, Reading


class Progress:
    """Receive reports of how far a run is, and ignore them; a context manager."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def finding(self, files: int) -> None:
        """Report how many audio files have been found so far."""

    def growing(self, paths: Sequence[bytes]) -> None:
        """Report files that are being written, and are left for later."""

    def forgotten(self) -> None:
        """Report that the cache cannot be written, so the next run must read all tags again."""

    def reading(self, read_count: int, of: int) -> None:
        """Report how many files have had their tags read, of how many."""

    def working(self, activity: str, done_count: int, of: int) -> None:
        """Report how far any other work is, such as "Checking entries"."""


_KEEP_EVERY = 256  # folders; limits what an interrupted first run loses


class Library(NamedTuple):
    """The tracks of the roots, and the skipped files.

    gone: folders that were removed. growing: files that are being written, and left for later.
    """

    tracks: Tracks
    skipped: list[Skipped]
    untagged: list[Skipped]
    unreadable: list[Skipped]
    gone: list[bytes]
    growing: Sequence[bytes] = ()


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
    cached = cache.folders(roots) if cache is not None else {}
    walked = find(
        roots,
        cached,
        use_ignore_files=use_ignore_files,
        with_stamps=cache is not None,
        seen_so_far=progress.finding,
        may_fork=True,
        dirty=changes.dirty,
        still_ns=changes.still_ns,
    )
    if walked.growing:
        progress.growing(walked.growing)
    folders = walked.roots
    if cache is not None:
        read = _read(folders, cached, cache, read_all, progress)
        if read:
            folders = [[read.get(folder.path, folder) for folder in root] for root in folders]
        if not cache.is_kept:
            progress.forgotten()
    library, skipped, untagged = tracks(folders)
    removed = cached.keys() - (folder.path for root in folders for folder in root)
    skipped = walked.skipped + skipped
    return Library(library, skipped, untagged, walked.unreadable, list(removed), walked.growing)


def survey_files(
    paths: Sequence[bytes], cache: Cache | None, read_all: ReadAll, progress: Progress
) -> Library:
    """Look at files that are listed by name, and read what is not in the cache."""
    folders, missing = listed_folders(paths)
    if cache is not None:
        folder_paths = {folder.path for folder in folders}
        cached = {
            path: folder for path, folder in cache.folders(folder_paths).items() if path in folder_paths
        }
        read = _read([folders], cached, cache, read_all, progress, may_keep=_holds_all_of(cached))
        folders = [read.get(folder.path, folder) for folder in folders]
    library, skipped, untagged = tracks([folders])
    return Library(library, missing + skipped, untagged, [], [])


def _holds_all_of(cached: Mapping[bytes, Folder]) -> Callable[[Folder], bool]:
    """Return a test whether a folder with some of its files may replace its cached version."""

    def holds_all(folder: Folder) -> bool:
        before = cached.get(folder.path)
        return before is None or set(before.file_names()) <= set(folder.file_names())

    return holds_all


def _read(
    roots: Sequence[Sequence[Folder]],
    cached: Mapping[bytes, Folder],
    cache: Cache,
    read_all: ReadAll,
    progress: Progress,
    may_keep: Callable[[Folder], bool] = lambda _: True,
) -> dict[bytes, Folder]:
    """Read what is not in the cache, store it there, and return the folders that were read, by path."""
    unread = [folder for root in roots for folder in root if folder.durations_ms is None]
    if not unread:
        return {}

    def read_and_tell(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
        for read_count, reading in enumerate(read_all(paths), 1):
            progress.reading(read_count, len(paths))
            yield reading

    folders_read: dict[bytes, Folder] = {}
    unkept: list[tuple[Folder, str]] = []
    try:
        for folder, fields in with_readings(unread, cached, cache.fields, read_and_tell):
            folders_read[folder.path] = folder
            if may_keep(folder):
                unkept.append((folder, fields))
            if len(unkept) == _KEEP_EVERY:
                cache.keep(unkept, ())
                unkept = []
    finally:  # an interrupted run keeps what it has read
        cache.keep(unkept, ())
    return folders_read
