"""A reading process: paths come in, each ended by a NUL; for each of them a line of JSON goes out.

Started by `readers`. It takes no more memory than it is allowed, and it ends with its parent.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Iterator

from playshuffle.library.tag_reader import TOO_MUCH_MEMORY, read


def main() -> None:
    """Answer until there are no more paths.

    After a file that needed too much memory it ends as well: the next ones shall not want for it.
    """
    deadline_s, memory_bytes = float(sys.argv[1]), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches every process; the parent acts on it
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the parent is gone
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory_bytes if most == resource.RLIM_INFINITY else min(memory_bytes, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.write(1, b"\n")
    for path in _paths():
        # The parent keeps the time. This is for when it was killed, and nobody else would end us.
        signal.setitimer(signal.ITIMER_REAL, deadline_s + 1)
        reading = read(path)
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.write(1, json.dumps(reading).encode() + b"\n")
        if reading.reason.endswith(TOO_MUCH_MEMORY):
            return


def _paths() -> Iterator[bytes]:
    rest = b""
    while data := os.read(0, 1 << 16):
        *paths, rest = (rest + data).split(b"\0")
        yield from paths
