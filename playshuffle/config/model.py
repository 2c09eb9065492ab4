"""Define what a configuration contains: its playlists, their faults, and the times of the service."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from playshuffle.config.toml_file import Document, Fault
from playshuffle.dealing.amount import DealSettings
from playshuffle.pipeline.request import Request
from playshuffle.players.player import Player
from playshuffle.watch.schedule import POLL_S, SETTLE_S

SETTLE, POLL = f"{SETTLE_S:g}s", f"{POLL_S / 60:g}m"


class Reshuffle(StrEnum):
    """When the service shuffles a playlist again."""

    NEVER = "never"
    ON_START = "on-start"
    DAILY = "daily"
    WEEKLY = "weekly"


class QueuePlayer(StrEnum):
    """What is notified when a playlist was written: players with a queue, and commands of the user."""

    MPD = "mpd"
    MPV = "mpv"
    COMMANDS = "commands"


class ConfiguredPlaylist(NamedTuple):
    """A playlist of the configuration. Its request has an output."""

    name: str
    request: Request
    reshuffle: Reshuffle = Reshuffle.NEVER
    tell: tuple[QueuePlayer, ...] = ()

    @property
    def deal(self) -> DealSettings | None:
        """Return how much is dealt, and how often; None if the playlist is not dealt."""
        return self.request.deal


class BrokenPlaylist(NamedTuple):
    """A fault in one playlist; a playlist may have several."""

    name: str
    fault: Fault

    @property
    def text(self) -> str:
        """Return file, line and message as one line of text."""
        return self.fault.text


class Config(NamedTuple):
    """The playlists of a configuration.

    document: None if it is not from a file. playlists: in the order of the file. players: its own, by name.
    page: the file for the status, None for none.
    """

    document: Document | None
    playlists: tuple[ConfiguredPlaylist, ...]
    broken: tuple[BrokenPlaylist, ...] = ()
    settle_s: float = SETTLE_S
    poll_s: float = POLL_S
    page: bytes | None = None
    players: Mapping[str, Player] = {}

    @property
    def path(self) -> bytes | None:
        """Return the file; None if it is not from a file."""
        return self.document.path if self.document is not None else None

    @property
    def still_ns(self) -> int:
        """Return how long ago, in nanoseconds, a file must have been modified at least to be complete.

        It is shorter than `settle_s`, so that the update after that time takes the file.
        """
        return int(self.settle_s * 0.9e9)
