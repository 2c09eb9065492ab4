"""Deal the next tracks of a round into a playlist: `playshuffle deal`."""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from playshuffle.cli import common_options, completion, deal_report, playlist_options
from playshuffle.cli.lists import (
    ONCE,
    KnownList,
    configuration,
    known_lists,
    named_lists,
    request_of,
    say_broken,
    the_list,
    titles,
)
from playshuffle.cli.run_lists import run_lists
from playshuffle.cli.save import check_save
from playshuffle.cli.save import save as save_list
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import print_json, print_lines, show
from playshuffle.config.build_request import build_request
from playshuffle.config.load import load
from playshuffle.config.places import find
from playshuffle.config.saved_playlists import saved_request
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, flag, of_all
from playshuffle.options.groups import THIS_DEAL
from playshuffle.options.table import STDOUT, Options
from playshuffle.pipeline.deal import Dealt, count_as_heard, deal_again, peek_deal
from playshuffle.pipeline.deal import deal as deal_next
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.run import Run
from playshuffle.store import records
from playshuffle.store.records import SavedDeck
from playshuffle.store.state import State
from playshuffle.system import atomic_file

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


@playlist_options.takes_playlist_options("deal")
def deal(
    *,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LIST|FOLDER...]",
            help="A list, or music folders. Default: the only deck",
            autocompletion=completion.lists,
        ),
    ] = None,
    options: Options,
    given: Mapping[str, Any],
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
    kind = _only(again=again, now=now, new_round=new_round, peek=peek, heard=heard, due=due)
    codes: list[Exit] = []
    if due:
        if words or save is not None or not ONCE.issuperset(given):
            raise PlayshuffleError(
                "--due uses the configuration. Remove the folders and other options.", Exit.USAGE
            )
        requests, codes = _configured(given, config)
    else:
        request = _request(words or (), options, given, config, save, must_remember=not peek)
        requests = {"": request._replace(dry_run=peek)}
        check_save(save, config, requests[""])
    done, failures = run_lists(requests, partial(_deal, kind), quiet=quiet)
    if as_json and done:
        print_json(*(deal_report.as_json(dealt) for dealt in done.values()))
    for dealt in done.values():
        if peek and not as_json:
            print_lines(deal_report.glance(dealt, screen_of(sys.stdout)))
        if not quiet:
            show(deal_report.lines(dealt, names=verbose))
        save_list(save, config, dealt.report.request, quiet=quiet)
    return of_all([*failures, *codes])


def _configured(given: Mapping[str, Any], config: str | None) -> tuple[dict[str, Request], list[Exit]]:
    """Return the requests of all configured decks that are not dealt by hand, and codes of broken lists."""
    config_file = load(find(config))
    codes = say_broken(config_file)
    lists = [one for one in known_lists(config_file) if one.configured and one.is_dealt]
    requests = {one.name: request_of(one, given, is_dealt=True) for one in lists}
    return {
        name: request for name, request in requests.items() if request.deal and not request.deal.is_by_hand
    }, codes


def _request(
    words: Sequence[str],
    options: Options,
    given: Mapping[str, Any],
    config: str | None,
    save: str | None,
    *,
    must_remember: bool,
) -> Request:
    """Return the request of a deck: with the options of its last deal, and those that were given now.

    Raises:
        PlayshuffleError: it is not clear which deck; or an option is not valid.
    """
    if options.output == STDOUT:
        raise PlayshuffleError(
            "deal cannot write to standard output, since it continues from the last deal of a file. Name"
            " a file with -o, or use --peek.",
            Exit.USAGE,
        )
    config_file = configuration(config)
    lists = known_lists(config_file, must_remember=must_remember)
    named = named_lists(words, lists, config_file)
    if not words and options.source is None:
        given = {key: value for key, value in given.items() if key != "output"}
        named = [_only_deck(lists) if options.output is None else the_list(options.output, lists)]
    if len(named) > 1:
        raise PlayshuffleError("Name one list. To deal all that are due: playshuffle deal --due", Exit.USAGE)
    if named:
        return request_of(named[0], given, is_dealt=True, is_saved=save is not None)
    # Folders, or --from: a new deck, or else that of the same file, whose other options stay.
    options = options._replace(folders=tuple(words), every=options.every or Every.DAY.value)
    if options.albums is not None and "order" not in given:
        options = options._replace(order="albums")
    request = build_request(options, name=save, plain="today")
    output = request.output or b""
    path = atomic_file.resolved(output)
    with State(writes=False) as state:
        record = records.last(state, path)
    given = {**given, "folders": options.folders, "source": options.source, "output": os.fsdecode(output)}
    return saved_request(path, record if isinstance(record, SavedDeck) else None, given) or request


def _only_deck(lists: Sequence[KnownList]) -> KnownList:
    """Return the only deck.

    Raises:
        PlayshuffleError: there is none, or there are several.
    """
    dealt = [each for each in lists if each.is_dealt]
    dealt = [each for each in dealt if each.configured or each.exists] or dealt
    if len(dealt) == 1:
        return dealt[0]
    if not dealt:
        raise PlayshuffleError(
            "Nothing was dealt yet. Name a music folder, such as playshuffle deal ~/Music", Exit.USAGE
        )
    raise PlayshuffleError(
        f"There are several decks. Name one of them: {', '.join(titles(dealt))}. To deal all configured ones"
        " that are due: playshuffle deal --due",
        Exit.USAGE,
    )


def _only(**switches: bool) -> str:
    """Return the only switch that was given, or an empty text.

    Raises:
        PlayshuffleError: there are several.
    """
    given = [flag(switch) for switch, is_given in switches.items() if is_given]
    if len(given) > 1:
        raise PlayshuffleError(f"{' and '.join(given)} do not work together. Choose one of them.", Exit.USAGE)
    return "".join(given)


def _deal(kind: str, run: Run) -> Dealt:
    if kind == "--again":
        return deal_again(run)
    if kind == "--heard":
        return count_as_heard(run)
    if kind == "--peek":
        return peek_deal(run)
    return deal_next(run, is_now=kind == "--now", is_new_round=kind == "--new-round")
