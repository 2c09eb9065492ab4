"""Write a shuffled playlist of music folders: `playshuffle make`."""

import os
import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from playshuffle.cli import common_options, make_report, playlist_options
from playshuffle.cli.music_folders import default_folders
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import say, write_out
from playshuffle.config.build_request import build_request
from playshuffle.config.option_groups import EXPERT
from playshuffle.config.options import STDOUT, Options
from playshuffle.errors import Exit, PlayshuffleError
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
  playshuffle make ~/Music --pin intro.mp3  # this track comes first
  playshuffle make ~/Music --for mpd        # into MPD's playlist folder
  beet ls -p genre:jazz | playshuffle make --from - -o jazz.m3u
"""


@playlist_options.takes_playlist_options("make")
def make(
    *,
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER...]",
            help="Music folders. Default: configured ones or ~/Music",
        ),
    ] = None,
    options: Options,
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
) -> None:
    """Write a shuffled playlist of music folders."""
    began = time.monotonic()
    _check_stdout(options.output, print0, as_json)
    if not folders and options.source is None:
        default = default_folders()
        folders = list(default.folders)
        if not quiet:
            say([default.text])
    options = options._replace(folders=tuple(folders or ()))
    request = build_request(options, has_output=not print0, any_name=print0, dry_run=dry_run)
    with progress_bar(quiet) as progress:
        report = make_playlist(request, Tools(read_all, chance(request.seed), progress))
    if print0:
        write_out(path + b"\0" for path in report.paths())
    elif options.output == STDOUT:
        write_out(report.text)
    elif as_json:
        seconds = time.monotonic() - began
        write_out([make_report.as_json(report, seconds=seconds, dry_run=dry_run).encode(), b"\n"])
    if not quiet:
        screen = screen_of(sys.stderr)
        say(make_report.lines(report, screen, names=verbose, dry_run=dry_run, is_local=not options.maps))
        say(line for note in _service_notes(report) for line in screen.detail("Note", note))


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
