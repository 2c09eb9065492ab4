"""Define the options of `playshuffle make`."""

from typing import Annotated

from playshuffle.cli import completion, playlist_options
from playshuffle.cli.common_options import ConfigFile, DryRun, Json, Quiet, Save, Verbose, argument, option
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
    list[str] | None, argument("[LIST|FOLDER...]", "Lists to make again, or music folders", completion.lists)
]
_Print0 = Annotated[bool, option("--print0 -0", "Print paths for xargs -0, write no file", EXPERT)]


@playlist_options.takes_playlist_options("make")
def make(
    *,
    words: _Words = None,
    given: Given,  # from the options of the table, by the decorator
    save: Save = None,
    config: ConfigFile = None,
    dry_run: DryRun = False,
    as_json: Json = False,
    print0: _Print0 = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
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
