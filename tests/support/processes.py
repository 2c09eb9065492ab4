"""Trace, count and await processes."""

import contextlib
import re
import signal
from pathlib import Path

from tests.support.needs import need

WRITES = "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,ftruncate,fchmod,mkdir"


def strace(log: Path | str, *expressions: str) -> list[str]:
    """The words that have strace start a program."""
    need("strace")
    return ["strace", "-f", "-qq", "-o", str(log), *(word for one in expressions for word in ("-e", one))]


def children(pid: int) -> list[int]:
    """The processes that a process has started and that are not dead."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(") ")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(folder.name))
    return found


def ignores_interrupts(pid: int) -> bool:
    """As a reader of tags does from when it has begun."""
    with contextlib.suppress(OSError):
        ignored = re.search(r"SigIgn:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
        return ignored is not None and bool(int(ignored[1], 16) >> (signal.SIGINT - 1) & 1)
    return False


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    return False
