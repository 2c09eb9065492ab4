"""Read the tags of files in a process of its own, which `reader_pool` starts.

Paths come in, each ended by a NUL. Readings go out in the same order as lines of JSON, each with the
readings of a few files. The process takes no more memory than it is allowed, and ends with its parent.
"""

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator

from playshuffle.tags.head_reader import read_head
from playshuffle.tags.reading import TOO_MUCH_MEMORY, Reading

_LONGEST_WAIT_S = 0.1  # readings wait for others so long, so that a slow disk delays no answer
_LONGEST_LINE = 64 * 1024  # characters, about


def main() -> None:
    """Answer until there are no more paths.

    After a file that needed too much memory the process ends, because less is left for the next ones.
    """
    deadline_s, memory_bytes, batch = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    limit_process(memory_bytes)
    os.write(1, b"\n")
    for paths in _batches(batch):
        if not _answer(paths, deadline_s):
            return


def limit_process(memory_bytes: int) -> None:
    """Limit the address space of this process, and let signals and its parent's end stop it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the parent acts on it
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the parent is gone
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_bytes if hard_limit == resource.RLIM_INFINITY else min(memory_bytes, hard_limit)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _answer(paths: list[bytes], deadline_s: float) -> bool:
    """Read some files and write their readings; return False after one that needed too much memory."""
    readings: list[str] = []
    for path in paths:
        # The parent keeps the time. The alarm is for a parent that was killed while a file hangs.
        signal.setitimer(signal.ITIMER_REAL, deadline_s + 1)
        if not readings:
            began = time.monotonic()
        reading = read_head(path)
        if reading is None:
            # So that the parent knows which file takes long.
            _write(readings)
            readings = []
            reading = _read_whole(path)
            began = 0.0
        signal.setitimer(signal.ITIMER_REAL, 0)
        readings.append(json.dumps(reading))
        if time.monotonic() - began > _LONGEST_WAIT_S or sum(map(len, readings)) > _LONGEST_LINE:
            _write(readings)
            readings = []
        if reading.reason.endswith(TOO_MUCH_MEMORY):
            return False
    _write(readings)
    return True


def _read_whole(path: bytes) -> Reading:
    from playshuffle.tags.tag_reader import read  # mutagen is slow to import, and most files do without

    return read(path)


def _write(readings: list[str]) -> None:
    if readings:
        os.write(1, ("[" + ",".join(readings) + "]\n").encode())


def _batches(size: int) -> Iterator[list[bytes]]:
    rest = b""
    while data := os.read(0, 1 << 16):
        *paths, rest = (rest + data).split(b"\0")
        for start in range(0, len(paths), size):
            yield paths[start : start + size]
