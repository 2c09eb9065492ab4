"""Define the request for one playlist: its folders, its order, its file and its format."""

import math
from typing import TYPE_CHECKING, NamedTuple

from playshuffle.dealing.amount import DealSettings
from playshuffle.options.table import Options
from playshuffle.ordering.limit_per_tag import LimitPerTag
from playshuffle.ordering.recipe import Recipe
from playshuffle.playlist.m3u import PathStyle

if TYPE_CHECKING:
    from playshuffle.history.sources import Source


class Request(NamedTuple):
    """The request for one playlist: its options, and values that follow from them.

    Attributes:
        output: the file to write; if None, the run returns the entries.
        options: all options, with absolute paths.
        files: the files to choose from, all below the roots; None for all tracks below the roots.
        streams: entries of `source_file` that are not files.
        never: the list of `playshuffle never`, which need not exist.
        most: maximum number of tracks per value of a tag, in a playlist or deal.
        relative_to: the folder where relative entries start, if not the playlist's.
        swaps: pairs of a folder and its path for the player, both ending with a separator.
        any_name: names that a playlist cannot hold are allowed, because only paths are returned.
        redraw_before_s: an update replaces an order drawn before this Unix time (s).
    """

    roots: tuple[bytes, ...]
    output: bytes | None
    recipe: Recipe = Recipe()
    options: Options = Options()
    files: tuple[bytes, ...] | None = None
    source_file: bytes | None = None
    streams: tuple[bytes, ...] = ()
    history: "tuple[Source, ...]" = ()
    without: tuple[bytes, ...] = ()
    never: bytes | None = None
    most: LimitPerTag | None = None
    style: PathStyle | None = None
    relative_to: bytes | None = None
    swaps: tuple[tuple[bytes, bytes], ...] = ()
    deal: DealSettings | None = None
    dry_run: bool = False
    any_name: bool = False
    redraw_before_s: float = math.inf

    @property
    def saved_options(self) -> Options | None:
        """Return the options to save with the playlist, without `--force` and `--accept-missing`.

        None if the files cannot be listed again, because a pipe or a caller named them.
        """
        if self.files is not None and (self.source_file or b"/dev/").startswith((b"/dev/", b"/proc/")):
            return None
        return self.options._replace(accept_missing=False, force=False)

    @property
    def skip_lists(self) -> tuple[bytes, ...]:
        return tuple(dict.fromkeys([*self.without, *([] if self.never is None else [self.never])]))

    @property
    def is_kept(self) -> bool:
        """Return whether the service updates the playlist, and goes on without what it cannot use."""
        return self.redraw_before_s < math.inf

    @property
    def writes(self) -> bool:
        return self.output is not None and not self.dry_run
