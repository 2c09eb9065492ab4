"""Write a small library of tones, make a playlist of it and show that playlist."""

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from playshuffle.cli import make_report
from playshuffle.cli.run_lists import run_lists
from playshuffle.cli.streams import print_lines, show
from playshuffle.config.build_request import build_request
from playshuffle.demo.tones import PLAYLIST, DemoTrack, write_library
from playshuffle.options.table import Options
from playshuffle.pipeline.make import make

EXAMPLES = """\b
Examples:
  playshuffle demo                 # a new folder playshuffle-demo
  playshuffle demo /tmp/tones
"""


def demo(
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="A new folder for the tones", show_default=False)
    ] = "playshuffle-demo",
) -> None:
    """Try it on a small library of tones."""
    tracks = {os.fsencode(os.path.realpath(os.path.join(folder, t.path))): t for t in write_library(folder)}
    request = build_request(Options(folders=(folder,), order="spread", output=os.path.join(folder, PLAYLIST)))
    [report] = run_lists({"": request}, make, quiet=False, must_remember=False)[0].values()
    print_lines(_table([tracks[os.path.realpath(path)] for path in report.paths()]))
    show(make_report.lines(report, names=False))


def _table(tracks: list[DemoTrack]) -> Iterator[str]:
    widest = max(len(track.artist) for track in tracks)
    for position, track in enumerate(tracks, 1):
        yield f"{position:3}  {track.artist:{widest}}  {track.title}"
