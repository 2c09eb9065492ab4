"""Return the inode and the birth time of a file, which together belong to no other file.

An inode number is used again after its file was deleted. Python's `os.stat` has no birth time on Linux, so
this module calls `statx` of the C library.
"""

import functools
from collections.abc import Callable
from struct import Struct
from typing import NamedTuple

_AT_FDCWD = -100
_STATX_INO, _STATX_BTIME = 0x100, 0x800
_BUFFER_BYTES = 256
_FIELDS = Struct("=I28xQ40xqI")  # stx_mask, stx_ino, stx_btime: seconds and nanoseconds

# FAT and exFAT count births in hundredths of a second and make up inode numbers at each mount.
_COARSE_NS = 10_000_000

_Statx = Callable[[bytes], bytes | None]


class Birth(NamedTuple):
    """The identity of a file: its inode, and when it was created."""

    inode: int
    time_ns: int


def birth_of(path: bytes) -> Birth | None:
    """Return a file's identity, links followed; None if its file system has no birth times."""
    statx = _statx()
    if statx is None or b"\0" in path or (answer := statx(path)) is None:
        return None
    mask, inode, seconds, nanoseconds = _FIELDS.unpack_from(answer)
    time_ns = seconds * 1_000_000_000 + nanoseconds
    has_both = mask & _STATX_INO and mask & _STATX_BTIME
    return Birth(inode, time_ns) if has_both and time_ns > 0 and time_ns % _COARSE_NS else None


@functools.cache
def _statx() -> _Statx | None:
    import ctypes

    try:
        function = ctypes.CDLL(None).statx
    except (OSError, AttributeError):  # a C library older than glibc 2.28
        return None
    function.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)
    buffer_type = ctypes.c_char * _BUFFER_BYTES

    def statx(path: bytes) -> bytes | None:
        buffer = buffer_type()
        error_code = function(_AT_FDCWD, path, 0, _STATX_INO | _STATX_BTIME, buffer)
        return None if error_code else buffer.raw

    return statx
