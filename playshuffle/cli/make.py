"""`playshuffle make`: folders of music -> one shuffled playlist."""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from playshuffle import duration, groups, pipeline, recipe, summary
from playshuffle.cli.streams import say, write_out
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.orders import ORDERS, check
from playshuffle.playlist import PathStyle
from playshuffle.request import Progress, Request
from playshuffle.shuffle import Seeded, System
from playshuffle.track import Reading

EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                  # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order sattolo  # no track where it was last time
  playshuffle make ~/Music -n 40 -o ~/today.m3u
  playshuffle make ~/Music --pin intro.mp3 --time 90m
"""


def make(
    folders: Annotated[
        list[str], typer.Argument(metavar="FOLDER...", show_default=False, help="Music folders.")
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|-",
            help="Playlist to write (.m3u or .m3u8). Default: FOLDER/playshuffle.m3u.",
        ),
    ] = None,
    order: Annotated[
        str, typer.Option(metavar="NAME", help=f"{', '.join(ORDERS)}: see `playshuffle orders`.")
    ] = "uniform",
    by: Annotated[
        str | None,
        typer.Option(metavar="TAG", help="What spread keeps apart, and blocks keeps together."),
    ] = None,
    block_size: Annotated[
        int | None, typer.Option("--block-size", metavar="N", help="Blocks of so many tracks.")
    ] = None,
    inside: Annotated[
        str | None,
        typer.Option(
            metavar="none|last|all", help="Which albums, folders or blocks are shuffled within, too."
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(metavar="START:COUNT[:STRIDE]", help="Shuffle these places; the others stay."),
    ] = None,
    gap: Annotated[
        str | None,
        typer.Option(metavar="N|N%", help="From one playing of a track to its next, at least N plays."),
    ] = None,
    pin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TRACK[@PLACE]", help="Keep a track at a place: a number from 1, first, last, here."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", help="At most this many tracks.")
    ] = None,
    time_: Annotated[
        str | None, typer.Option("--time", metavar="90m", help="At most this much playing time.")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Same text, same tracks: same order.")
    ] = None,
    paths: Annotated[
        PathStyle | None,
        typer.Option(help="How tracks are named. Default: relative, where it can be.", show_default=False),
    ] = None,
    no_extinf: Annotated[
        bool, typer.Option("--no-extinf", help="Write no #EXTINF lines (for MPD's playlist folder).")
    ] = False,
    no_tags: Annotated[
        bool, typer.Option("--no-tags", help="Do not read tags: faster, without titles and lengths.")
    ] = False,
    no_ignore_files: Annotated[
        bool, typer.Option("--no-ignore-files", help="Take what .nomedia, .ndignore and their kin exclude.")
    ] = False,
    allow_shrink: Annotated[
        bool, typer.Option("--allow-shrink", help="Yes, most of the tracks are gone, and it is meant.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a playlist that playshuffle did not write.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Say what was done as JSON on stdout.")] = False,
    print0: Annotated[
        bool,
        typer.Option("--print0", "-0", help="Write the paths to stdout, each ended by NUL, and no file."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Name what was left out.")] = False,
) -> None:
    """Write a shuffled playlist of all music below the folders."""
    began = time.monotonic()
    _check_stdout(output, print0, json)
    if output == "-" and paths is PathStyle.RELATIVE:
        raise PlayshuffleError(
            "--paths relative needs a file to be relative to; name one with -o.", Exit.USAGE
        )
    if limit is not None and limit < 1:
        raise PlayshuffleError("--limit takes a number from 1.", Exit.USAGE)
    if time_ is not None and no_tags:
        raise PlayshuffleError("--time needs the tags, for the lengths; leave --no-tags away.", Exit.USAGE)
    wanted = recipe.Recipe(
        order=recipe.known("order", order, ORDERS),
        limit=limit,
        time_ms=None if time_ is None else duration.parse(time_),
        by=None if by is None else recipe.known("--by", by, groups.KNOWN),
        block_size=block_size,
        inside=None if inside is None else recipe.parse_inside(inside),
        part=None if part is None else recipe.parse_part(part),
        gap=None if gap is None else recipe.parse_gap(gap),
    )
    check(wanted, has_pins=bool(pin), has_tags=not no_tags)
    roots = tuple(_absolute(folder, Exit.NO_INPUT) for folder in folders)
    request = Request(
        roots=roots,
        output=None if print0 or output == "-" else _output(output, roots[0]),
        recipe=wanted,
        pins=tuple(pin or ()),
        style=paths,
        seed=seed,
        extinf=not no_extinf,
        tags=not no_tags,
        ignore_files=not no_ignore_files,
        allow_shrink=allow_shrink,
        force=force,
        dry_run=dry_run,
        any_name=print0,
    )
    with _progress(quiet) as progress:
        report = pipeline.make(request, System() if seed is None else Seeded(seed), _read_all, progress)
    seconds = time.monotonic() - began
    if print0:
        write_out(path + b"\0" for path in report.paths())
    elif output == "-":
        write_out(report.text)
    elif json:
        write_out([summary.as_json(report, seconds=seconds, dry_run=dry_run).encode(), b"\n"])
    if not quiet:
        say(summary.lines(report, seconds=seconds, names=verbose, dry_run=dry_run))


def _check_stdout(output: str | None, print0: bool, json: bool) -> None:
    if (output == "-") + print0 + json > 1:
        raise PlayshuffleError("--json, --print0 and -o - all want stdout; choose one of them.", Exit.USAGE)
    if print0 and output is not None:
        raise PlayshuffleError("--print0 writes no file; leave -o away.", Exit.USAGE)


def _output(output: str | None, root: bytes) -> bytes:
    if output is None:
        return os.path.join(root, b"playshuffle.m3u")
    return _absolute(output, Exit.CANNOT_CREATE)


def _absolute(path: str, code: Exit) -> bytes:
    if not path:
        raise PlayshuffleError("An empty name was given; is a variable of the shell not set?", Exit.USAGE)
    try:
        return os.path.abspath(os.fsencode(path))
    except FileNotFoundError:
        raise PlayshuffleError(
            f"{shown(path)}: the current folder is gone, so give a whole path, or go elsewhere.", code
        ) from None


def _read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    from playshuffle.readers import read_all  # not needed where nothing has changed

    return read_all(paths)


def _progress(quiet: bool) -> Progress:
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return Progress()
    from playshuffle.progress import Bar

    return Bar()
