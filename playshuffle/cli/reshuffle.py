"""`playshuffle reshuffle`: a new order for playlists of the configuration."""

from typing import Annotated

import typer

from playshuffle.cli import playlist_options
from playshuffle.cli.by_name import update_by_name

EXAMPLES = """\b
Examples:
  playshuffle reshuffle          # all playlists of the configuration
  playshuffle reshuffle calm
"""


def reshuffle(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]", show_default=False, help="Playlists of the configuration. Default: all."
        ),
    ] = None,
    config: playlist_options.ConfigFile = None,
    quiet: playlist_options.Quiet = False,
) -> int:
    """Shuffle playlists anew, whether or not the service runs; no track returns too soon."""
    return update_by_name(names or [], config, is_due=True, allow_shrink=False, quiet=quiet)
