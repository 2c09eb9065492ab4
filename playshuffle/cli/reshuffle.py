"""Shuffle playlists of the configuration again: `playshuffle reshuffle`."""

from typing import Annotated

import typer

from playshuffle.cli import common_options, completion
from playshuffle.cli.by_name import update_by_name

EXAMPLES = """\b
Examples:
  playshuffle reshuffle          # all playlists of the configuration
  playshuffle reshuffle calm
"""


def reshuffle(
    playlists: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]",
            help="Configured playlists. Default: all",
            autocompletion=completion.shuffled_playlists,
        ),
    ] = None,
    config: common_options.ConfigFile = None,
    quiet: common_options.Quiet = False,
) -> int:
    """Shuffle configured playlists again.

    Tracks that came last in the old order come late in the new one. The service need not run.
    """
    return update_by_name(playlists or [], config, is_due=True, allow_shrink=False, quiet=quiet)
