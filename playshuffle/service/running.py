"""What a running service tells of itself -> a file; and those files -> what runs, for all who ask.

Each has a lock that nobody can forge by dying: what is told by a service that ended counts no more.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system import atomic_file as output
from playshuffle.system import lock
from playshuffle.system.xdg import place

Status = dict[str, Any]

_ROOM = 4096  # bytes, that file systems give at a time


def _folder(*, make: bool) -> bytes:
    folder = os.path.join(place("XDG_STATE_HOME", b".local/state", make=make), b"services")
    if make:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


@contextlib.contextmanager
def alone_with(playlist: bytes) -> Iterator[None]:
    """Be the only service that keeps this playlist.

    Raises:
        PlayshuffleError: another one does.
    """
    try:
        folder = _folder(make=True)
    except OSError:  # nothing can be remembered either; that is said elsewhere
        yield
        return
    name = blake2b(output.resolved(playlist), digest_size=8).hexdigest().encode() + b".lock"
    try:
        with lock.held(os.path.join(folder, name), 0):
            yield
    except lock.HeldError as error:
        raise PlayshuffleError(
            f"{shown(playlist)} is kept by another playshuffle (process {error}); stop that one first,"
            " or leave this playlist to it.",
            Exit.CANNOT_CREATE,
        ) from None


class Board:
    """Where a service tells of itself; a context manager. The file is not worth a sync."""

    def __init__(self) -> None:
        self._stack = contextlib.ExitStack()
        self._file: bytes | None = None
        self._told = ""

    def __enter__(self) -> "Board":
        with contextlib.suppress(OSError):
            folder = _folder(make=True)
            _sweep(folder)
            name = os.path.join(folder, b"%d" % os.getpid())
            with contextlib.suppress(lock.HeldError):  # somebody asks just now whether we have it
                self._stack.enter_context(lock.held(name + b".lock", 1))
            self._file = name + b".json"
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            for file in (self._file, self._file[: -len(b"json")] + b"lock"):
                with contextlib.suppress(OSError):
                    os.unlink(file)
        self._stack.close()

    def tell(self, status: Status) -> None:
        """Tell it, if it has changed."""
        text = json.dumps(status)
        if self._file is None or text == self._told:
            return
        half = self._file + b".new"
        data = text.encode()
        # With room for more, so that it can be told, too, that the disk is full.
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
            self._told = text


def told() -> list[Status]:
    """What the running services tell of themselves."""
    found: list[Status] = []
    with contextlib.suppress(OSError):
        folder = _folder(make=False)
        for name in sorted(os.listdir(folder)):
            if name.endswith(b".json") and lock.holder(os.path.join(folder, name[: -len(b"json")] + b"lock")):
                with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, name), "rb") as file:
                    found.append(json.load(file))
    return found


def processes(playlists: Sequence[bytes]) -> set[int]:
    """The running services that keep any of these playlists."""
    wanted = {os.path.realpath(path) for path in playlists}
    return {
        status["process"]
        for status in told()
        if wanted & {os.path.realpath(os.fsencode(one["output"])) for one in status.get("playlists", ())}
    }


def _sweep(folder: bytes) -> None:
    """Remove what services that were killed left behind."""
    for name in os.listdir(folder):
        stem, _, suffix = name.partition(b".")
        if stem.isdigit() and suffix in (b"lock", b"json", b"json.new"):
            path = os.path.join(folder, stem + b".lock")
            if lock.holder(path) is None:
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
