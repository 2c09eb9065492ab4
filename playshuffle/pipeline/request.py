"""What is wanted of the main path, and what comes of it: the values at its two ends."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from playshuffle.library.folder import Skipped
from playshuffle.library.tracks import Tracks
from playshuffle.ordering.recipe import Recipe
from playshuffle.players.losses import Loss
from playshuffle.players.profiles import GENERIC
from playshuffle.playlist.m3u import PathStyle, Text
from playshuffle.playlist.parts import Parts, files_of


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted: which folders, in which order, written where and how.

    output: None writes no file; the entries are returned.
    pins: as the user said them, `TRACK[@PLACE]`.
    any_name: the paths themselves are wanted, so that none is left out for its name.
    player: for which it is written, one of `players.PLAYERS`.
    style, part_size: None for those of the player.
    strict: if the player would lose any track, nothing is written.
    relative_to: the folder that entries are relative to, if not that of the playlist.
    swaps: pairs of a folder here and what it is to the player, each with its separator at the end.
    """

    roots: tuple[bytes, ...]
    output: bytes | None
    recipe: Recipe = field(default_factory=Recipe)
    pins: tuple[str, ...] = ()
    style: PathStyle | None = None
    seed: str | None = None
    extinf: bool = True
    tags: bool = True
    ignore_files: bool = True
    allow_shrink: bool = False
    force: bool = False
    dry_run: bool = False
    any_name: bool = False
    player: str = GENERIC
    strict: bool = False
    relative_to: bytes | None = None
    swaps: tuple[tuple[bytes, bytes], ...] = ()
    part_size: int | None = None


class Figures(NamedTuple):
    """What a playlist holds.

    neighbours: how many follow one of the same artist; fewest: the least there could be.
    """

    duration_ms: int
    artists: int
    neighbours: int
    fewest: int


@dataclass(slots=True)
class Report:
    """What was done.

    found: how many tracks there are in all; playable: those that can be written; arranged: the
        order of these, of which the first `count` are in the playlist.
    figures: counts what it holds; only a person wants to know.
    text: the playlist itself, of one file or several. player: for which it was written.
    is_new: there was no such file; is_changed: it was written.
    suspects: paths to which the indices of `losses` belong.
    by_root: how many tracks lie below each root. came, went, renamed: since the last time.
    """

    output: bytes | None
    order: str
    style: PathStyle
    found: int
    count: int
    playable: Tracks
    arranged: list[int]
    figures: Callable[[], Figures]
    text: Text | Parts
    player: str
    is_new: bool
    skipped: list[Skipped]
    untagged: list[Skipped]
    unreadable: list[Skipped]
    unwritable: list[Skipped]
    suspects: list[bytes]
    losses: list[Loss]
    by_root: list[tuple[bytes, int]] = field(default_factory=list)
    came: int = 0
    went: int = 0
    renamed: int = 0
    is_changed: bool = False
    notes: list[str] = field(default_factory=list)

    def files(self) -> list[bytes]:
        """The files that the playlist is in, or would be: one, or its parts in order."""
        return [] if self.output is None else files_of(self.output, self.text)

    def paths(self) -> list[bytes]:
        """Paths of the tracks in the playlist, in order."""
        return [self.playable.paths[index] for index in self.arranged[: self.count]]
