"""Measure how well an order shuffles, or how mixed a playlist is: `playshuffle audit`."""

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from playshuffle.audit import (
    audited_orders,
    bias,
    heat_map,
    order_report,
    picture,
    playlist_picture,
    playlist_report,
)
from playshuffle.audit.playlist import look_into
from playshuffle.cli import audit_report, common_options
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import Screen, home_path, screen_of
from playshuffle.cli.streams import print_json, print_lines, say
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.shuffle import Seeded, System
from playshuffle.system import atomic_file
from playshuffle.tags.reader_pool import read_all
from playshuffle.tags.reading import Reading
from playshuffle.text import known

EXAMPLES = """\b
Examples:
  playshuffle audit --order random                # a fair shuffle
  playshuffle audit --order specimen:swap-any     # a biased one is found
  playshuffle audit --order sattolo --plot sattolo.png
  playshuffle audit ~/Music/playshuffle.m3u       # of a playlist
"""

_TRACKS, _ROUNDS = 60, 10_000
_PAGE_WIDTH = 80
_BY = ("artist", "album", "genre")


def audit(
    playlist: Annotated[
        str | None,
        typer.Argument(metavar="[FILE.m3u]", help="A playlist to measure"),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Order to measure, such as random",
            autocompletion=lambda: list(audited_orders.NAMES),
        ),
    ] = None,
    tracks: Annotated[
        int | None, typer.Option(metavar="N", help=f"Number of tracks. Default: {_TRACKS}")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(metavar="N", help=f"Shuffles to simulate. Default: {_ROUNDS:,}")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="Make the results repeatable")] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw a picture: .png, .svg or .html"),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="TAG", help="Tag of the colours. Default: artist"),
    ] = None,
    as_json: common_options.Json = False,
) -> Exit:
    """Measure an order or a playlist.

    An order is simulated many times. Exit code 1 if it is biased.
    """
    if (playlist is None) == (order is None):
        raise PlayshuffleError("Name either a playlist, or an order with --order.", Exit.USAGE)
    if by is not None and (playlist is None or plot is None):
        raise PlayshuffleError("--by works with the picture of a playlist: add FILE and --plot.", Exit.USAGE)
    if order is not None:
        return _order(order, tracks, rounds, seed, plot, as_json)
    if playlist is not None and (tracks, rounds, seed) == (None, None, None):
        _playlist(playlist, known("tag", by or _BY[0], _BY), plot, as_json)
        return Exit.DONE
    raise PlayshuffleError(
        "--tracks, --rounds and --seed do not work with a playlist. Remove them.", Exit.USAGE
    )


def _order(
    name: str, tracks: int | None, rounds: int | None, seed: str | None, plot: str | None, as_json: bool
) -> Exit:
    order = audited_orders.audited(name, _TRACKS if tracks is None else tracks)
    rounds = _ROUNDS if rounds is None else rounds
    fewest = bias.ROUNDS_PER_TRACK * order.tracks
    if rounds < fewest:
        raise PlayshuffleError(
            f"--rounds must be at least {fewest:,} for {order.tracks} tracks: fewer prove nothing.",
            Exit.USAGE,
        )
    if plot is not None:
        picture.check(plot)
    source = System() if seed is None else Seeded(seed)
    seed_bits = None if seed is None else source.entropy_bits
    with progress_bar(quiet=as_json) as progress:
        counts = bias.count(order, rounds, source, lambda done: progress.working("Shuffling", done, rounds))
    verdict = bias.judge(order, counts)
    lines = list(order_report.lines(order, counts, verdict, seed_bits))
    if plot is not None:
        drawn = picture.picture(
            plot, bias.deviations(counts, order.guarantee), order_report.title(order, counts, verdict), lines
        )
        _write_picture(plot, drawn)
    if as_json:
        print_lines([order_report.as_json(order, counts, verdict, seed_bits)])
    else:
        print_lines([*lines, "", *heat_map.heat_map(counts, order.guarantee, colour=_has_colour())])
    return Exit.LOSSES if verdict.reasons else Exit.DONE


def _playlist(name: str, by: str, plot: str | None, as_json: bool) -> None:
    if plot is not None:
        picture.check(plot)
    with progress_bar(quiet=as_json) as progress:

        def read_and_report(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
            for done, reading in enumerate(read_all(paths), 1):
                progress.reading(done, len(paths))
                yield reading

        groups_by = None if plot is None else by
        found = look_into(os.path.abspath(os.fsencode(name)), read_and_report, groups_by)
    if plot is not None:
        words = list(audit_report.lines(found, Screen(_PAGE_WIDTH)))
        _write_picture(plot, playlist_picture.draw(plot, found, by, words))
    if as_json:
        print_json(playlist_report.as_json(found))
    else:
        print_lines(audit_report.lines(found, screen_of(sys.stdout)))


def _write_picture(plot: str, content: bytes) -> None:
    path = os.path.abspath(os.fsencode(plot))
    atomic_file.write(path, [content])
    say([f"Wrote {home_path(path)}"])


def _has_colour() -> bool:
    """Return whether the heat map may use colours and block characters."""
    screen = screen_of(sys.stdout)
    return screen.has_colour and screen.has_unicode
