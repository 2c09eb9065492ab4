"""Define folders, files and skipped entries: the values that travel through the program."""

from array import array
from typing import NamedTuple

from playshuffle.tags.cause import Cause


class Skipped(NamedTuple):
    """A file or folder that was left out, and why."""

    path: bytes
    reason: Cause


class Odd(NamedTuple):
    """What most folders have none of.

    links: names of symbolic links to folders. linked: the device of each audio file that is
    a symbolic link, by name. left_out: names, each with code and detail of the cause; an empty name
    is the folder itself. reasons: by row, why a file has no tags, and whether it is a track all the same.
    spoken: by row, why a file is spoken word.
    """

    links: list[bytes]
    linked: dict[bytes, int]
    left_out: list[tuple[bytes, str, str]]
    reasons: dict[int, tuple[str, str, bool]]
    spoken: dict[int, str]


STAMP_BYTES = 32  # of a row: size, mtime_ns, ctime_ns and inode

NOTHING_ODD = Odd([], {}, [], {}, {})


class Folder(NamedTuple):
    """One folder, its entries and its audio files. Its path ends in a slash.

    An object for each file would cost 1 KB a track, and the time to make it; one for each
    folder, with columns packed as they are kept in the cache, costs a seventh.

    device: as of this pass; it may change from one mount to the next.
    digest: of the names in it, in the order of the file system.
    is_plain: nothing in it is a link or under an ignore file, so that equal stamps mean that
        nothing has changed.
    folders: names of the folders in it, joined by '/'.
    names: of its audio files, sorted, joined by '/'. A row is one of them.
    stamps: of each row size, mtime_ns, ctime_ns and inode, as 64-bit numbers. A size below 0 is
        that of no file: such a row never counts as unchanged.
    durations_ms: of each row, as 32-bit numbers, 0 where unknown; None if none was read yet.
    extinfs: of each row the `#EXTINF` line, or nothing; joined by NUL. Empty if none was read yet.
    artists: of each row, as tagged, joined by NUL; one alone stands for all.
    has_odd_names: some player may have trouble with one of the paths.
    file_ids: of each row inode and birth time as one number, as `identity.file_id` returns it; 0
        where the file system has no birth times. Empty if none was read yet.
    contents: of each row a checksum of its audio, 0 where unknown, in the high half of a 64-bit number,
        and one of its EXTINF line in the low half. Empty if none was read yet.
    is_settled: its last change was long enough before it was listed, so that each later change gives it
        other stamps, if the file system keeps them finely.
    """

    path: bytes
    device: int
    inode: int
    mtime_ns: int
    ctime_ns: int
    digest: bytes
    is_plain: bool
    has_hard_links: bool
    folders: bytes
    names: bytes
    stamps: bytes
    durations_ms: bytes | None = None
    extinfs: bytes = b""
    artists: bytes = b""
    has_odd_names: bool = False
    file_ids: bytes = b""
    contents: bytes = b""
    is_settled: bool = False
    odd: Odd = NOTHING_ODD

    @property
    def track_count(self) -> int:
        """Number of its audio files."""
        return len(self.stamps) // STAMP_BYTES

    def file_names(self) -> list[bytes]:
        """Return the names of its audio files, sorted."""
        return self.names.split(b"/") if self.names else []

    def file_paths(self) -> list[bytes]:
        """Return the paths of its audio files."""
        return list(map(self.path.__add__, self.file_names()))

    def subfolders(self) -> list[bytes]:
        """Return the names of the folders in it."""
        return self.folders.split(b"/") if self.folders else []

    def stamp_column(self, column: int) -> "array[int]":
        """Return one number of the stamp of each row: 0 size, 1 mtime_ns, 2 ctime_ns, 3 inode."""
        return array("q", self.stamps)[column::4]

    def files(self) -> list[tuple[int, int]]:
        """Return the device and the inode of each row."""
        linked, inodes = self.odd.linked, self.stamp_column(3)
        return [
            (linked.get(name, self.device), inode)
            for name, inode in zip(self.file_names(), inodes, strict=True)
        ]

    def all_durations_ms(self) -> "array[int]":
        """Return the length of each row, 0 where unknown."""
        return array("I", self.durations_ms or bytes(4 * self.track_count))

    def all_artists(self) -> list[bytes]:
        """Return the artist of each row, as tagged."""
        return self.artists.split(b"\0") if b"\0" in self.artists else [self.artists] * self.track_count

    def extinf_lines(self) -> list[bytes]:
        """Return the `#EXTINF` line of each row, or nothing."""
        return self.extinfs.split(b"\0") if b"\0" in self.extinfs else [self.extinfs] * self.track_count
