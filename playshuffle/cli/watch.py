"""`playshuffle watch`: folders of music -> playlists that are kept right until it is told to stop."""

import gc
from dataclasses import replace
from typing import Annotated

import typer

from playshuffle.cli import playlist_options
from playshuffle.config.build_request import build_request
from playshuffle.config.load import Config, ConfiguredPlaylist, load
from playshuffle.config.options import STDOUT, Options
from playshuffle.config.places import find
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.service import log
from playshuffle.service.daemon import run

EXAMPLES = """\b
Examples:
  playshuffle watch                         # all playlists of the configuration
  playshuffle watch ~/Music                 # keeps ~/Music/playshuffle.m3u
  playshuffle watch ~/Music -o ~/all.m3u --order spread
"""


@playlist_options.takes_playlist_options("watch")
def watch(
    *,
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER...]",
            show_default=False,
            help="Music folders. Default: those of the configuration.",
        ),
    ] = None,
    options: Options,
    config: playlist_options.ConfigFile = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say each look at the folders.")] = False,
) -> int:
    """Keep playlists right while their folders change: in the foreground, for a terminal or systemd."""
    if options.source is not None:
        raise PlayshuffleError(
            "--from does not work with watch, which follows folders and not a list. Run `make --from` again"
            " when the list changes, or choose tracks of a folder with --where.",
            Exit.USAGE,
        )
    if folders and config is not None:
        raise PlayshuffleError("--config goes with no folders; leave one of both away.", Exit.USAGE)
    if not folders and options != Options():
        raise PlayshuffleError(
            "-o, --order and --for go with folders; without, the configuration says all that.", Exit.USAGE
        )
    if options.output == STDOUT:
        raise PlayshuffleError("Standard output cannot be kept; name a file with -o.", Exit.USAGE)
    log.begin(is_quiet=quiet, is_verbose=verbose)
    gc.enable()  # this runs for months
    if not folders:
        return run(lambda: load(find(config)))
    options = replace(options, folders=tuple(folders))
    playlist = ConfiguredPlaylist("playlist", options, build_request(options))
    return run(lambda: Config(None, (playlist,)))
