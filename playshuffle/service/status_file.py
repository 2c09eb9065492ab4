"""Find running services by their published status files, and notify them.

A running service locks its file; unlocked files are ignored.
"""

import contextlib
import json
import os
import signal
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from playshuffle.system import lock
from playshuffle.system.xdg import state_folder

if TYPE_CHECKING:
    from playshuffle.service.status_json import Status

_DIGITS = 10  # of the number of a process, at most


def services_folder(*, make: bool = False) -> bytes:
    """Return the folder of the status files."""
    folder = os.path.join(state_folder(make=make), b"services")
    if make:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def services() -> list["Status"]:
    """Return the status of each running service."""
    published: list[Status] = []
    with contextlib.suppress(OSError):
        folder = services_folder()
        for name in sorted(os.listdir(folder)):
            stem, _, suffix = name.partition(b".")
            path = os.path.join(folder, name)
            is_service = stem.isdigit() and len(stem) <= _DIGITS  # not the fingerprint of a playlist
            if suffix == b"lock" and is_service and lock.holder(path) is not None:
                status = _status(int(stem), path)
                published += [status] if status is not None else []
    return published


def _status(process: int, path: bytes) -> "Status | None":
    from playshuffle.service import status_json  # most often no service runs

    try:
        with open(path[: -len(b"lock")] + b"json", "rb") as file:
            return status_json.published_status(json.load(file))
    except (OSError, ValueError):  # it cannot write to a full disk
        since_s = int(os.stat(path).st_mtime)
        service = status_json.Service(process, since_s, None, "Its status cannot be read.")
        return status_json.Status((service,), (), ())


def processes(playlists: Sequence[bytes]) -> set[int]:
    """Return the process numbers of the services that manage any of these playlists."""
    outputs = {os.path.realpath(path) for path in playlists}
    return {
        status.services[0].process
        for status in services()
        if outputs & {resolved(playlist.output) for playlist in status.playlists}
    }


def resolved(output: str) -> bytes:
    """Return a playlist's real path."""
    return os.path.realpath(os.fsencode(output))


def notify(services: Iterable[int]) -> None:
    """Notify services, by process number, that one of their playlists has changed."""
    for process in services:
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            os.kill(process, signal.SIGHUP)
