"""List tracks that are the same recording."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from playshuffle.cli import common_options
from playshuffle.cli.music_folders import music_folders
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import Screen, home_path, screen_of
from playshuffle.cli.streams import print_json, print_lines
from playshuffle.errors import shown
from playshuffle.pipeline.duplicates import find_duplicates
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import System
from playshuffle.tags.reader_pool import read_all
from playshuffle.text import counted

EXAMPLES = """\b
Examples:
  playshuffle duplicates ~/Music    # the best copy of each recording first
  playshuffle duplicates ~/Music --json
"""


def duplicates(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FOLDER...]",
            help="Music folders. Default: those configured",
        ),
    ] = None,
    config: common_options.ConfigFile = None,
    as_json: common_options.Json = False,
    quiet: common_options.Quiet = False,
) -> None:
    """List copies of the same recording."""
    roots, _ = music_folders(folders or (), config)
    with progress_bar(quiet) as progress:
        groups = find_duplicates(roots, Tools(read_all, System(), progress))
    if as_json:
        print_json({"groups": [[os.fsdecode(path) for path in group] for group in groups]})
        return
    print_lines(_lines(groups, screen_of(sys.stdout)))


def _lines(groups: Sequence[Sequence[bytes]], screen: Screen) -> Iterator[str]:
    """Return the best copy of each recording, the others below it; on a terminal cut to its width."""

    def path_line(start: str, path: bytes) -> str:
        if not screen.is_terminal or screen.width is None:
            return f"{start}{shown(path)}"
        return start + screen.tail(home_path(path), screen.width - len(start))

    for group in groups:
        yield path_line("", group[0])
        yield from (path_line("  copy: ", path) for path in group[1:])
    copies = sum(map(len, groups)) - len(groups)
    total = f"{counted(copies, 'copy', 'copies')} of {counted(len(groups), 'recording')}"
    yield total if groups else "No duplicates"
