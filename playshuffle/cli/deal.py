"""Deal the next tracks of a round into a playlist: `playshuffle deal`."""

import os
import sys
import time
from datetime import datetime
from typing import Annotated

import typer

from playshuffle import duration
from playshuffle.cli import common_options, deal_report, playlist_options
from playshuffle.cli.by_name import update_all
from playshuffle.cli.find_deck import undo_request
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import say, say_error, write_out
from playshuffle.config.build_request import absolute, build_request
from playshuffle.config.load import load
from playshuffle.config.option_groups import AMOUNT, ORDER, PLACE, THIS_DEAL
from playshuffle.config.options import STDOUT, Options
from playshuffle.config.own_players import known_player
from playshuffle.config.places import find
from playshuffle.dealing.amount import Amount
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, of_all, shown
from playshuffle.ordering.gap import Gap
from playshuffle.ordering.orders import ORDERS
from playshuffle.pipeline.deal import Dealt, deal_again, peek_deal
from playshuffle.pipeline.deal import deal as deal_next
from playshuffle.pipeline.default_output import default_output, plain_name
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.pipeline.undo import undo_deal
from playshuffle.shuffle import System
from playshuffle.tags.reader_pool import read_all
from playshuffle.text import known

EXAMPLES = """\b
Examples:
  playshuffle deal ~/Music -n 40             # 40 tracks, in ~/Music/today.m3u
  playshuffle deal ~/Music --time 90m --name morning
  playshuffle deal ~/Music --albums 3 --every week
  playshuffle deal ~/Music --peek            # show the next deal
  playshuffle deal --due                     # configured playlists
  playshuffle deal --undo                    # undo the last deal
"""

_COUNT = 40


@playlist_options.takes_playlist_options("deal")
def deal(
    *,
    folders: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER...]", help="Music folders, needed without --due"),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            metavar="N",
            help=f"Number of tracks. Default: {_COUNT}",
            rich_help_panel=AMOUNT,
        ),
    ] = None,
    albums: Annotated[
        int | None, typer.Option(metavar="N", help="Number of whole albums", rich_help_panel=AMOUNT)
    ] = None,
    every: Annotated[
        str,
        typer.Option(
            metavar="day|week|run",
            help="When the next deal is due",
            rich_help_panel=AMOUNT,
            autocompletion=lambda: [every.value for every in Every],
        ),
    ] = Every.DAY.value,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="Write FOLDER/NAME.m3u. Default: today", rich_help_panel=PLACE
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Playlist to write, instead of --name",
            rich_help_panel=PLACE,
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Write the last deal again", rich_help_panel=THIS_DEAL)
    ] = False,
    peek: Annotated[
        bool, typer.Option("--peek", help="Show the next deal, write nothing", rich_help_panel=THIS_DEAL)
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Undo the last deal", rich_help_panel=THIS_DEAL)
    ] = False,
    due: Annotated[
        bool,
        typer.Option("--due", help="Deal all configured playlists that are due", rich_help_panel=THIS_DEAL),
    ] = False,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Order of each round, see: playshuffle help orders",
            rich_help_panel=ORDER,
            autocompletion=lambda: list(ORDERS),
        ),
    ] = None,
    options: Options,
    config: common_options.ConfigFile = None,
    as_json: common_options.Json = False,
    quiet: common_options.Quiet = False,
    verbose: common_options.Verbose = False,
) -> Exit | None:
    """Write some tracks, and others tomorrow.

    Every track comes once before any comes again. A second run on the same day changes nothing.
    """
    kind = _one_of(again, peek, undo, due)
    if due:
        _check_due(folders, limit, options.time, albums, name, output, order)
        return _deal_due(config, quiet=quiet, verbose=verbose)
    is_named = bool(folders) or options.source is not None
    if not is_named and not undo:
        raise PlayshuffleError("Name a music folder, or use --due for the configured playlists.", Exit.USAGE)
    amount = _amount(limit, options.time, albums)
    if folders:
        output = _output(folders[0], options.player, name, output)
    options = options._replace(
        folders=tuple(folders or ()),
        output=output,
        order=order or ("albums" if albums is not None else "random"),
        time=None,
    )
    if is_named:
        request = build_request(options)
    else:
        request = undo_request(output or name, options._replace(output=None))
    if options.gap is not None and request.recipe.gap is None:  # no gap, not the usual one
        request = request._replace(recipe=request.recipe._replace(gap=Gap(1)))
    period = Every(known("period", every, [option.value for option in Every]))

    began = time.monotonic()
    dealt = _deal(kind, request._replace(dry_run=peek), amount, period, quiet)
    if as_json:
        write_out([deal_report.as_json(dealt, seconds=time.monotonic() - began).encode(), b"\n"])
    elif peek:
        lines = deal_report.glance(dealt, screen_of(sys.stdout))
        write_out(f"{line}\n".encode(errors="surrogateescape") for line in lines)
    if not quiet and peek:
        say(deal_report.notes(dealt.report.notes, screen_of(sys.stderr)))
    elif not quiet:
        today = datetime.now().astimezone().date()
        say(deal_report.lines(dealt, screen_of(sys.stderr), names=verbose, today=today, is_undo=undo))
    return None


def _check_due(folders: list[str] | None, *options: object) -> None:
    """Check that nothing is asked for beside --due."""
    if folders or any(option is not None for option in options):
        raise PlayshuffleError(
            "--due uses the configuration. Remove the folders and other options.", Exit.USAGE
        )


def _one_of(again: bool, peek: bool, undo: bool, due: bool) -> str:
    switches = {"--again": again, "--peek": peek, "--undo": undo, "--due": due}
    chosen_switches = [name for name, is_asked in switches.items() if is_asked]
    if len(chosen_switches) > 1:
        raise PlayshuffleError(
            f"{' and '.join(chosen_switches)} do not work together. Choose one of them.", Exit.USAGE
        )
    return chosen_switches[0] if chosen_switches else ""


def _amount(count: int | None, time_: str | None, albums: int | None) -> Amount:
    if sum(option is not None for option in (count, time_, albums)) > 1:
        raise PlayshuffleError(
            "-n, --time and --albums do not work together. Choose one of them.", Exit.USAGE
        )
    for option, number in (("--limit", count), ("--albums", albums)):
        if number is not None and number < 1:
            raise PlayshuffleError(f"{option} must be a number from 1, not {number}.", Exit.USAGE)
    if time_ is not None:
        return Amount(time_ms=duration.parse(time_))
    return Amount(albums=albums) if albums is not None else Amount(count=_COUNT if count is None else count)


def _output(folder: str, player: str, name: str | None, output: str | None) -> str:
    if output is not None:
        if name is not None:
            raise PlayshuffleError("--name and -o both name the file. Choose one of them.", Exit.USAGE)
        if output == STDOUT:
            raise PlayshuffleError(
                "deal cannot write to standard output, since it continues from the last deal of a file. Name"
                " a file with -o, or use --peek.",
                Exit.USAGE,
            )
        return output
    player = known_player(player)
    name = os.fsdecode(plain_name(player, b"today")) if name is None else name
    if not name or name.startswith(".") or "/" in name or "\0" in name:
        raise PlayshuffleError(
            f"--name '{shown(name)}' cannot be the name of a file. For another folder, use -o.",
            Exit.USAGE,
        )
    root = absolute(folder, Exit.NO_INPUT)
    return os.fsdecode(default_output(player, root, os.fsencode(name)))


def _deal(kind: str, request: Request, amount: Amount, every: Every, quiet: bool) -> Dealt:
    now = datetime.now().astimezone()
    with (
        progress_bar(quiet) as progress,
        open_run(
            request, Tools(read_all, System(), progress), must_remember=request.writes, deals=True
        ) as run,
    ):
        if kind == "--again":
            return deal_again(run, every, now)
        if kind == "--peek":
            return peek_deal(run, amount, every, now)
        if kind == "--undo":
            return undo_deal(run)
        return deal_next(run, amount, every, now)


def _deal_due(config_name: str | None, *, quiet: bool, verbose: bool) -> Exit:
    """Deal all configured playlists that are due; one that fails does not stop the others."""
    config = load(find(config_name))
    decks = [playlist for playlist in config.playlists if playlist.deal is not None]
    codes = update_all(decks, quiet=quiet, names=verbose)
    for broken in config.broken:
        say_error(broken.text)
    return of_all([*codes, *(Exit.CONFIG for _ in config.broken)])
