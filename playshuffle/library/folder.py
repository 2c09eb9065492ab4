"""Define folders, files and skipped entries: the values that all packages use."""

import errno
from array import array
from collections.abc import Sequence
from typing import NamedTuple, Self

from playshuffle.tags.cause import Cause

GONE = frozenset((errno.ENOENT, errno.ENOTDIR))  # errors of a path at which nothing is


class Skipped(NamedTuple):
    """A file or folder that is skipped, and why."""

    path: bytes
    reason: Cause


class Odd(NamedTuple):
    """Rare properties of a folder. A row is the position of a file among the folder's audio files.

    Attributes:
        linked: maps the name of each audio file that is a symbolic link to the device of its target.
        left_out: skipped names, each with code and detail of the cause; an empty name is the folder itself.
        reasons: maps rows to the cause why the file has no tags, and whether it is a track all the same.
    """

    links: list[bytes]
    linked: dict[bytes, int]
    left_out: list[tuple[bytes, str, str]]
    reasons: dict[int, tuple[str, str, bool]]
    spoken: dict[int, str]


# As tagged: album, album artist, release ID and disc of a file.
AlbumTags = tuple[str, str, str, int | None]
NO_ALBUM: AlbumTags = ("", "", "", None)

STAMP_BYTES = 32  # bytes of a row: size, mtime_ns, ctime_ns and inode

NOTHING_ODD = Odd([], {}, [], {}, {})


class Folder(NamedTuple):
    """One folder, its entries and its audio files.

    Files are packed in columns: objects would take seven times the memory. A row is an audio file. The
    columns after `stamps` are empty until the tags are read.

    Attributes:
        path: ends in a slash.
        device: device number, which may change with each mount.
        digest: checksum of all names in the folder, in the order of the file system.
        is_plain: no entry is a link or subject to ignore files, so equal stamps prove that nothing changed.
        folders: names of the subfolders, joined by '/'.
        names: names of the audio files, sorted, joined by '/'.
        stamps: size, mtime_ns, ctime_ns and inode of each row, as 64-bit numbers. A size below 0 marks a row
            that never counts as unchanged.
        durations_ms: length of each row, as 32-bit numbers, 0 if unknown; None before tags were read.
        extinfs: `#EXTINF` line of each row, or nothing; joined by NUL.
        artists: artist of each row, as tagged, joined by NUL; a single artist counts for all.
        albums: album of each row; a single one counts for all.
        has_odd_names: some player may be unable to open one of the files.
        file_ids: inode and birth time of each row, from `identity.file_id`; 0 without birth times.
        contents: 64 bits for each row. High half: checksum of the audio, 0 if unknown. Low half: checksum of
            the EXTINF line.
        is_settled: any later change of a name in the folder changes the folder's time stamps, if the file
            system has fine ones.
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
    albums: tuple[AlbumTags, ...] = (NO_ALBUM,)
    has_odd_names: bool = False
    file_ids: bytes = b""
    contents: bytes = b""
    is_settled: bool = False
    odd: Odd = NOTHING_ODD

    def without_tags(self) -> Self:
        odd = self.odd if self.odd is NOTHING_ODD else self.odd._replace(reasons={}, spoken={})
        return self._replace(durations_ms=None, extinfs=b"", artists=b"", albums=(NO_ALBUM,), odd=odd)

    @property
    def track_count(self) -> int:
        return len(self.stamps) // STAMP_BYTES

    def file_names(self) -> list[bytes]:
        return self.names.split(b"/") if self.names else []

    def file_paths(self) -> list[bytes]:
        return list(map(self.path.__add__, self.file_names()))

    def subfolders(self) -> list[bytes]:
        return self.folders.split(b"/") if self.folders else []

    def stamp_column(self, column: int) -> "array[int]":
        """Return one number of each row's stamp: 0 is size, 1 mtime_ns, 2 ctime_ns, 3 inode."""
        return array("q", self.stamps)[column::4]

    def files(self) -> list[tuple[int, int]]:
        linked, inodes = self.odd.linked, self.stamp_column(3)
        return [
            (linked.get(name, self.device), inode)
            for name, inode in zip(self.file_names(), inodes, strict=True)
        ]

    def all_durations_ms(self) -> "array[int]":
        return array("I", self.durations_ms or bytes(4 * self.track_count))

    def all_artists(self) -> list[bytes]:
        return self.artists.split(b"\0") if b"\0" in self.artists else [self.artists] * self.track_count

    def all_albums(self) -> Sequence[AlbumTags]:
        return self.albums if len(self.albums) > 1 else self.albums * self.track_count

    def extinf_lines(self) -> list[bytes]:
        return self.extinfs.split(b"\0") if b"\0" in self.extinfs else [self.extinfs] * self.track_count


# The device of files that a scan did not find, since their drive is missing.
NO_DEVICE = -1

# A folder that was not listed, without files.
NOT_LISTED = Folder(b"", 0, 0, 0, 0, b"", False, False, b"", b"", b"")
