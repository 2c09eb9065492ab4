"""Define the status of folders, playlists and services, as `status --json` shows it."""

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from playshuffle.errors import shown
from playshuffle.text import counted

SCHEMA = 1
NOT_WATCHED = "not watched"
MISSING = "missing"
EMPTY = "empty"  # state of an existing folder without tracks
BY_MAKE = "by make"  # state of a playlist that is not in the configuration

_Model = TypeVar("_Model", "Service", "RootStatus", "PlaylistStatus")


class RootStatus(NamedTuple):
    """The status of a music folder.

    Attributes:
        state: ok, empty or missing.
        watched: how changes are noticed, in words.
        advice: a command that raises a limit of the kernel, or empty.
        last_event: Unix seconds.
        last_full_scan: Unix seconds.
    """

    root: str
    state: str
    file_system: str = ""
    watched: str = NOT_WATCHED
    advice: str = ""
    folders: int | None = None
    watches: int | None = None
    tracks: int | None = None
    last_event: int | None = None
    last_full_scan: int | None = None


class PlaylistStatus(NamedTuple):
    """The status of a playlist.

    Attributes:
        name: name in the configuration; None if not in it.
        state: waiting, managed, dealt, missing, nothing to play, nothing matches, error or broken; without a
            service also by make, not updated, nothing dealt and not written.
        last_write: Unix seconds.
        missing_lists: skip lists that cannot be read; their last content counts.
        left_out: number of omitted tracks by reason; only from a running service.
        waiting: maps each missing folder to the number of waiting tracks.
    """

    name: str | None
    output: str
    state: str = "not written"
    tracks: int | None = None
    library: int | None = None
    order: str | None = None
    last_write: int | None = None
    last_error: str | None = None
    scanning: str | None = None
    unreadable: tuple[str, ...] = ()
    missing_lists: tuple[str, ...] = ()
    left_out: Mapping[str, int] = {}
    waiting: Mapping[str, int] = {}
    deck: Mapping[str, object] | None = None
    summary: str | None = None

    @property
    def problems(self) -> list[str]:
        phrases = [shown(self.last_error)] if self.last_error is not None else []
        phrases += [f"cannot read {shown(path)}" for path in self.unreadable]
        phrases += [
            f"{count:,} of {counted(self.tracks or 0, 'track')} {'waits' if count == 1 else 'wait'} for"
            f" {shown(root)}"
            for root, count in self.waiting.items()
            if count
        ]
        lists = [
            f"skip list {shown(path)} is missing: its last content counts" for path in self.missing_lists
        ]
        return phrases + lists


class Service(NamedTuple):
    """A running service. `note` is advice for its user."""

    process: int
    since: int
    config: str | None
    note: str | None = None


class Feeding(NamedTuple):
    """A list whose tracks a player gets one by one.

    Attributes:
        process: number of the process that feeds the player.
        track: number of the current track in the round, from 1.
        next: path of the next track of the list, if any.
    """

    player: str
    playlist: str
    process: int
    track: int
    tracks: int
    round: int
    next: str | None


class Status(NamedTuple):
    """The status of one service or of all: services, folders, playlists.

    Attributes:
        not_listed: number of playlists written by `make` that are not among `playlists`.
        endless: lists whose tracks a player gets one by one.
    """

    services: tuple[Service, ...]
    roots: tuple[RootStatus, ...]
    playlists: tuple[PlaylistStatus, ...]
    notes: tuple[str, ...] = ()
    not_listed: int = 0
    endless: tuple[Feeding, ...] = ()
    schema: int = SCHEMA

    def facts(self) -> dict[str, Any]:
        """Return the status for JSON."""
        return {
            **self._asdict(),
            "services": [service._asdict() for service in self.services],
            "roots": [root._asdict() for root in self.roots],
            "playlists": [playlist._asdict() for playlist in self.playlists],
            "endless": [feeding._asdict() for feeding in self.endless],
        }


def published_status(published: Mapping[str, Any]) -> Status | None:
    """Return the status of a service; None if another version wrote it in an unknown form."""
    with contextlib.suppress(TypeError, KeyError, ValueError, AttributeError):
        return Status(
            _from_json(Service, published["services"]),
            _from_json(RootStatus, published["roots"]),
            _from_json(PlaylistStatus, published["playlists"]),
        )
    return None


def failures(playlists: Sequence[PlaylistStatus]) -> str:
    """Return a phrase with the number of playlists that cannot be updated, if any."""
    count = sum(playlist.last_error is not None for playlist in playlists)
    return f"{count:,} of {counted(len(playlists), 'playlist')} cannot be updated" if count else ""


def _from_json(model: type[_Model], rows: Sequence[Mapping[str, Any]]) -> tuple[_Model, ...]:
    return tuple(model(**{name: row[name] for name in row if name in model._fields}) for row in rows)
