"""Detect whether the sandbox of a systemd unit works: systemd ignores some lines without a message."""

import enum
import os
from collections.abc import Mapping

from playshuffle.system import mounts
from playshuffle.system.regular_file import read_if_any


class Sandbox(enum.StrEnum):
    """Which parts of the sandbox work."""

    ON = "on"
    PARTLY = "system calls only"
    OFF = "off"


def of(process: int | str = "self") -> Sandbox | None:
    """Return which parts of the sandbox restrict a process; None if unknown."""
    status = read_if_any(f"/proc/{process}/status")
    if not status:
        return None
    if b"\nSeccomp:\t2\n" not in status:
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
