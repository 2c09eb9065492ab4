"""Publish the status of this service in a file, and lock its playlists against other services."""

import contextlib
import json
import os
from collections.abc import Iterator
from hashlib import blake2b

from playshuffle.errors import shown
from playshuffle.service.status_file import services_folder
from playshuffle.service.status_json import Status
from playshuffle.system import atomic_file, lock

_ROOM = 4096  # bytes that file systems allocate at a time


@contextlib.contextmanager
def alone_with(playlist: bytes) -> Iterator[bool]:
    """Lock a playlist against other services. Yield whether it is locked; it is not on a full disk.

    Raises:
        HeldError: another service manages it.
    """
    try:
        folder = services_folder(make=True)
    except OSError:  # each update fails for the same reason, and reports it
        yield False
        return
    name = blake2b(atomic_file.resolved(playlist), digest_size=8).hexdigest().encode() + b".lock"
    path = os.path.join(folder, name)
    refusal = (
        f"Another playshuffle (process {{process}}) manages {shown(playlist)}. Stop that process first, or"
        " remove this playlist from one of them."
    )
    with lock.held(path, 0, refusal):
        yield os.path.lexists(path)


def can_lock() -> bool:
    """Return whether a file can be made in the folder of the locks."""
    try:
        path = os.path.join(services_folder(make=True), b"%d.new" % os.getpid())
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        os.unlink(path)
    except OSError:
        return False
    return True


class StatusFile:
    """The status file of a service, written without fsync; a context manager."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._file: bytes | None = None
        self._text = ""

    def __enter__(self) -> "StatusFile":
        self._open()
        return self

    def _open(self) -> None:
        with contextlib.suppress(OSError):
            folder = services_folder(make=True)
            _sweep(folder)
            name = self._locked(folder)
            if os.path.lexists(name + b".lock"):  # not on a full disk
                self._file = name + b".json"

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            for file in (self._file, self._file[: -len(b"json")] + b"lock"):
                with contextlib.suppress(OSError):
                    os.unlink(file)
        self._stack.close()

    def _locked(self, folder: bytes) -> bytes:
        """Lock a file with an unused name: services in two containers can have the same process number."""
        number = os.getpid()
        while True:
            name = os.path.join(folder, b"%d" % number)
            with contextlib.suppress(lock.HeldError):
                self._stack.enter_context(lock.held(name + b".lock", 1))
                return name
            number += 1

    def publish(self, status: Status) -> None:
        text = json.dumps(status.facts())
        if self._file is None:
            self._open()
        if self._file is None or text == self._text:
            return
        half = self._file + b".new"
        data = text.encode()
        # With spare bytes, so that a full disk can be reported, too.
        data = data.ljust(_ROOM * (2 + len(data) // _ROOM))
        try:
            with open(half, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(data)
            os.replace(half, self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(half)
            with contextlib.suppress(OSError), open(self._file, "r+b") as file:
                file.write(data.ljust(os.fstat(file.fileno()).st_size))
        else:
            self._text = text


def _sweep(folder: bytes) -> None:
    for name in os.listdir(folder):
        stem, _, suffix = name.partition(b".")
        if stem.isdigit() and suffix in (b"lock", b"json", b"json.new"):
            path = os.path.join(folder, stem + b".lock")
            if lock.holder(path) is None:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, name))
