"""Find the audio files below folders, and the folders that have changed since the last scan.

The walk stats every folder and every audio file, because a file edited in place changes nothing in its
folder. It lists a folder again unless the folder's stamps prove that its names are the same. An unchanged
folder is returned as the same object, tags included; an unreadable folder with its last known content.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain
from operator import attrgetter
from typing import NamedTuple, Self

from playshuffle.library.folder import GONE, NOTHING_ODD, Folder, Skipped
from playshuffle.library.ignore_files import Rules
from playshuffle.library.listing import Listing, Look, fits, list_folder
from playshuffle.tags.cause import SYSTEM_ERROR, Cause

_REPORT_EVERY = 64  # folders


class WalkResult(NamedTuple):
    """The result of a walk.

    Attributes:
        roots: maps each root to its folders. Files that were named one by one are below the root b"".
        growing: paths of files still being written. Each is left out; the file last known at that path stays
            instead, unless that file was moved.
        replaced_inodes: inodes of known files that stay although another file, still being written, has their
            path now.
    """

    roots: Mapping[bytes, Sequence[Folder]]
    skipped: Sequence[Skipped]
    unreadable: Sequence[Skipped] = ()
    growing: Sequence[bytes] = ()
    replaced_inodes: frozenset[int] = frozenset()

    @property
    def folders(self) -> Iterator[Folder]:
        return chain.from_iterable(self.roots.values())

    def changed(self, change: Callable[[Folder], Folder]) -> Self:
        return self._replace(roots={root: [*map(change, folders)] for root, folders in self.roots.items()})

    def after(self, before: Self) -> Self:
        """Return this result, with all unreadable and growing files that an earlier walk found.

        This walk did not report them again.
        """
        return self._replace(
            unreadable=[*dict.fromkeys([*before.unreadable, *self.unreadable])],
            growing=[*dict.fromkeys([*before.growing, *self.growing])],
        )


class Dirty(NamedTuple):
    """Folders that may have changed, as paths that end in a slash.

    Attributes:
        folders: each without the folders below it.
        trees: each with all folders below it.
    """

    folders: frozenset[bytes]
    trees: frozenset[bytes] = frozenset()

    def without(self, folders: Collection[Folder]) -> dict[bytes, Folder]:
        """Return, by path, the folders that are plain (`is_plain`) and have not changed.

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
    """Changes in the folders since the last scan, as reported by events.

    Attributes:
        dirty: folders to check; None for all.
        moved: (old path, new path) of every observed rename.
    """

    dirty: Dirty | None = None
    gone: frozenset[bytes] = frozenset()
    moved: tuple[tuple[bytes, bytes], ...] = ()
    still_ns: int = 0


EVERYWHERE = Changes()


class Walk:
    """A walk over roots: real folders first, then the targets of symbolic links.

    Every folder, identified by device and inode, is entered once: loops of links end, and roots may overlap.

    Args:
        before: folders of the last scan, by path.
        unchanged: the folders in `before` that need not be listed again.
    """

    def __init__(self, before: Mapping[bytes, Folder], unchanged: Mapping[bytes, Folder], look: Look) -> None:
        self._known = before
        self._unchanged = unchanged
        self._look = look
        self._roots: list[list[Folder]] = []
        self._skipped: list[Skipped] = []
        self._unreadable: list[Skipped] = []
        self._growing: list[bytes] = []
        self._replaced_inodes: set[int] = set()
        # A heap: of two links to one folder, the one with the smallest path counts.
        self._links: list[tuple[int, bytes, Rules | None]] = []
        self._visited: set[tuple[int, int]] = set()
        self._filed: set[bytes] = set()
        self._files = 0

    def run(self, roots: Sequence[bytes]) -> WalkResult:
        distinct = list(dict.fromkeys(roots))
        for number, root in enumerate(distinct):
            self._roots.append([])
            self._enter(number, root.rstrip(b"/") + b"/", None)
        while self._links:
            number, path, rules = heappop(self._links)
            self._enter(number, path, rules)
        for folders in self._roots:
            folders.sort(key=attrgetter("path"))
        by_root = dict(zip(distinct, self._roots, strict=True))
        replaced = frozenset(self._replaced_inodes)
        unreadable = [*dict.fromkeys(self._unreadable)]  # roots may overlap
        return WalkResult(by_root, self._skipped, unreadable, self._growing, replaced)

    def _enter(self, number: int, top: bytes, rules: Rules | None) -> None:
        level = [(top, rules)]
        while level:
            level = [entry for entry in level if entry[0] not in self._filed]
            below: list[tuple[bytes, Rules | None]] = []
            for (path, _), listing in zip(level, self._look.workers.each(self._look_at, level), strict=True):
                if isinstance(listing, OSError):
                    if listing.errno not in GONE or path == top:  # otherwise it disappeared during the walk
                        self._cannot_read(number, path, listing)
                elif listing is not None:
                    self._take(number, listing, below)
            level = below

    def _look_at(self, entry: tuple[bytes, Rules | None]) -> Listing | OSError | None:
        """List a folder in a worker thread; return None if it was visited already."""
        path, rules = entry
        known_folder = self._unchanged.get(path) if rules is None else None
        if known_folder is not None:
            return Listing(known_folder)
        now_ns = self._look.clock_ns()
        try:
            status = os.stat(path)
            if (status.st_dev, fits(status.st_ino)) in self._visited:
                return None
            return list_folder(path, self._known.get(path), self._look, status, rules, now_ns)
        except OSError as error:
            return error

    def _take(self, number: int, listing: Listing, todo: list[tuple[bytes, Rules | None]]) -> None:
        folder = listing.folder
        key = (folder.device, folder.inode)
        if key in self._visited:
            return
        self._visited.add(key)
        self._unreadable.extend(Skipped(folder.path + name, reason) for name, reason in listing.unreadable)
        self._growing.extend(folder.path + name for name in listing.growing)
        self._replaced_inodes.update(listing.replaced_inodes)
        self._file(number, folder, listing.rules, todo)

    def _file(
        self, number: int, folder: Folder, rules: Rules | None, todo: list[tuple[bytes, Rules | None]]
    ) -> None:
        path = folder.path
        self._filed.add(path)
        self._roots[number].append(folder)
        if folder.folders:
            todo += [(path + name + b"/", rules) for name in folder.subfolders()]
        if folder.odd is not NOTHING_ODD:
            for name, code, detail in folder.odd.left_out:
                self._skipped.append(Skipped(path + name, Cause(code, detail)))
            for name in folder.odd.links:
                heappush(self._links, (number, path + name + b"/", rules))
        self._files += folder.track_count
        if len(self._filed) % _REPORT_EVERY == 0 or path not in self._unchanged:
            self._look.report(self._files)

    def _cannot_read(self, number: int, path: bytes, error: OSError) -> None:
        """Use the last listings of an unreadable folder and of all folders below it."""
        self._unreadable.append(Skipped(path, Cause(SYSTEM_ERROR, os.strerror(error.errno or 0))))
        todo: list[tuple[bytes, Rules | None]] = [(path, None)]
        while todo:
            path, _ = todo.pop()
            folder = self._known.get(path)
            if folder is not None and path not in self._filed:
                self._file(number, folder, None, todo)
