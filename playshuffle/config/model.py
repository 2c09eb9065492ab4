"""Define the content of a configuration."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from playshuffle.config.toml_file import Document, Fault
from playshuffle.pipeline.request import Request
from playshuffle.players.player import Player
from playshuffle.watch.schedule import POLL_S, SETTLE_S


class Reshuffle(StrEnum):
    """When the service shuffles a playlist again."""

    NEVER = "never"
    ON_START = "on-start"
    DAILY = "daily"
    WEEKLY = "weekly"


class QueuePlayer(StrEnum):
    """A player with a queue, or commands of the user: notified of each new playlist."""

    MPD = "mpd"
    MPV = "mpv"
    COMMANDS = "commands"


class ConfiguredPlaylist(NamedTuple):
    """A playlist of the configuration."""

    name: str
    request: Request
    reshuffle: Reshuffle = Reshuffle.NEVER
    tell: tuple[QueuePlayer, ...] = ()

    @property
    def output(self) -> bytes:
        assert self.request.output is not None, "a playlist of the configuration is a file"
        return self.request.output


class Config(NamedTuple):
    """The playlists of a configuration.

    Attributes:
        broken: faults of single playlists and players; each may have several.
        settle_s: seconds without changes before an update.
        poll_s: seconds between scans of folders that report no changes.
    """

    document: Document | None
    playlists: tuple[ConfiguredPlaylist, ...]
    broken: tuple[Fault, ...] = ()
    settle_s: float = SETTLE_S
    poll_s: float = POLL_S
    page: bytes | None = None
    players: Mapping[str, Player] = {}

    @property
    def path(self) -> bytes | None:
        return self.document.path if self.document is not None else None

    @property
    def still_ns(self) -> int:
        """Return the nanoseconds without modification after which a file counts as complete.

        They are less than `settle_s`, so that the update after `settle_s` seconds reads the file.
        """
        return int(self.settle_s * 0.9e9)
