"""Write a shuffled playlist of music folders: `playshuffle make`."""

import math
import os
import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from playshuffle.cli import common_options, completion, make_report, playlist_options
from playshuffle.cli.lists import (
    ONCE,
    configuration,
    known_lists,
    named_lists,
    notify_services,
    request_of,
    say_broken,
)
from playshuffle.cli.music_folders import default_folders
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import say, write_out
from playshuffle.cli.update_lists import update_lists
from playshuffle.config.build_request import build_request
from playshuffle.config.option_groups import EXPERT
from playshuffle.config.options import STDOUT, Options
from playshuffle.errors import Exit, PlayshuffleError, of_all
from playshuffle.pipeline.make import make_playlist
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.tools import Tools
from playshuffle.service import running
from playshuffle.shuffle import chance
from playshuffle.tags.reader_pool import read_all

EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                  # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order spread   # artists far apart
  playshuffle make ~/Music --where genre:jazz -o ~/Music/jazz.m3u
  playshuffle make ~/Music --time 90m -o ~/Music/short.m3u
  playshuffle make jazz                     # again, with the same options
  playshuffle make                          # all lists of the configuration
  playshuffle make ~/Music --for mpd        # into MPD's playlist folder
  beet ls -p genre:jazz | playshuffle make --from - -o jazz.m3u
"""


@playlist_options.takes_playlist_options("make")
def make(
    *,
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LIST|FOLDER...]",
            help="Lists to make again, or music folders",
            autocompletion=completion.lists,
        ),
    ] = None,
    options: Options,
    config: common_options.ConfigFile = None,
    dry_run: common_options.DryRun = False,
    as_json: common_options.Json = False,
    print0: Annotated[
        bool,
        typer.Option(
            "--print0", "-0", help="Print paths ended by NUL, write no file", rich_help_panel=EXPERT
        ),
    ] = False,
    quiet: common_options.Quiet = False,
    verbose: common_options.Verbose = False,
) -> int:
    """Write a shuffled playlist of music folders.

    A list that was made before is made again with its options, in a new order. Without arguments, all
    lists of the configuration are.
    """
    began = time.monotonic()
    _check_stdout(options.output, print0, as_json)
    given = playlist_options.given_options(context, options)
    config_file = configuration(config)
    again = named_lists(words or (), known_lists(config_file), config_file)
    codes = []
    if not words and config_file is not None and not print0 and ONCE.issuperset(given):
        again = [each for each in known_lists(config_file) if each.configured and not each.configured.deal]
        codes = say_broken(config_file)
    if again or codes:
        requests = {each.name: request_of(each, given, is_dealt=False) for each in again}
        requests = {name: request._replace(dry_run=dry_run or print0) for name, request in requests.items()}
        updated = update_lists(requests, quiet=quiet, redraw_before_s=math.inf)
        reports, codes = updated.made, [*codes, *updated.codes]
        notify_services(again)
    else:
        if not words and options.source is None:
            default = default_folders(config)
            words = list(default.folders)
            if not quiet:
                say([default.text])
        options = options._replace(folders=tuple(words or ()))
        request = build_request(options, has_output=not print0, any_name=print0, dry_run=dry_run)
        with progress_bar(quiet) as progress:
            report = make_playlist(request, Tools(read_all, chance(request.seed), progress))
        requests, reports = {"": request}, {"": report}
    for name, report in reports.items():
        request = requests[name]
        if print0:
            write_out(path + b"\0" for path in report.paths())
        elif options.output == STDOUT:
            write_out(report.text)
        elif as_json:
            seconds = time.monotonic() - began
            write_out([make_report.as_json(report, seconds=seconds, dry_run=dry_run).encode(), b"\n"])
        if not quiet:
            is_local = not request.swaps
            screen = screen_of(sys.stderr)
            say(
                make_report.lines(
                    report, screen, names=verbose, dry_run=dry_run, is_local=is_local, is_again=bool(again)
                )
            )
            say(line for note in _service_notes(report) for line in screen.detail("Note", note))
    return of_all(codes)


def _check_stdout(output: str | None, print0: bool, as_json: bool) -> None:
    if (output == STDOUT) + print0 + as_json > 1:
        raise PlayshuffleError(
            "--json, --print0 and -o - all write to standard output. Choose one of them.", Exit.USAGE
        )
    if print0 and output is not None:
        raise PlayshuffleError("--print0 writes no file. Remove -o.", Exit.USAGE)


def _service_notes(report: Report) -> Iterator[str]:
    """Warn of a service that will replace this playlist, because it has another order for it."""
    if not report.is_changed or report.output is None:
        return
    output = os.path.realpath(report.output)
    for service in running.services():
        for playlist in service.playlists:
            has_other_order = playlist.order is not None and playlist.order != report.order
            if has_other_order and os.path.realpath(os.fsencode(playlist.output)) == output:
                yield (
                    f"The service manages this playlist and will write it in {playlist.order} order again. To"
                    " keep this order, set it in the configuration."
                )
