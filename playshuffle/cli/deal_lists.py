"""Deal the next tracks of a round into a playlist: `playshuffle deal`."""

import os
import sys
from collections.abc import Sequence
from functools import partial

from playshuffle.cli import deal_report
from playshuffle.cli.run_lists import ONCE, request_of, run_lists, say_broken
from playshuffle.cli.save import check_save
from playshuffle.cli.save import save as save_list
from playshuffle.cli.screen import home_path, screen_of
from playshuffle.cli.streams import print_json, print_lines, show
from playshuffle.config.build_request import build_request
from playshuffle.config.configuration import load_if_any, load_named
from playshuffle.config.known_list import KnownList, known_lists, names_of
from playshuffle.config.words import named_lists, the_list, with_files
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, of_all, shown
from playshuffle.listening.saved_windows import feeder, load_window, window_file
from playshuffle.options.given import Given
from playshuffle.options.table import STDOUT
from playshuffle.pipeline.deal import Dealt, count_as_heard, deal_again, peek_deal
from playshuffle.pipeline.deal import deal as deal_next
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.run import Run
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.text import list_word


def deal_lists(
    words: Sequence[str],
    given: Given,
    switch: str,
    *,
    save: str | None,
    config: str | None,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> Exit:
    """Deal lists, and report the deals; `switch` is a flag such as `--now`, or empty."""
    codes: list[Exit] = []
    is_peek, has_options = switch == "--peek", bool(words or given.names)
    with State(writes=not is_peek, must_remember=not is_peek) as state:
        if switch == "--due":
            requests, codes = _configured(words, given, config, save, state)
        else:
            request = request_to_deal(words, given, switch, config, save, state)
            requests = {"": request._replace(dry_run=is_peek)}
            check_save(save, config, requests[""])
        done, failures = run_lists(requests, partial(_deal, switch, has_options), quiet=quiet, state=state)
    if as_json and done:
        print_json(*(deal_report.as_json(dealt) for dealt in done.values()))
    for dealt in done.values():
        if is_peek and not as_json:
            print_lines(deal_report.glance(dealt, screen_of(sys.stdout)))
        if not quiet:
            show(deal_report.lines(dealt, names=verbose))
        save_list(save, config, dealt.report.request, quiet=quiet)
    return of_all([*failures, *codes])


def _configured(
    words: Sequence[str], given: Given, config: str | None, save: str | None, state: State
) -> tuple[dict[str, Request], list[Exit]]:
    if words or save is not None or not given.names <= ONCE:
        raise PlayshuffleError("--due uses the configuration. Remove the folders and other options.")
    config_file = load_named(config)
    codes = say_broken(config_file)
    lists = [one for one in known_lists(config_file, state) if one.configured and one.is_dealt]
    requests = {one.name: request_of(one, given, state, is_dealt=True) for one in lists}
    return {
        name: request for name, request in requests.items() if request.deal and not request.deal.is_by_hand
    }, codes


def request_to_deal(
    words: Sequence[str], given: Given, switch: str, config: str | None, save: str | None, state: State
) -> Request:
    """Return the request to deal from a list or from folders; without words, from the only deck."""
    if given.options.output == STDOUT:
        raise PlayshuffleError(
            "deal cannot write to standard output, since it continues from the last deal of a file. Name"
            " a file with -o, or use --peek."
        )
    config_file = load_if_any(config)
    lists = known_lists(config_file, state)
    given = with_files(given, lists)
    named = named_lists(words, lists, config_file)
    if not words and given.options.source is None:
        file = given.options.output
        given = Given(given.options, given.names - {"output"})
        named = [_only_deck(lists, switch) if file is None else the_list(file, lists)]
    if len(named) > 1:
        raise PlayshuffleError("Name one list. To deal all that are due: playshuffle deal --due")
    if named:
        return request_of(named[0], given, state, is_dealt=True, is_saved=save is not None)
    return _request_of_folders(words, given, save, state)


def _request_of_folders(folders: Sequence[str], given: Given, save: str | None, state: State) -> Request:
    """Return the request to deal from folders; a deck of the same file keeps the options not given."""
    options = given.options._replace(folders=tuple(folders), every=given.options.every or Every.DAY)
    if options.groups is not None and "order" not in given.names:
        options = options._replace(order="albums" if options.group_by is None else "groups")
    request = build_request(options, name=save, plain="today")
    output = request.output or b""
    sources = {"folders": options.folders, "source": options.source, "output": os.fsdecode(output)}
    deck = KnownList(atomic_file.resolved(output), is_dealt=True)
    return deck.request(state, given.plus(**sources)) or request


def _only_deck(lists: Sequence[KnownList], switch: str) -> KnownList:
    dealt = [playlist for playlist in lists if playlist.is_dealt]
    dealt = [playlist for playlist in dealt if playlist.configured or playlist.exists] or dealt
    if len(dealt) == 1:
        return dealt[0]
    if not dealt:
        raise PlayshuffleError("Nothing was dealt yet. Name a music folder, such as playshuffle deal ~/Music")
    names = names_of(dealt, lists)
    command = f"playshuffle deal {list_word(names[0], dealt[0].path)} {switch}".rstrip()
    due = "" if switch else " To deal all configured ones that are due, use --due."
    several = ", ".join(map(home_path, names))
    raise PlayshuffleError(f"There are several dealt lists: {several}.{due} Name one: {command}")


def _deal(switch: str, has_options: bool, run: Run) -> Dealt:
    if switch == "--again":
        return deal_again(run, has_options=has_options)
    if switch == "--heard":
        return count_as_heard(run)
    if switch == "--peek":
        return peek_deal(run, load_window(window_file(run.path)).passed)
    if switch in ("--now", "--new-round") and (process := feeder(run.path)):
        raise PlayshuffleError(
            f"Process {process} feeds a player from {shown(run.path)}. Stop it to deal by hand.",
            Exit.CANNOT_CREATE,
        )
    is_now, is_new_round = switch == "--now", switch == "--new-round"
    return deal_next(run, is_now=is_now, is_new_round=is_new_round, has_options=has_options)
