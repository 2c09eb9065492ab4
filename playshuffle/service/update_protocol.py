"""Define the messages between the service and its update processes, one line each."""

import pickle
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

from playshuffle.errors import Note
from playshuffle.library.folder import Skipped
from playshuffle.service.status_json import PlaylistStatus
from playshuffle.watch.debounce import Batch


class UpdateRequest(NamedTuple):
    """The names of playlists to update for a batch of changes."""

    playlists: frozenset[str]
    batch: Batch


class UpdateStarted(NamedTuple):
    """An update process has started."""

    process: int


class ScanProgress(NamedTuple):
    """The progress of an update, in words."""

    text: str


class LibraryScanned(NamedTuple):
    """The folders of all playlists were scanned; reported moves and deletions are saved.

    `missing`: folders that seem to be missing, below which no deletion is saved.
    """

    missing: frozenset[bytes]


class PlaylistUpdated(NamedTuple):
    """A playlist is up to date.

    Attributes:
        status: lacks facts that only the service knows.
        is_cached: False if tags were not stored: the next update must scan everything.
    """

    playlist: str
    status: PlaylistStatus
    is_changed: bool
    added: int
    removed: int
    renamed: int
    growing: Sequence[bytes]
    is_cached: bool
    unreadable: Sequence[Skipped]
    folders: Sequence[tuple[bytes, int]]
    notes: Sequence[Note]


class PlaylistFailed(NamedTuple):
    """A playlist could not be updated, and is unchanged.

    Attributes:
        state: as in `PlaylistStatus`.
        missing: the folder that seems to be missing.
        is_shut: the sandbox blocks the playlist's folder until the service is restarted.
    """

    playlist: str
    error: str
    state: str
    missing: bytes | None
    is_shut: bool
    growing: Sequence[bytes]


class UpdateEnded(NamedTuple):
    """An update process has ended: its exit code, or a negative signal number."""

    code: int


Message = UpdateStarted | ScanProgress | LibraryScanned | PlaylistUpdated | PlaylistFailed | UpdateEnded


def pack(message: Message | UpdateRequest) -> bytes:
    """Return a message or request as a line."""
    return b64encode(pickle.dumps(message)) + b"\n"


def unpack(line: bytes) -> Any:
    """Return the message in a line; None if its writer was killed within the line."""
    try:
        return pickle.loads(b64decode(line))  # noqa: S301 - from a process of our own
    except (ValueError, EOFError, pickle.UnpicklingError):
        return None
