"""`playshuffle forget --away`: tracks that seem to be on a drive that is away are gone for good."""

from typing import Annotated

import typer

from playshuffle.cli import playlist_options as words
from playshuffle.cli.by_name import settle_again
from playshuffle.errors import Exit, PlayshuffleError

EXAMPLES = """\b
Examples:
  playshuffle forget --away       # yes, they are deleted: go on without them
"""


def forget(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]", show_default=False, help="Playlists of the configuration. Default: all."
        ),
    ] = None,
    away: Annotated[
        bool, typer.Option("--away", help="Go on without the tracks that seem to be away.")
    ] = False,
    config: words.ConfigFile = None,
    quiet: words.Quiet = False,
) -> int:
    """Go on without tracks that are gone, where playlists are held for a drive that seems to be away."""
    if not away:
        raise PlayshuffleError("Say what to forget: --away is what seems to be away.", Exit.USAGE)
    return settle_again(names or [], config, is_due=False, allow_shrink=True, quiet=quiet)
