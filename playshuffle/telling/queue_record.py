"""Record the queues that playshuffle made, as fingerprints in the state folder.

A queue with another fingerprint belongs to the user, and is not changed.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.system import atomic_file, lock
from playshuffle.system.xdg import state_folder

_MOST = 32  # of one player: some for each of a few playlists and sockets
_PATIENCE_S = 60


@contextlib.contextmanager
def only_process(player: str) -> Iterator[None]:
    """Lock a player's queue against other processes of playshuffle.

    Raises:
        PlayshuffleError: another process holds the lock for too long; or the record cannot be stored.
    """
    refusal = f"Process {{process}} already changes the queue of {player}. Try again when it is done."
    with lock.held(_path(player, make=True) + b".lock", _PATIENCE_S, refusal, Exit.MISSING):
        yield


def has(player: str, playlist: bytes | None, queue: Sequence[str]) -> bool:
    """Return whether playshuffle made this queue: from `playlist`, or if that is None, from any playlist."""
    fingerprint = _fingerprint(queue)
    return any(
        recorded == fingerprint and (playlist is None or path == os.fsdecode(playlist))
        for path, recorded in _read(player)
    )


def add(player: str, playlist: bytes, queues: Iterable[Sequence[str]]) -> None:
    """Record queues that are made from this playlist.

    Raises:
        PlayshuffleError: the queues cannot be recorded, so they must not be made.
    """
    before = _read(player)
    new = [(os.fsdecode(playlist), _fingerprint(queue)) for queue in queues]
    rows = list(dict.fromkeys([*reversed(new), *before]))[:_MOST]
    if rows != before:
        atomic_file.write(_path(player, make=True), [json.dumps({"schema": 1, "queues": rows}).encode()])


def _read(player: str) -> list[tuple[str, str]]:
    try:
        with open(_path(player, make=False), encoding="ascii") as file:
            return [(str(path), str(recorded)) for path, recorded in json.load(file)["queues"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _path(player: str, *, make: bool) -> bytes:
    try:
        return os.path.join(state_folder(make=make), b"queue-%b" % player.encode())
    except OSError as error:
        raise PlayshuffleError(
            f"Queues cannot be saved: {error.strerror}. Set XDG_STATE_HOME to a folder.", Exit.CANNOT_CREATE
        ) from error


def _fingerprint(queue: Sequence[str]) -> str:
    return blake2b(b"".join(os.fsencode(entry) + b"\0" for entry in queue), digest_size=16).hexdigest()
