"""Read the tags of files in a separate process, which `reader_pool` starts.

It reads paths, each ended by a NUL, and writes readings in the same order, each as a line of JSON.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Iterator

from playshuffle.tags.head_reader import read_head
from playshuffle.tags.reading import Reading


def main() -> None:
    """Read the requested files until no path is left.

    After a file that needed too much memory the process ends, because the next files would have less.
    """
    deadline_s, memory_bytes = float(sys.argv[1]), int(sys.argv[2])
    limit_process(memory_bytes)
    os.write(1, b"\n")
    for path in _paths():
        # The parent watches the deadline. The alarm works if the parent was killed while a file hangs.
        signal.setitimer(signal.ITIMER_REAL, deadline_s + 1)
        reading = read_head(path) or _read_whole(path)
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.write(1, json.dumps(reading).encode() + b"\n")
        if reading.took_memory:
            return


def limit_process(memory_bytes: int) -> None:
    """Limit the address space, ignore Ctrl-C, and let an alarm or the parent's end stop this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the parent handles it
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the parent has ended
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_bytes if hard_limit == resource.RLIM_INFINITY else min(memory_bytes, hard_limit)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _read_whole(path: bytes) -> Reading:
    from playshuffle.tags.tag_reader import read  # mutagen is slow to import, and most files do not need it

    return read(path)


def _paths() -> Iterator[bytes]:
    rest = b""
    while data := os.read(0, 1 << 16):
        *paths, rest = (rest + data).split(b"\0")
        yield from paths
