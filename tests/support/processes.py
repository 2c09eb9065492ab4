"""Trace, count and await processes."""

import contextlib
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.support.needs import need, unmet

CHANGES = (
    "open,openat,openat2,creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,"
    "symlink,symlinkat,mknod,mknodat,truncate,chmod,fchmodat,chown,fchownat,execve,socket,connect"
)
WRITES = "write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,ftruncate,fchmod,mkdir"


def strace(log: Path | str, *expressions: str) -> list[str]:
    """Return the start of a command line that runs a program under strace."""
    need("strace")
    return ["strace", "-f", "-qq", "-o", str(log), *(word for one in expressions for word in ("-e", one))]


def injected(calls: str, fault: str) -> list[str]:
    """Return the start of a command line that makes system calls fail, such as `signal=KILL:when=2`."""
    return strace("/dev/null", f"trace={calls}", f"inject={calls}:{fault}")


def strange_changes(lines: Sequence[str], home: Path, playlist: str) -> list[str]:
    """Return the traced calls that change a file that belongs neither to the home nor to a playlist."""
    changing = [
        line
        for line in lines
        if re.match(r"(?!execve|socket|connect|sendto)\w+\(", line)
        and (not line.startswith("open") or re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", line))
        and not re.search('"/dev/null"|__pycache__|= -1', line)
    ]
    assert changing
    ours = rf'\("{home}|AT_FDCWD, "{home}|, "\.{playlist}\.[0-9a-f]{{12}}\.tmp"|mkdir\("{home.parent}'
    return [line for line in changing if not re.search(ours, line)]


def writing_calls(log: Path, run: Callable[[list[str]], bool]) -> list[tuple[str, int]]:
    """Return each writing call of a run's main process, by its name and number.

    `run` starts the program behind these words, and returns whether it succeeded.
    """
    run(["env"])  # compiles all modules
    if not run(strace(log, f"trace={WRITES}")):
        unmet("strace does not work here")
    counts: Counter[str] = Counter()
    lines = [line.split(None, 1) for line in log.read_text().splitlines()]
    for process, call in lines:
        if process == lines[0][0] and (name := re.match(r"\w+(?=\()", call)):
            counts[name[0]] += 1
    assert {"fsync", "write"} < counts.keys()
    return [(name, number) for name, count in counts.items() for number in range(1, count + 1)]


def finished(words: Sequence[str | Path], **settings: Any) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, with its output as text."""
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=600, **settings)


def children(pid: int) -> list[int]:
    """Return the living children of a process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(") ")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(int(folder.name))
    return found


def ignores_interrupts(pid: int) -> bool:
    """Return whether a process ignores SIGINT, as a tag reader does once it has started."""
    with contextlib.suppress(OSError):
        ignored = re.search(r"SigIgn:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
        return ignored is not None and bool(int(ignored[1], 16) >> (signal.SIGINT - 1) & 1)
    return False


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    return False


def cpu_s(process: int) -> float:
    """Return the CPU time of a process."""
    used = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[11:13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")
