"""Write the status as a page for browsers: `playshuffle page`."""

import sys
from dataclasses import replace
from typing import Annotated

import typer

from playshuffle.cli import common_options, completion
from playshuffle.cli.screen import Mark, home_path, screen_of
from playshuffle.cli.streams import say, write_out
from playshuffle.config.build_request import absolute
from playshuffle.config.load import load
from playshuffle.config.options import STDOUT
from playshuffle.config.places import find
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.service.page import page as page_text
from playshuffle.service.page import write_page
from playshuffle.service.status_report import current_status
from playshuffle.text import known

EXAMPLES = """\b
Examples:
  playshuffle page                      # the file of the configuration
  playshuffle page -o /tmp/status.html
  playshuffle page calm today -o -      # these playlists, to standard output
"""


def page(
    lists: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME...]",
            help="Configured playlists. Default: all",
            autocompletion=completion.playlists,
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE|-", help="Page to write, such as status.html"),
    ] = None,
    quiet: common_options.Quiet = False,
    config: common_options.ConfigFile = None,
) -> None:
    """Write the status as a page for browsers."""
    loaded = load(find(config))
    status = current_status(loaded, lists_all=False)
    if lists:
        names = [playlist.name for playlist in loaded.playlists]
        if file := next(
            (name for name in lists if name.endswith((".html", ".htm")) and name not in names), ""
        ):
            raise PlayshuffleError(f"'{shown(file)}' is the page to write. Add -o before it.", Exit.USAGE)
        wanted = {known("playlist", name, names) for name in lists}
        status = replace(status, playlists=tuple(each for each in status.playlists if each.name in wanted))
    if output == STDOUT:
        write_out([page_text(status)])
        return
    path = loaded.page if output is None else absolute(output, Exit.CANNOT_CREATE)
    if path is None:
        raise PlayshuffleError(
            'Name the page with -o FILE, or write page = "FILE.html" at the top of the configuration.',
            Exit.USAGE,
        )
    is_changed = write_page(path, status)
    if not quiet:
        result = "written" if is_changed else "has not changed"
        say([screen_of(sys.stderr).verdict(Mark.GOOD, f"{home_path(path)} {result}")])
