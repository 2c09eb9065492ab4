"""Define the mark of a track, four numbers that identify its file, and compare marks."""

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from struct import Struct
from zlib import crc32

from playshuffle.system.birth_time import Birth

# The mark of a track is four 64-bit numbers: size; mtime_ns; content: a checksum of its audio in
# the high half and of its EXTINF line (`label_sum`) in the low half; file: `file_id` if the file system
# has birth times, else the inode number.
MARK_BYTES = 32
_SIZE, CONTENT, FILE = 0, 2, 3
TAGS_BITS = 32
_SECONDS = (1 << 12) - 1  # bits of the length, in the checksum of an EXTINF line
_NEAR_S = 2  # lossy formats pad the audio at both ends, and lengths are rounded
CERTAIN = 1 << 30  # bit in the checksum of audio: it is of the audio itself, not of its length and rates

_FAR_APART = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio: its multiples spread evenly

Mark = tuple[int, int, int, int]
_MARK = Struct("4q")


def file_id(birth: Birth) -> int:
    """Return a number that no other file ever has; it is negative, unlike an inode number."""
    # Files that are written together have nearly the same times, and numbers in a row: both must count.
    return (birth.inode * _FAR_APART + birth.time_ns) % (1 << 63) - (1 << 63)


def label_sum(extinf: bytes) -> int:
    """Return 32 bits: a checksum of artist and title, then the seconds; 0 without a line."""
    length, _, text = extinf.partition(b",")
    return crc32(text) & ~_SECONDS | int(length.rpartition(b":")[2]) & _SECONDS if extinf else 0


def mark_rows(marks: bytes) -> list[Mark]:
    """Unpack marks."""
    numbers = array("q", marks)
    return list(zip(numbers[::4], numbers[1::4], numbers[2::4], numbers[3::4], strict=True))


class Marks:
    """Packed marks: a tuple for each would take six times the memory."""

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    def __getitem__(self, row: int) -> Mark:
        size, mtime_ns, content, file = _MARK.unpack_from(self.packed, MARK_BYTES * row)
        return size, mtime_ns, content, file

    def __iter__(self) -> Iterator[Mark]:
        return iter(mark_rows(self.packed))


def packed_marks(marks: Iterable[Mark]) -> bytes:
    """Pack marks, `MARK_BYTES` for each."""
    return array("q", chain.from_iterable(marks)).tobytes()


def contents_of(marks: bytes) -> "array[int]":
    """Return the checksums of audio and tags in packed marks."""
    return array("q", marks)[CONTENT::4]


def rename_key(mark: Mark) -> object | None:
    """Return the part of a mark that stays when the file is renamed or its tags are read.

    None without size and time: all such files look alike.
    """
    return (*mark[:CONTENT], mark[FILE]) if mark[_SIZE] > 0 else None


def file_key(mark: Mark) -> object | None:
    """Return the part of a mark that a file keeps when retagged in place or renamed; None if unknown."""
    return mark[FILE] if mark[FILE] < 0 else None


def same_file_key(mark: Mark) -> object | None:
    """Return the identity of a file: its `file_id`, or inode, size and time; None if unknown."""
    return file_key(mark) or rename_key(mark)


def copy_key(mark: Mark) -> object | None:
    """Return the part of a mark that stays on a move to another file system; None without a size."""
    return mark[:FILE] if mark[_SIZE] > 0 else None


def copy_rename_key(mark: Mark) -> object | None:
    """Return `copy_key` without tags: an untitled file's EXTINF line has its name. None without audio."""
    return (*mark[:CONTENT], audio_of(mark)) if mark[_SIZE] > 0 and audio_of(mark) else None


def audio_of(mark: Mark) -> int:
    """Return the checksum of the audio, 0 if unknown."""
    return mark[CONTENT] >> TAGS_BITS


def is_unread(mark: Mark) -> bool:
    """Return whether the file could not be read: it may have been renamed after it was listed."""
    return mark[_SIZE] < 0 and not mark[CONTENT]


def is_certain(mark: Mark) -> bool:
    """Return whether a mark has a checksum of the audio itself, not of length and rates."""
    return bool(audio_of(mark) & CERTAIN)


def is_new_version(mark: Mark, other: Mark) -> bool:
    """Return whether two files have the same artist and title, and nearly the same length."""
    label, other_label = ((file_mark[CONTENT] & (1 << TAGS_BITS) - 1) for file_mark in (mark, other))
    apart_s = (label - other_label) & _SECONDS
    is_near = min(apart_s, _SECONDS + 1 - apart_s) <= _NEAR_S
    return bool(label and other_label) and (label ^ other_label) <= _SECONDS and is_near
