"""Define the request for one playlist: which folders, in which order, written where and how."""

import math
from typing import NamedTuple

from playshuffle.dealing.amount import DealSettings
from playshuffle.history.sources import Source
from playshuffle.ordering.limit_per_tag import LimitPerTag
from playshuffle.ordering.recipe import Recipe
from playshuffle.players.profiles import GENERIC
from playshuffle.playlist.m3u import PathStyle
from playshuffle.selection.query import Query, narrow, parse


class Request(NamedTuple):
    """One playlist, as it is asked for.

    output: None writes no file; the entries are returned.
    pins: as the user wrote them, `TRACK[@PLACE]`.
    files: the tracks to choose from; None for all below the roots, which else only say where files lie.
    source_file: the file that lists them, None if it is not known; streams: its entries that are not files.
    where: queries that tracks must match. history: where players remember plays.
    without: playlists whose tracks are left out.
    never: another one, which need not exist; None for none.
    no_duplicates: keep one copy of each recording. spoken: audiobooks and podcasts count as tracks.
    most: the limit for each value of a tag; of each deal, if the playlist is dealt.
    any_name: the paths themselves are asked for, so that no track is skipped for its name.
    title: what players show in place of the name of the file.
    player: for which the playlist is written, one of `players.PLAYERS`.
    style, max_per_file: None for those of the player.
    relative_to: the folder that entries are relative to, if not that of the playlist.
    swaps: pairs of a folder here and what it is to the player, each with its separator at the end.
    deal: how much is dealt, and how often; None if the playlist is not dealt.
    redraw_before_s: an update draws a new order if the present one is older than this time (Unix seconds).
    options: those that it was built from, as JSON, which are saved with the playlist; empty if not known.
    """

    roots: tuple[bytes, ...]
    output: bytes | None
    recipe: Recipe = Recipe()
    pins: tuple[str, ...] = ()
    files: tuple[bytes, ...] | None = None
    source_file: bytes | None = None
    streams: tuple[bytes, ...] = ()
    where: tuple[str, ...] = ()
    history: tuple[Source, ...] = ()
    without: tuple[bytes, ...] = ()
    never: bytes | None = None
    no_duplicates: bool = False
    most: LimitPerTag | None = None
    spoken: bool = False
    style: PathStyle | None = None
    seed: str | None = None
    extinf: bool = True
    tags: bool = True
    ignore_files: bool = True
    accept_missing: bool = False
    force: bool = False
    dry_run: bool = False
    any_name: bool = False
    title: str | None = None
    player: str = GENERIC
    relative_to: bytes | None = None
    swaps: tuple[tuple[bytes, bytes], ...] = ()
    max_per_file: int | None = None
    deal: DealSettings | None = None
    redraw_before_s: float = math.inf
    options: str = ""

    @property
    def query(self) -> Query:
        """Return one query for all that is selected.

        Raises:
            QueryError: a text is not a query.
        """
        return narrow([parse(text, self.roots) for text in self.where])

    @property
    def skip_lists(self) -> tuple[bytes, ...]:
        """Return all playlists whose tracks are left out."""
        return tuple(dict.fromkeys([*self.without, *([] if self.never is None else [self.never])]))

    @property
    def writes(self) -> bool:
        """Return whether the playlist and the state are written."""
        return self.output is not None and not self.dry_run
