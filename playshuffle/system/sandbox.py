"""Detect the sandbox of a systemd unit: systemd ignores some of its lines without a message."""

import enum
import os

from playshuffle.system.mounts import unescaped


class Sandbox(enum.StrEnum):
    """Which parts of the sandbox work."""

    ON = "on"
    PARTLY = "system calls only"
    OFF = "off"


def of(process: int | str = "self") -> Sandbox | None:
    """Return how restricted a process is, if that can be read."""
    try:
        table = _table(process)
        with open(f"/proc/{process}/status", "rb") as file:
            is_filtered = b"\nSeccomp:\t2\n" in file.read()
    except OSError:
        return None
    if not is_filtered:
        return Sandbox.OFF
    return Sandbox.ON if _is_read_only(table) else Sandbox.PARTLY


def came_late(folder: bytes) -> bool:
    """Return whether only the sandbox keeps this process from writing to a folder.

    A folder created after the start of the service stays read-only until a restart. A drive mounted later is
    writable.
    """
    real = os.path.realpath(folder)
    try:
        is_shut = bool(os.statvfs(real).f_flag & os.ST_RDONLY)
        table = _table("self")
    except OSError:
        return False
    return is_shut and _is_read_only(table) and real not in {point for point, _ in table}


def _table(process: int | str) -> list[tuple[bytes, bytes]]:
    with open(f"/proc/{process}/mountinfo", "rb") as file:
        # 36 35 98:0 /root /point options [tags…] - type source superoptions
        rows = [line.split(b" ") for line in file.read().split(b"\n")[:-1]]
    return [(unescaped(row[4]), row[5]) for row in rows]


def _is_read_only(table: list[tuple[bytes, bytes]]) -> bool:
    return b"ro" in dict(table).get(b"/", b"").split(b",")
