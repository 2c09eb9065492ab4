"""Find audio files below folders, and which of them changed since the last scan.

The walk stats every folder and every audio file, each time, because a file edited in place
changes nothing in its folder. It lists a folder again unless its stamps prove that it has the same
names. An unchanged folder comes back as the same object, tags included.
An unreadable folder is unknown, never empty: it comes back as it was known.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain, count
from operator import attrgetter
from types import MappingProxyType
from typing import NamedTuple

from playshuffle.library.folder import NOTHING_ODD, Folder, Skipped
from playshuffle.library.ignore_files import Rules
from playshuffle.library.listing import GONE, KnownFiles, Listing, Look, fits
from playshuffle.library.outdated_folders import outdated_folders
from playshuffle.library.unchanged import unchanged
from playshuffle.system.birth_time import birth_of
from playshuffle.system.workers import ALONE, Workers
from playshuffle.tags.cause import SYSTEM_ERROR, Cause

_SEEN_EVERY = 64  # folders


class WalkResult(NamedTuple):
    """The result of a walk: folders by root, in the order given, and what was skipped.

    Attributes:
        growing: files that are being written; they stay as they were known, unless the known file was
            found under another path.
    """

    roots: list[list[Folder]]
    skipped: list[Skipped]
    unreadable: list[Skipped]
    growing: list[bytes]


class Dirty(NamedTuple):
    """Where something may have changed: paths with a slash at their end.

    folders: each by itself. trees: with all below them.
    """

    folders: frozenset[bytes]
    trees: frozenset[bytes] = frozenset()

    def without(self, folders: Collection[Folder]) -> dict[bytes, Folder]:
        """Return the plain folders, by path, that are known to be unchanged.

        A folder behind a link may have changed without an event.
        """
        links = (folder.path + name + b"/" for folder in folders for name in folder.odd.links)
        tops = (*self.trees, *links)
        return {
            folder.path: folder
            for folder in folders
            if folder.is_plain and folder.path not in self.folders and not folder.path.startswith(tops)
        }


class Changes(NamedTuple):
    """Changes in the folders since the last scan, by events.

    Attributes:
        dirty: where to look; None for everywhere.
        gone: files and folders that were deleted or moved.
        moved: (old path, new path) of every rename that was observed.
        still_ns: files modified less than this time ago are left for later.
    """

    dirty: Dirty | None = None
    gone: frozenset[bytes] = frozenset()
    moved: tuple[tuple[bytes, bytes], ...] = ()
    still_ns: int = 0


EVERYWHERE = Changes()

# Many walks are needed while files exchange their names, one pair after the other. Without birth times
# there are few: some FUSE file systems give a file another inode at each look, so that folders are always
# outdated.
_FEW_WALKS = 5
_PATIENCE_S = 5.0
_PAUSE_S = 0.05


def find(
    roots: Sequence[bytes],
    known: Mapping[bytes, Folder],
    *,
    use_ignore_files: bool = True,
    seen_so_far: Callable[[int], object] = lambda _: None,
    clock_ns: Callable[[], int] = time.time_ns,
    workers: Workers = ALONE,
    dirty: Dirty | None = None,
    still_ns: int = 0,
    fresh: Mapping[bytes, Folder] = MappingProxyType({}),
) -> WalkResult:
    """Walk the roots, real folders first, then what symbolic links add to them.

    Every folder is entered once, known by device and inode, so that loops and overlapping
    roots end; a real path is preferred to one through a link. A folder is listed again if a file has
    left it for a folder that was listed later, so that each file is found once.

    Args:
        roots: absolute paths of folders, without a slash at the end.
        known: folders of an earlier pass by path; one that has not changed comes back as
            the same object.
        use_ignore_files: skip what `.nomedia`, `.ndignore` and similar files name.
        seen_so_far: called with the number of files found, after each folder that is listed, and
            every `_SEEN_EVERY` folders.
        clock_ns: the clock that file systems stamp with.
        workers: look at folders and files.
        dirty: look only there; the rest is taken as known.
        still_ns: files modified less than this time ago are not read yet, unless they are known and were
            renamed.
        fresh: plain folders that were listed just now, by path; they are not listed again.
    """
    not_fresh = [folder for path, folder in known.items() if path not in fresh]
    if dirty is None:
        unchanged_folders = unchanged(not_fresh, workers, seen_so_far)
    else:
        unchanged_folders = dirty.without(not_fresh)
    unchanged_folders |= fresh
    look = Look(KnownFiles(known.values()), use_ignore_files, still_ns, workers)
    walk = _Walk(roots, known, unchanged_folders, look, seen_so_far, clock_ns)
    began_s = time.monotonic()
    moved_inodes: Collection[int] = frozenset()
    for walk_count in count(1):
        found, folders = walk.found, list(chain.from_iterable(walk.found.roots))
        paths, moved_inodes = outdated_folders(folders, walk.known, walk.replaced_inodes.union(moved_inodes))
        if not paths:
            break
        if walk_count >= _FEW_WALKS:
            if time.monotonic() - began_s > _PATIENCE_S or not any(map(birth_of, paths)):
                break
            time.sleep(_PAUSE_S)
        now_known = {folder.path: folder for folder in folders}
        walk = _Walk(
            roots, now_known, Dirty(paths).without(folders), look, seen_so_far, clock_ns, moved_inodes
        )
        # The next walk does not read unreadable folders again, nor files that were taken while growing.
        walk.found.unreadable[:] = dict.fromkeys(found.unreadable + walk.found.unreadable)
        walk.found.growing[:] = dict.fromkeys(found.growing + walk.found.growing)
    return walk.found


class _Seen(NamedTuple):
    """A folder that was looked at, and the ignore rules that hold below it.

    listing: None if the folder is known to be unchanged.
    """

    folder: Folder
    rules: Rules | None
    listing: Listing | None


class _Walk:
    """One walk: what was visited so far, and the links still to follow.

    replaced_inodes: of known files whose paths have other files, which are being written.
    """

    def __init__(
        self,
        roots: Sequence[bytes],
        known: Mapping[bytes, Folder],
        unchanged: Mapping[bytes, Folder],
        look: Look,
        seen_so_far: Callable[[int], object],
        clock_ns: Callable[[], int],
        moved_inodes: Collection[int] = (),
    ) -> None:
        """Walk the roots.

        moved_inodes: of files that are at another path than in `known`.
        """
        self.known = known
        self.found = WalkResult([], [], [], [])
        self.replaced_inodes: set[int] = set()
        self._unchanged = unchanged
        self._look = look
        self._seen_so_far = seen_so_far
        self._clock_ns = clock_ns
        self._moved_inodes = moved_inodes
        # A heap: of two links to one folder, that with the smallest path counts.
        self._links: list[tuple[int, bytes, Rules | None]] = []
        self._visited: set[tuple[int, int]] = set()
        self._filed: set[bytes] = set()
        self._files = 0
        for number, root in enumerate(roots):
            self.found.roots.append([])
            self._enter(number, root.rstrip(b"/") + b"/", None)
        while self._links:
            number, path, rules = heappop(self._links)
            self._enter(number, path, rules)
        for folders in self.found.roots:
            folders.sort(key=attrgetter("path"))

    def _enter(self, number: int, top: bytes, rules: Rules | None) -> None:
        """Walk a folder and all below it, level by level, and add the folders to root `number`."""
        level = [(top, rules)]
        while level:
            level = [entry for entry in level if entry[0] not in self._filed]
            below: list[tuple[bytes, Rules | None]] = []
            for (path, _), seen in zip(level, self._look.workers.each(self._look_at, level), strict=True):
                if isinstance(seen, OSError):
                    if seen.errno not in GONE or path == top:  # else it went while we walked
                        self._cannot_read(number, path, seen)
                elif seen is not None and self._visit(seen.folder):
                    if seen.listing is not None:
                        self._take(seen.listing, path)
                    self._file(number, seen.folder, seen.rules, below)
            level = below

    def _look_at(self, entry: tuple[bytes, Rules | None]) -> _Seen | OSError | None:
        """Look at a folder under ignore rules; None if it was visited already; in a thread of workers."""
        path, rules = entry
        known_folder = self._unchanged.get(path) if rules is None else None
        if known_folder is not None:
            return _Seen(known_folder, None, None)
        now_ns = self._clock_ns()
        try:
            status = os.stat(path)
            if (status.st_dev, fits(status.st_ino)) in self._visited:
                return None
            known, moved = self.known.get(path), self._moved_inodes
            listing = Listing(path, known, self._look, now_ns=now_ns, moved_inodes=moved)
            folder, rules = listing.read(status, rules)
        except OSError as error:
            return error
        return _Seen(folder, rules, listing)

    def _visit(self, folder: Folder) -> bool:
        """Note that a folder was visited; return False if it was before, under this or another path."""
        key = (folder.device, folder.inode)
        is_new = key not in self._visited
        self._visited.add(key)
        return is_new

    def _file(
        self, number: int, folder: Folder, rules: Rules | None, todo: list[tuple[bytes, Rules | None]]
    ) -> None:
        """Add a folder to the result, and its subfolders and links to those still to be walked."""
        path = folder.path
        self._filed.add(path)
        self.found.roots[number].append(folder)
        if folder.folders:
            todo += [(path + name + b"/", rules) for name in folder.subfolders()]
        if folder.odd is not NOTHING_ODD:
            for name, code, detail in folder.odd.left_out:
                self.found.skipped.append(Skipped(path + name, Cause(code, detail)))
            for name in folder.odd.links:
                heappush(self._links, (number, path + name + b"/", rules))
        self._files += folder.track_count
        if len(self._filed) % _SEEN_EVERY == 0 or path not in self._unchanged:
            self._seen_so_far(self._files)

    def _take(self, listing: Listing, path: bytes) -> None:
        """Add what a listing found besides its folder."""
        self.found.unreadable.extend(Skipped(path + name, reason) for name, reason in listing.unreadable)
        self.found.growing.extend(path + name for name in listing.growing)
        self.replaced_inodes |= listing.replaced_inodes

    def _cannot_read(self, number: int, path: bytes, error: OSError) -> None:
        """Report an unreadable folder, and reuse the last listing of it and all below it."""
        report = Skipped(path, Cause(SYSTEM_ERROR, os.strerror(error.errno or 0)))
        if report not in self.found.unreadable:
            self.found.unreadable.append(report)
        todo: list[tuple[bytes, Rules | None]] = [(path, None)]
        while todo:
            path, _ = todo.pop()
            folder = self.known.get(path)
            if folder is not None and path not in self._filed:
                self._file(number, folder, None, todo)
