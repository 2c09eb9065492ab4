"""Detect whether the sandbox of a systemd unit works: systemd ignores some lines without a message."""

import enum
import os
from collections.abc import Mapping

from playshuffle.system import mounts


class Sandbox(enum.StrEnum):
    """Which parts of the sandbox work."""

    ON = "on"
    PARTLY = "system calls only"
    OFF = "off"


def of(process: int | str = "self") -> Sandbox | None:
    """Return which parts of the sandbox restrict a process; None if unknown."""
    try:
        with open(f"/proc/{process}/status", "rb") as file:
            is_filtered = b"\nSeccomp:\t2\n" in file.read()
    except OSError:
        return None
    if not is_filtered:
        return Sandbox.OFF
    return Sandbox.ON if _is_read_only(_options(process)) else Sandbox.PARTLY


def came_late(folder: bytes) -> bool:
    """Return whether only the sandbox keeps this process from writing to a folder.

    A folder created after the start of the service stays read-only until a restart.
    """
    real = os.path.realpath(folder)
    try:
        is_shut = bool(os.statvfs(real).f_flag & os.ST_RDONLY)
    except OSError:
        return False
    options = _options("self") if is_shut else {}
    return _is_read_only(options) and real not in options


def _options(process: int | str) -> Mapping[bytes, bytes]:
    return {row.point: row.options for row in mounts.rows(mounts.mountinfo(process))}


def _is_read_only(options: Mapping[bytes, bytes]) -> bool:
    return b"ro" in options.get(b"/", b"").split(b",")
