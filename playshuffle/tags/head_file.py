"""Read a file in a few large pieces and keep the last piece.

A read outside the loaded piece costs one `pread` of at least 4 KB, so covers need not be read.
"""

import os
from collections.abc import Callable
from struct import error as StructError  # noqa: N812 - it is a class
from zlib import crc32

HEAD_BYTES = 8192  # bytes of the first read: most tags end in them
NEXT_BYTES = 4096  # bytes of a later read: a few frames, or the headers after a cover
MOST_BYTES = 64 * 1024  # bytes of a read in a long sequence: a cover in many small pages of Ogg

Pread = Callable[[int, int, int], bytes]


class DeclinedError(Exception):
    """The file is unusual: `tag_reader` must read it. Every head reader may raise this."""


# Exceptions of a head reader for an unusual file.
UNUSUAL = (DeclinedError, StructError, LookupError, ValueError, ArithmeticError)


def audio_mark(piece: bytes, period: int = 0) -> int:
    """Return a checksum above 0 of a piece of audio; 0 if the piece repeats itself, as silence does.

    `period`: bytes after which silent audio repeats itself.
    """
    if not piece or (period and piece[period:] == piece[:-period]):
        return 0
    return crc32(piece) or 1


class HeadFile:
    """An open file of a known size, whose first bytes are read at once.

    Args:
        pread: like `os.pread`.
    """

    def __init__(self, descriptor: int, size: int, pread: Pread | None = None) -> None:
        self.size = size
        self._descriptor = descriptor
        self._pread = pread or os.pread
        self._start = 0
        self._ahead = NEXT_BYTES // 2
        self._piece = self._pread(descriptor, HEAD_BYTES, 0)

    def at(self, offset: int, length: int) -> bytes:
        start = offset - self._start
        if start < 0 or start + length > len(self._piece):
            self._load(offset, length)
            start = 0
            if length > len(self._piece):
                raise DeclinedError
        return self._piece[start : start + length]

    def at_least(self, offset: int, length: int) -> bytes:
        """Return `length` bytes at an offset, and all loaded bytes behind them."""
        self.at(offset, length)
        return self.around(offset)

    def up_to(self, offset: int, length: int) -> bytes:
        """Return `length` bytes at an offset, or fewer at the end of the file."""
        return self.at(offset, max(0, min(length, self.size - offset)))

    def around(self, offset: int) -> bytes:
        start = offset - self._start
        return self._piece[start:] if 0 <= start <= len(self._piece) else b""

    def _load(self, offset: int, length: int) -> None:
        if offset < 0 or length > self.size:
            raise DeclinedError
        is_near = 0 <= offset - self._start - len(self._piece) < NEXT_BYTES
        self._ahead = min(2 * self._ahead, MOST_BYTES) if is_near else NEXT_BYTES
        self._piece = self._pread(self._descriptor, max(length, self._ahead), offset)
        self._start = offset
