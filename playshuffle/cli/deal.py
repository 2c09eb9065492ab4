"""Define the options of `playshuffle deal`."""

from functools import partial
from typing import Annotated

import typer

from playshuffle.cli import common_options, completion, playlist_options
from playshuffle.errors import Exit, PlayshuffleError, flag
from playshuffle.options.given import Given
from playshuffle.options.help_groups import THIS_DEAL

EXAMPLES = """\b
Examples:
  playshuffle deal ~/Music -n 40         # 40 tracks, in ~/Music/today.m3u
  playshuffle deal                       # the next ones
  playshuffle deal ~/Music --time 90m -o ~/Music/morning.m3u
  playshuffle deal ~/Music --albums 3 --every week
  playshuffle deal --peek                # show the next deal
  playshuffle deal --due                 # all configured decks that are due
"""


_switch = partial(typer.Option, rich_help_panel=THIS_DEAL)


_Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[LIST|FOLDER...]",
        help="A list, or music folders. Default: the only deck",
        autocompletion=completion.lists,
    ),
]


@playlist_options.takes_playlist_options("deal")
def deal(
    *,
    words: _Words = None,
    given: Given,
    again: Annotated[bool, _switch("--again", help="Write the last deal again")] = False,
    now: Annotated[bool, _switch("--now", help="Deal now, even if none is due")] = False,
    new_round: Annotated[bool, _switch("--new-round", help="End this round and start a new one")] = False,
    peek: Annotated[bool, _switch("--peek", help="Show the next deal, write nothing")] = False,
    heard: Annotated[bool, _switch("--heard", help="Count the last deal as heard")] = False,
    due: Annotated[bool, _switch("--due", help="Deal all configured playlists that are due")] = False,
    save: common_options.Save = None,
    config: common_options.ConfigFile = None,
    as_json: common_options.Json = False,
    quiet: common_options.Quiet = False,
    verbose: common_options.Verbose = False,
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
    """Return the only switch that was given, or an empty text.

    Raises:
        PlayshuffleError: several were given.
    """
    given = [flag(switch) for switch, is_given in switches.items() if is_given]
    if len(given) > 1:
        raise PlayshuffleError(f"{' and '.join(given)} do not work together. Choose one of them.")
    return "".join(given)
