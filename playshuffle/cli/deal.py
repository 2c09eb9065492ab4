"""Define the options of `playshuffle deal`."""

from typing import Annotated

from playshuffle.cli import completion, playlist_options
from playshuffle.cli.common_options import ConfigFile, Json, Quiet, Save, Verbose, argument, option
from playshuffle.errors import Exit, PlayshuffleError, flag
from playshuffle.options.given import Given
from playshuffle.options.help_groups import EXPERT, THIS_DEAL

EXAMPLES = """\b
Examples:
  playshuffle deal ~/Music -n 40         # 40 tracks, in ~/Music/today.m3u
  playshuffle deal                       # the next ones
  playshuffle deal ~/Music --time 90m -o ~/Music/morning.m3u
  playshuffle deal ~/Music --albums 3 --every week
  playshuffle deal ~/Music --groups 1 --group-by artist   # an artist a day
  playshuffle deal --peek                # show the next deal
  playshuffle deal --due                 # all configured lists that are due
"""


_Words = Annotated[
    list[str] | None,
    argument("[LIST|FOLDER...]", "A list, or music folders. Default: the dealt list", completion.lists),
]


@playlist_options.takes_playlist_options("deal")
def deal(
    *,
    words: _Words = None,
    given: Given,
    again: Annotated[bool, option("--again", "Write the last deal again", THIS_DEAL)] = False,
    now: Annotated[bool, option("--now", "Deal now, even if none is due", THIS_DEAL)] = False,
    new_round: Annotated[bool, option("--new-round", "Begin again: all tracks may be dealt", EXPERT)] = False,
    peek: Annotated[bool, option("--peek", "Show the next deal, change nothing", THIS_DEAL)] = False,
    heard: Annotated[bool, option("--heard", "Count the last deal as heard", THIS_DEAL)] = False,
    due: Annotated[bool, option("--due", "Deal all configured playlists that are due", EXPERT)] = False,
    save: Save = None,
    config: ConfigFile = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> Exit:
    """Write a different set of tracks each day.

    Every track comes once before any comes again. A second run on the same day changes nothing. A deal has
    40 tracks, unless options say otherwise.
    """
    switch = _only(again=again, now=now, new_round=new_round, peek=peek, heard=heard, due=due)
    # As in `make`.
    from playshuffle.cli.deal_lists import deal_lists

    return deal_lists(
        words or (), given, switch, save=save, config=config, as_json=as_json, quiet=quiet, verbose=verbose
    )


def _only(**switches: bool) -> str:
    given = [flag(switch) for switch, is_given in switches.items() if is_given]
    if len(given) > 1:
        raise PlayshuffleError(f"{' and '.join(given)} do not work together. Choose one of them.")
    return "".join(given)
