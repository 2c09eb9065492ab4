"""Define the options of `playshuffle make`."""

from typing import Annotated

import typer

from playshuffle.cli import common_options, completion, playlist_options
from playshuffle.options.given import Given
from playshuffle.options.help_groups import EXPERT

EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order spread # artists far apart
  playshuffle make ~/Music --where genre:jazz -o ~/Music/jazz.m3u
  playshuffle make ~/Music --time 90m -o ~/Music/short.m3u
  playshuffle make jazz                   # again, with the same options
  playshuffle make                        # all configured lists except decks
  playshuffle make jazz --save jazz       # adds it to the configuration
  playshuffle make ~/Music --for mpd      # into MPD's playlist folder
  beet ls -p genre:jazz | playshuffle make --from - -o jazz.m3u
"""


_Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[LIST|FOLDER...]",
        help="Lists to make again, or music folders",
        autocompletion=completion.lists,
    ),
]
_Print0 = Annotated[
    bool,
    typer.Option("--print0", "-0", help="Print NUL-terminated paths, write no file", rich_help_panel=EXPERT),
]


@playlist_options.takes_playlist_options("make")
def make(
    *,
    words: _Words = None,
    given: Given,
    save: common_options.Save = None,
    config: common_options.ConfigFile = None,
    dry_run: common_options.DryRun = False,
    as_json: common_options.Json = False,
    print0: _Print0 = False,
    quiet: common_options.Quiet = False,
    verbose: common_options.Verbose = False,
) -> int:
    """Write a shuffled playlist of music folders.

    A list that was made before is made again with its options, in a new order. Without lists, folders and
    options, make all configured lists that are not dealt; without a configuration, use the music folder.
    """
    # Its imports are slow, and help and completion need only the options.
    from playshuffle.cli.make_lists import make_lists

    return make_lists(
        words or (),
        given,
        save=save,
        config=config,
        dry_run=dry_run,
        as_json=as_json,
        print0=print0,
        quiet=quiet,
        verbose=verbose,
    )
