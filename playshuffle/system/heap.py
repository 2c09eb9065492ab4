"""Set up the memory allocator of the C library."""

import contextlib

_M_ARENA_MAX = -8  # of glibc's malloc.h


def use_one_heap() -> None:
    """Let all threads that are started from now on allocate from one heap.

    By default, glibc gives each thread a heap of its own, and what one thread has freed is of no use to
    the others. Threads that mostly wait lose no time by this. Does nothing without glibc.
    """
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
