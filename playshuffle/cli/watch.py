"""`playshuffle watch`: folders of music -> playlists that are kept right until it is told to stop."""

import gc
from typing import Annotated

import typer

from playshuffle.cli import playlist_options as words
from playshuffle.config import options
from playshuffle.config.load import Config, Wanted, find, load
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.players.profiles import GENERIC
from playshuffle.service import log
from playshuffle.service.daemon import run

EXAMPLES = """\b
Examples:
  playshuffle watch                         # all playlists of the configuration
  playshuffle watch ~/Music                 # keeps ~/Music/playshuffle.m3u
  playshuffle watch ~/Music -o ~/all.m3u --order spread
"""


def watch(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER...]",
            show_default=False,
            help="Music folders. Default: those of the configuration.",
        ),
    ] = None,
    output: words.Output = None,
    order: words.Order = "uniform",
    player: words.Player = GENERIC,
    config: words.ConfigFile = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say each look at the folders.")] = False,
) -> int:
    """Keep playlists right while their folders change: in the foreground, for a terminal or systemd."""
    if folders and config is not None:
        raise PlayshuffleError("--config goes with no folders; leave one of both away.", Exit.USAGE)
    if not folders and (output is not None or order != "uniform" or player != GENERIC):
        raise PlayshuffleError(
            "-o, --order and --for go with folders; without, the configuration says all that.", Exit.USAGE
        )
    if output == options.STDOUT:
        raise PlayshuffleError("Standard output cannot be kept; name a file with -o.", Exit.USAGE)
    log.begin(is_quiet=quiet, is_verbose=verbose)
    gc.enable()  # this runs for months
    if not folders:
        return run(lambda: load(find(config)))
    asked = options.Options(folders=tuple(folders), output=output, order=order, player=player)
    wanted = Wanted("playlist", asked, options.request(asked))
    return run(lambda: Config(None, (wanted,)))
