"""Write a shuffled playlist of music folders: `playshuffle make`.

The page Architecture of the documentation tells the path from here to the file.
"""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from playshuffle.cli import common_options, completion, make_report, playlist_options
from playshuffle.cli.lists import (
    ONCE,
    configuration,
    named_lists,
    notify_services,
    request_of,
    say_broken,
    titles,
)
from playshuffle.cli.music_folders import default_folders
from playshuffle.cli.run_lists import run_lists
from playshuffle.cli.save import check_save
from playshuffle.cli.save import save as save_list
from playshuffle.cli.streams import print_json, say, show, write_out
from playshuffle.config.build_request import build_request
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.errors import Exit, PlayshuffleError, of_all
from playshuffle.options.given import Given
from playshuffle.options.groups import EXPERT
from playshuffle.options.table import STDOUT, Options
from playshuffle.pipeline.make import make as make_list
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request

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
    _check_stdout(given.options.output, print0, as_json)
    is_all = not print0 and save is None and given.names <= ONCE
    lists, codes = _lists_to_make(words or (), config, is_all=is_all)
    if print0:
        given = given.plus(output=STDOUT)
    is_again = bool(lists or codes)  # all lists of the configuration may be broken
    if is_again:
        requests = _requests_of(lists, given, save)
    else:
        requests = {"": build_request(_new_list(words, given.options, config, quiet), name=save)}
    for name, request in requests.items():
        requests[name] = request._replace(dry_run=dry_run, any_name=print0)
        check_save(save, config, requests[name])
    act = partial(make_list, keeps_gap=is_again)
    reports, failures = run_lists(requests, act, quiet=quiet, must_remember=is_again)
    notify_services(() if dry_run or print0 else lists)
    _write_to_stdout([*reports.values()], given.options.output, print0, as_json)
    for report in reports.values():
        if not quiet:
            show(make_report.lines(report, names=verbose, is_again=is_again))
        save_list(save, config, report.request, quiet=quiet)
    return of_all([*codes, *failures])


def _write_to_stdout(reports: Sequence[Report], output: str | None, print0: bool, as_json: bool) -> None:
    if as_json and reports:
        print_json(*map(make_report.as_json, reports))
    for report in reports:
        if print0:
            write_out(path + b"\0" for path in report.paths())
        elif output == STDOUT:
            write_out(report.text)


def _lists_to_make(
    words: Sequence[str], config: str | None, *, is_all: bool
) -> tuple[list[KnownList], list[Exit]]:
    """Return the lists that words name, and exit codes for broken ones.

    is_all: without words, all lists of the configuration are made that are not dealt.
    """
    config_file = configuration(config)
    lists = known_lists(config_file)
    if words or config_file is None or not is_all:
        return named_lists(words, lists, config_file), []
    made = [one for one in lists if one.configured is not None and one.configured.deal is None]
    codes = say_broken(config_file)
    if config_file.playlists and not made and not codes:
        raise PlayshuffleError(
            "All lists of the configuration are dealt. Their next deals: playshuffle deal --due. To make"
            " another list, name a music folder.",
            Exit.USAGE,
        )
    return made, codes


def _requests_of(lists: Sequence[KnownList], given: Given, save: str | None) -> dict[str, Request]:
    """Return the requests of lists that are made again, by what to call them."""
    if save is not None and len(lists) > 1:
        raise PlayshuffleError("--save needs one list, or music folders.", Exit.USAGE)
    requests = [request_of(one, given, is_dealt=False, is_saved=save is not None) for one in lists]
    return dict(zip(titles(lists), requests, strict=True))


def _new_list(folders: Sequence[str] | None, options: Options, config: str | None, quiet: bool) -> Options:
    """Return the options of a list of these folders; without any, of the music folder."""
    if not folders and options.source is None:
        default = default_folders(config)
        folders = default.folders
        if not quiet:
            say([default.text])
    return options._replace(folders=tuple(folders or ()))


def _check_stdout(output: str | None, print0: bool, as_json: bool) -> None:
    if (output == STDOUT) + print0 + as_json > 1:
        raise PlayshuffleError(
            "--json, --print0 and -o - all write to standard output. Choose one of them.", Exit.USAGE
        )
    if print0 and output is not None:
        raise PlayshuffleError("--print0 writes no file. Remove -o.", Exit.USAGE)
