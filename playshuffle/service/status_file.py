"""Publish the status of a running service in a file, and read these files.

Each file has a lock that ends with its service: the status of a service that has ended is ignored.
"""

import contextlib
import json
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import TYPE_CHECKING

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system import atomic_file, lock
from playshuffle.system.xdg import state_folder

if TYPE_CHECKING:
    from playshuffle.service.status_json import Status

_ROOM = 4096  # bytes that file systems allocate at a time


def _folder(*, make: bool) -> bytes:
    folder = os.path.join(state_folder(make=make), b"services")
    if make:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


@contextlib.contextmanager
def alone_with(playlist: bytes) -> Iterator[None]:
    """Lock a playlist against other services.

    Raises:
        PlayshuffleError: another service manages it.
    """
    try:
        folder = _folder(make=True)
    except OSError:  # each update fails for the same reason, and reports it
        yield
        return
    name = blake2b(atomic_file.resolved(playlist), digest_size=8).hexdigest().encode() + b".lock"
    try:
        with lock.held(os.path.join(folder, name), 0):
            yield
    except lock.HeldError as error:
        raise PlayshuffleError(
            f"Another playshuffle (process {error}) manages {shown(playlist)}. Stop that process first, or"
            " remove this playlist from one of them.",
            Exit.CANNOT_CREATE,
        ) from None


class StatusFile:
    """The status file of a service; a context manager. It is never synced."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._file: bytes | None = None
        self._text = ""

    def __enter__(self) -> "StatusFile":
        with contextlib.suppress(OSError):
            folder = _folder(make=True)
            _sweep(folder)
            self._file = self._locked(folder) + b".json"
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            for file in (self._file, self._file[: -len(b"json")] + b"lock"):
                with contextlib.suppress(OSError):
                    os.unlink(file)
        self._stack.close()

    def _locked(self, folder: bytes) -> bytes:
        """Lock a name of its own: services in two containers can have one process number."""
        number = os.getpid()
        while True:
            name = os.path.join(folder, b"%d" % number)
            with contextlib.suppress(lock.HeldError):
                self._stack.enter_context(lock.held(name + b".lock", 1))
                return name
            number += 1

    def publish(self, status: "Status") -> None:
        text = json.dumps(asdict(status))
        if self._file is None or text == self._text:
            return
        half = self._file + b".new"
        data = text.encode()
        # With spare bytes, so that a full disk can be reported, too.
        data = data.ljust(_ROOM * (2 + len(data) // _ROOM))
        try:
            with open(half, "wb", opener=_privately) as file:
                file.write(data)
            os.replace(half, self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(half)
            with contextlib.suppress(OSError), open(self._file, "r+b") as file:
                file.write(data.ljust(os.fstat(file.fileno()).st_size))
        else:
            self._text = text


def services() -> list["Status"]:
    """Return the status of each running service."""
    published: list[Status] = []
    with contextlib.suppress(OSError):
        folder = _folder(make=False)
        for name in sorted(os.listdir(folder)):
            if name.endswith(b".json") and lock.holder(os.path.join(folder, name[: -len(b"json")] + b"lock")):
                from playshuffle.service.status_json import published_status  # most often no service runs

                with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, name), "rb") as file:
                    status = published_status(json.load(file))
                    published += [status] if status is not None else []
    return published


def processes(playlists: Sequence[bytes]) -> set[int]:
    """Return the processes of the services that manage any of these playlists."""
    outputs = {os.path.realpath(path) for path in playlists}
    return {
        status.services[0].process
        for status in services()
        if outputs & {resolved(playlist.output) for playlist in status.playlists}
    }


def resolved(output: str) -> bytes:
    """Return the real path of a playlist's file."""
    return os.path.realpath(os.fsencode(output))


def notify(services: Iterable[int]) -> None:
    """Notify services that a playlist of theirs has changed."""
    for process in services:
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            os.kill(process, signal.SIGHUP)


def _sweep(folder: bytes) -> None:
    for name in os.listdir(folder):
        stem, _, suffix = name.partition(b".")
        if stem.isdigit() and suffix in (b"lock", b"json", b"json.new"):
            path = os.path.join(folder, stem + b".lock")
            if lock.holder(path) is None:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
