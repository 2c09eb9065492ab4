"""List one folder: its audio files, its folders, and entries that are skipped."""

import contextlib
import errno
import os
import re
import time
from array import array
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple
from zlib import crc32

from playshuffle.errors import shown
from playshuffle.library import ignore_files
from playshuffle.library.folder import GONE, NOTHING_ODD, Folder, Odd
from playshuffle.library.ignore_files import Rules
from playshuffle.library.marks import file_id
from playshuffle.system.birth_time import birth_of
from playshuffle.system.workers import ALONE, Workers
from playshuffle.tags import cause
from playshuffle.tags.audio_formats import AUDIO_SUFFIXES
from playshuffle.tags.cause import Cause

# Folders for the use of systems and other programs, compared in lower case.
_SYSTEM_FOLDERS = re.compile(
    rb"@eadir|[@#~]snapshots?|@recently-snapshot|@gmt-[\d.-]+|[@#]tmp|[@#]recycle|\$recycle\.bin|recycle[dr]"
    rb"|found\.\d{3}|lost\.dir|lost\+found|__macosx|system volume information"
    rb"|network trash folder|temporary items",
    re.IGNORECASE,
)

# Files that yt-dlp and ffmpeg are writing: the finished file gets another name.
_TEMPORARY = re.compile(rb".+\.te?mp\.[^.]+", re.IGNORECASE)

# Names by Syncthing and rclone, by Nextcloud, Dropbox and Seafile in some languages, and by old versions of
# ownCloud. "War (Conflict Mix)" is a song: what is in brackets says that it is a copy, or has a date.
_CONFLICT = re.compile(
    rb"(.+?)(?:\.sync-conflict-\d.*|\.conflict\d*|_conflict-.*\d{8}-\d{6}"
    rb"| \((?=.*(?:\d{4}-\d\d-\d\d|cop[iy]|kopi|case))[^(]*[ck]onfli[ck]?t[^(]*\))(\.[^.]+)",
    re.IGNORECASE | re.DOTALL,
)

# The clocks of FAT, exFAT and old ext file systems have steps of a hundredth of a second up to two
# seconds: a second change within that time may leave the same stamp.
_COARSE_NS = 10_000_000
_RECENT_NS = 3_000_000_000

# The clocks of other file systems have steps of up to 10 ms. The clock may have been set since.
_SETTLED_NS = 1_000_000_000

_LIMIT = 1 << 63
_READINGS = Folder._fields.index("durations_ms")  # the fields from here on are results of reading the files

file_stamp = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


class KnownFiles:
    """The files of an earlier scan, recognised at any path if the file system has birth times."""

    def __init__(self, folders: Collection[Folder] = ()) -> None:
        self._folders = folders

    def has(self, path: bytes) -> bool:
        """Return whether a file is a known one, even if it was written to or renamed since."""
        birth = birth_of(path)
        return birth is not None and file_id(birth) in self._ids

    @cached_property
    def _ids(self) -> set[int]:
        return {number for folder in self._folders for number in array("q", folder.file_ids)}


class Look(NamedTuple):
    """How to list folders.

    Attributes:
        use_ignore_files: skip entries that ignore files such as `.nomedia` exclude.
        still_ns: files modified less than this time ago are read later, unless they are known and were only
            renamed.
        moved_inodes: inodes of known files that have left their path of the earlier scan.
        report: called now and then with the number of files found so far.
    """

    known_files: KnownFiles = KnownFiles()
    use_ignore_files: bool = True
    still_ns: int = 0
    workers: Workers = ALONE
    clock_ns: Callable[[], int] = time.time_ns
    moved_inodes: Collection[int] = ()
    report: Callable[[int], object] = lambda _: None


class Listing(NamedTuple):
    """The content of one folder.

    Attributes:
        unreadable: entries that could not be examined. Known files and folders of these names stay listed.
        growing: files written to less than `Look.still_ns` ago. Each is omitted, and the known file of its
            name stays listed, unless that file's inode is in `Look.moved_inodes`.
        replaced_inodes: inodes of known files that stay although a growing file has their path.
    """

    folder: Folder
    rules: Rules | None = None
    unreadable: Sequence[tuple[bytes, Cause]] = ()
    growing: Sequence[bytes] = ()
    replaced_inodes: Collection[int] = ()


def list_folder(
    path: bytes, before: Folder | None, look: Look, status: os.stat_result, rules: Rules | None, now_ns: int
) -> Listing:
    """List a folder whose path ends in a slash; `rules` are the ignore rules of folders above.

    If nothing changed, return `before`, the folder of an earlier scan. `status` was read after `now_ns`.

    Raises:
        OSError: the folder, or an ignore file in it, cannot be read.
    """
    return _Entries(path, before, look, now_ns).read(status, rules)


class _Entries:
    def __init__(self, path: bytes, before: Folder | None, look: Look, now_ns: int) -> None:
        self._path = path
        self._known = before
        self._look = look
        self._now_ns = now_ns
        self._unreadable: list[tuple[bytes, Cause]] = []
        self._growing: list[bytes] = []
        self._entries: dict[bytes, os.DirEntry[bytes]] = {}
        self._replaced_inodes: set[int] = set()
        self._folders: list[bytes] = []
        self._links: list[bytes] = []
        self._names: list[bytes] = []
        self._stamps: list[int] = []
        self._linked: dict[bytes, int] = {}
        self._left_out: list[tuple[bytes, str, str]] = []
        self._is_plain = True
        self._has_hard_links = False

    def read(self, status: os.stat_result, rules: Rules | None) -> Listing:
        with os.scandir(self._path) as scan:
            self._entries = entries = {entry.name: entry for entry in scan}
        if rules is not None or not ignore_files.NAMES.isdisjoint(entries) or self._is_recent(status):
            self._is_plain = False
        marker = next((name for name in ignore_files.MARKERS if name in entries), None)
        if self._look.use_ignore_files and marker is not None:
            self._left_out.append((b"", cause.MARKED, marker.decode()))
        else:
            if self._look.use_ignore_files:
                rules = ignore_files.read(self._path, entries, rules)
            if self._look.workers.count > 1:
                audio = [entry for name, entry in entries.items() if is_audio_name(name)]
                deque(self._look.workers.each(_stat, audio), 0)
            for name in sorted(entries):
                self._take(entries[name], rules)
        folder = self._folder(status, digest(entries))
        return Listing(folder, rules, self._unreadable, self._growing, self._replaced_inodes)

    def _folder(self, status: os.stat_result, names_digest: bytes) -> Folder:
        try:
            stamps = array("q", self._stamps)
        except OverflowError:
            stamps = array("q", map(fits, self._stamps))
        odd = Odd(self._links, self._linked, self._left_out, {}, {})
        folder = Folder(
            self._path,
            status.st_dev,
            fits(status.st_ino),
            fits(status.st_mtime_ns),
            fits(status.st_ctime_ns),
            digest=names_digest,
            is_plain=self._is_plain,
            has_hard_links=self._has_hard_links,
            folders=b"/".join(self._folders),
            names=b"/".join(self._names),
            stamps=stamps.tobytes(),
            is_settled=self._is_plain and self._is_settled(status),
            odd=odd if any(odd) else NOTHING_ODD,
        )
        before = self._known
        if before is None or folder.odd[:3] != before.odd[:3]:
            return folder
        reused = before if before.device == folder.device else before._replace(device=folder.device)
        return reused if reused[:_READINGS] == folder[:_READINGS] else folder

    def _take(self, entry: "os.DirEntry[bytes]", rules: Rules | None) -> None:
        name = entry.name
        is_audio = is_audio_name(name)
        try:
            is_link = entry.is_symlink()
            # Whatever its target is: next time it may be another one.
            self._is_plain &= not is_link
            is_folder = entry.is_dir()
            if not (is_audio or is_folder):
                return
            code, detail = self._reason(name, rules, is_folder)
            if code is None and not is_folder and not entry.is_file():
                code = cause.DANGLING if is_link else cause.NOT_REGULAR
            if code is not None:
                self._left_out.append((name, code, detail))
            elif is_folder:
                (self._links if is_link else self._folders).append(name)
            else:
                self._take_file(name, entry.stat(), is_link)
        except OSError as error:
            if error.errno == errno.ELOOP:
                if is_audio:
                    self._left_out.append((name, cause.DANGLING, ""))
            elif error.errno not in GONE:
                self._unreadable.append((name, Cause(cause.SYSTEM_ERROR, os.strerror(error.errno or 0))))
                self._take_known(name)

    def _reason(self, name: bytes, rules: Rules | None, is_folder: bool) -> tuple[str | None, str]:
        """Return code and detail of the reason to skip an entry because of its name, if any."""
        code = why_not(name, is_folder)
        if code is None and not is_folder and (original := self._original(name)) is not None:
            return cause.CONFLICT, shown(original)
        if code is None and rules is not None and rules.exclude(self._path + name, is_folder):
            code = cause.IGNORED
        return code, ""

    def _original(self, name: bytes) -> bytes | None:
        """Return the name of the file beside it of which a file is a conflict copy, if it is one."""
        original = original_name(name)
        entry = self._entries.get(original) if original is not None else None
        return original if entry is not None and entry.is_file() and entry.stat().st_size else None

    def _take_file(self, name: bytes, file: os.stat_result, is_link: bool) -> None:
        stamp = file_stamp(file)
        is_fresh = abs(self._now_ns - file.st_mtime_ns) < self._look.still_ns
        if is_fresh and not self._takes_fresh(name, stamp):
            return
        if self._is_recent(file):
            stamp = (-self._now_ns, *stamp[1:])  # a size that no file has, and no other scan gives
        self._take_row(name, stamp)
        if is_link:
            self._linked[name] = file.st_dev
        elif file.st_nlink > 1:
            self._has_hard_links = True

    def _takes_fresh(self, name: bytes, stamp: Sequence[int]) -> bool:
        known_stamp = self._known_stamp(name)
        if stamp == known_stamp:
            return True
        self._growing.append(name)
        self._is_plain = False
        is_other_file = known_stamp is None or known_stamp[3] != fits(stamp[3])
        if is_other_file and self._look.known_files.has(self._path + name):
            return True  # a known file that was renamed
        if known_stamp is not None and is_other_file:
            if known_stamp[3] in self._look.moved_inodes:
                return False
            self._replaced_inodes.add(known_stamp[3])
        self._take_known(name)
        return False

    def _take_row(self, name: bytes, stamp: Iterable[int]) -> None:
        self._names.append(name)
        self._stamps += stamp

    def _take_known(self, name: bytes) -> None:
        self._is_plain = False
        before = self._known
        if before is None:
            return
        if name in before.odd.links:
            self._links.append(name)
        elif name in self._known_folders:
            self._folders.append(name)
        elif (stamp := self._known_stamp(name)) is not None:
            self._take_row(name, stamp)
            if name in before.odd.linked:
                self._linked[name] = before.odd.linked[name]

    def _known_stamp(self, name: bytes) -> tuple[int, ...] | None:
        row = self._known_rows.get(name)
        return None if row is None else tuple(self._known_stamps[4 * row : 4 * row + 4])

    @cached_property
    def _known_folders(self) -> frozenset[bytes]:
        return frozenset(self._known.subfolders() if self._known is not None else ())

    @cached_property
    def _known_rows(self) -> dict[bytes, int]:
        names = self._known.file_names() if self._known is not None else []
        return {name: row for row, name in enumerate(names)}

    @cached_property
    def _known_stamps(self) -> "array[int]":
        return array("q", self._known.stamps if self._known is not None else b"")

    def _is_recent(self, file: os.stat_result) -> bool:
        changed_ns = file.st_ctime_ns
        return changed_ns % _COARSE_NS == 0 and abs(self._now_ns - changed_ns) < _RECENT_NS

    def _is_settled(self, folder: os.stat_result) -> bool:
        # A user may set mtime to any value; ctime always changes with it.
        changed_ns = folder.st_ctime_ns
        return changed_ns % _COARSE_NS != 0 and self._now_ns - changed_ns > _SETTLED_NS


def _stat(entry: "os.DirEntry[bytes]") -> None:
    with contextlib.suppress(OSError):  # nothing is cached, and `_take` gets the error itself
        entry.stat()


def is_audio_name(name: bytes) -> bool:
    """Return whether a file name has the suffix of an audio file."""
    dot = name.rfind(b".")
    return dot > 0 and name[dot:].lower() in AUDIO_SUFFIXES


def digest(names: Iterable[bytes]) -> bytes:
    """Return length and checksum of the joined names, in the given order."""
    text = b"/".join(names)
    return b"%d %08x" % (len(text), crc32(text))


def fits(number: int) -> int:
    """Fold a number into 64 bits with sign: inodes and far dates may be larger."""
    return number if -_LIMIT <= number < _LIMIT else number % _LIMIT


def why_not(name: bytes, is_folder: bool) -> str | None:
    """Return the code of the reason to skip an entry because of its name; None if it stays."""
    if name.startswith(b"._"):
        return cause.APPLE_DOUBLE
    if name.startswith(b"."):
        return cause.HIDDEN
    if is_folder and _SYSTEM_FOLDERS.fullmatch(name):
        return cause.SYSTEM_FOLDER
    if not is_folder and _TEMPORARY.fullmatch(name):
        return cause.TEMPORARY
    return None


def original_name(name: bytes) -> bytes | None:
    """Return the name of the file of which a synchroniser kept a conflict copy under this name."""
    copy = _CONFLICT.fullmatch(name)
    return copy[1] + copy[2] if copy is not None else None
