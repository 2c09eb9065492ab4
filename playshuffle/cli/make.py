"""`playshuffle make`: folders of music -> one shuffled playlist."""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from playshuffle.cli import make_report as summary
from playshuffle.cli import playlist_options as words
from playshuffle.cli.streams import say, write_out
from playshuffle.config import options
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.folder import Reading
from playshuffle.library.scan import Progress
from playshuffle.pipeline import run as pipeline
from playshuffle.players.profiles import GENERIC
from playshuffle.shuffle import chance

EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                  # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order sattolo  # no track where it was last time
  playshuffle make ~/Music -n 40 -o ~/today.m3u
  playshuffle make ~/Music --pin intro.mp3 --time 90m
  playshuffle make ~/Music --for mpd        # into the playlists of MPD
"""


def make(
    folders: words.Folders,
    output: words.Output = None,
    order: words.Order = "uniform",
    by: words.By = None,
    block_size: words.BlockSize = None,
    inside: words.Inside = None,
    part: words.Part = None,
    gap: words.Gap = None,
    pin: words.Pins = None,
    limit: words.Limit = None,
    time_: words.Time = None,
    seed: words.Seed = None,
    player: words.Player = GENERIC,
    paths: words.Paths = None,
    root_as: words.RootAs = None,
    relative_to: words.RelativeTo = None,
    replace_prefix: words.ReplacePrefix = None,
    part_size: words.PartSize = None,
    strict: words.Strict = False,
    no_extinf: words.NoExtinf = False,
    no_tags: words.NoTags = False,
    no_ignore_files: words.NoIgnoreFiles = False,
    allow_shrink: words.AllowShrink = False,
    force: words.Force = False,
    dry_run: words.DryRun = False,
    json: words.Json = False,
    print0: Annotated[
        bool,
        typer.Option("--print0", "-0", help="Write the paths to stdout, each ended by NUL, and no file."),
    ] = False,
    quiet: words.Quiet = False,
    verbose: words.Verbose = False,
) -> None:
    """Write a shuffled playlist of all music below the folders."""
    began = time.monotonic()
    _check_stdout(output, print0, json)
    asked = options.Options(
        folders=tuple(folders),
        output=output,
        order=order,
        by=by,
        block_size=block_size,
        inside=inside,
        part=part,
        gap=gap,
        pin=tuple(pin or ()),
        limit=limit,
        time=time_,
        seed=seed,
        paths=paths,
        extinf=not no_extinf,
        tags=not no_tags,
        ignore_files=not no_ignore_files,
        allow_shrink=allow_shrink,
        force=force,
        player=player,
        strict=strict,
        root_as=root_as,
        relative_to=relative_to,
        replace_prefix=tuple(replace_prefix or ()),
        part_size=part_size,
    )
    request = options.request(asked, has_output=not print0, any_name=print0, dry_run=dry_run)
    with progress_bar(quiet) as progress:
        report = pipeline.make(request, chance(seed), read_all, progress)
    seconds = time.monotonic() - began
    if print0:
        write_out(path + b"\0" for path in report.paths())
    elif output == options.STDOUT:
        write_out(report.text)
    elif json:
        write_out([summary.as_json(report, seconds=seconds, dry_run=dry_run).encode(), b"\n"])
    if not quiet:
        say(summary.lines(report, seconds=seconds, names=verbose, dry_run=dry_run))


def _check_stdout(output: str | None, print0: bool, json: bool) -> None:
    if (output == options.STDOUT) + print0 + json > 1:
        raise PlayshuffleError("--json, --print0 and -o - all want stdout; choose one of them.", Exit.USAGE)
    if print0 and output is not None:
        raise PlayshuffleError("--print0 writes no file; leave -o away.", Exit.USAGE)


def read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    """Read tags, in other processes."""
    from playshuffle.library import reader_pool as readers  # not needed where nothing has changed

    return readers.read_all(paths)


def progress_bar(quiet: bool) -> Progress:
    """Where a run tells how far it is: a bar, if somebody sits before it."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return Progress()
    from playshuffle.cli.progress import Bar

    return Bar()
