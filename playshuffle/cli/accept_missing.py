"""Remove the tracks of missing folders from playlists: `playshuffle accept-missing`."""

from typing import Annotated

import typer

from playshuffle.cli import common_options, completion
from playshuffle.cli.by_name import update_by_name

EXAMPLES = """\b
Examples:
  playshuffle accept-missing          # all playlists of the configuration
  playshuffle accept-missing calm     # the folders of this playlist
"""


def accept_missing(
    playlists: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]",
            help="Configured playlists. Default: all",
            autocompletion=completion.playlists,
        ),
    ] = None,
    config: common_options.ConfigFile = None,
    quiet: common_options.Quiet = False,
) -> int:
    """Remove the tracks of missing folders.

    A loss is accepted for a folder, once, for all playlists and decks.
    """
    return update_by_name(playlists or [], config, is_due=False, allow_shrink=True, quiet=quiet)
