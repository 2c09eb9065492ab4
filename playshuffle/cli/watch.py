"""Keep playlists up to date while their folders change: `playshuffle watch`."""

import gc
import sys
from contextlib import suppress
from typing import Annotated

from playshuffle.cli import playlist_options
from playshuffle.cli.common_options import ConfigFile, argument, option
from playshuffle.cli.screen import screen_of
from playshuffle.config.build_request import build_request
from playshuffle.config.configuration import load_named
from playshuffle.config.known_list import known_lists
from playshuffle.config.model import Config, ConfiguredPlaylist
from playshuffle.config.words import with_files
from playshuffle.errors import MissingError, PlayshuffleError
from playshuffle.library.missing import check_root
from playshuffle.options.given import Given
from playshuffle.options.help_groups import OUTPUT
from playshuffle.options.table import STDOUT
from playshuffle.service import log
from playshuffle.service.daemon import run
from playshuffle.store.state import State

EXAMPLES = """\b
Examples:
  playshuffle watch               # all playlists of the configuration
  playshuffle watch ~/Music       # keeps ~/Music/playshuffle.m3u
  playshuffle watch ~/Music -o ~/all.m3u --order spread
"""


@playlist_options.takes_playlist_options("watch")
def watch(
    *,
    folders: Annotated[
        list[str] | None, argument("[FOLDER...]", "Music folders. Default: configured ones")
    ] = None,
    given: Given,
    config: ConfigFile = None,
    quiet: Annotated[bool, option("--quiet -q", "Log only warnings and errors", OUTPUT)] = False,
    verbose: Annotated[bool, option("--verbose -v", "Log every scan of the folders", OUTPUT)] = False,
) -> int:
    """Keep playlists up to date in the foreground.

    It writes a playlist again when its folders change, until you stop it. `playshuffle service install` does
    the same in the background.
    """
    if folders and config is not None:
        raise PlayshuffleError("--config does not work with folders. Remove either.")
    if not folders and given.names:
        raise PlayshuffleError(
            "Options of a playlist need a folder. Name one, or write them to the configuration."
        )
    if given.options.output == STDOUT:
        raise PlayshuffleError("watch cannot write to standard output. Name a file with -o.")
    log.begin(is_quiet=quiet, is_verbose=verbose, wrap=screen_of(sys.stderr).hanging)
    gc.enable()  # this runs for months
    if not folders:
        return run(lambda: load_named(config))
    options = with_files(given, known_lists(None)).options._replace(folders=tuple(folders))
    playlist = ConfiguredPlaylist("playlist", build_request(options))
    with State(writes=False) as state:
        for root in playlist.request.roots:
            with suppress(MissingError):  # it may come back, unless it never existed
                check_root(root, state.root(root))
    return run(lambda: Config(None, (playlist,)))
