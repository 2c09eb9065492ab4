"""`playshuffle audit`: an order, made often, or a playlist -> is it well shuffled?"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import typer

from playshuffle.cli.streams import write_out
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.library.folder import Reading
from playshuffle.shuffle import Seeded, System

EXAMPLES = """\b
Examples:
  playshuffle audit --order random               # noise, as it should be
  playshuffle audit --order specimen:swap-any     # a tilt: a bad shuffle is caught
  playshuffle audit --order sattolo --plot sattolo.png
  playshuffle audit ~/Music/playshuffle.m3u       # twice, missing, neighbours
"""

_TRACKS, _ROUNDS = 60, 10_000


def audit(
    playlist: Annotated[
        str | None,
        typer.Argument(metavar="[FILE.m3u]", show_default=False, help="A playlist to look into."),
    ] = None,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="An order to make often and judge: random, sattolo, …; a wrong name lists all.",
        ),
    ] = None,
    tracks: Annotated[
        int | None, typer.Option(metavar="N", help=f"Of so many tracks. Default: {_TRACKS}.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option(metavar="N", help=f"So many times. Default: {_ROUNDS:,}.")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="TEXT", help="Same text, same figures.")] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Draw the matrix: .png, .svg or .html (needs playshuffle[audit])."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Say what was found as JSON.")] = False,
) -> None:
    """Judge an order by making it often, or look into a playlist; exit code 1 says it is bad."""
    if (playlist is None) == (order is None):
        raise PlayshuffleError("Say what to audit: a playlist, or --order NAME; one of both.", Exit.USAGE)
    if order is not None:
        is_good = _order(order, tracks, rounds, seed, plot, json)
    elif playlist is not None and (tracks, rounds, seed, plot) == (None, None, None, None):
        is_good = _playlist(playlist, json)
    else:
        raise PlayshuffleError("With a playlist, only --json goes; leave the rest away.", Exit.USAGE)
    if not is_good:
        raise typer.Exit(Exit.LOSSES)


def _order(
    name: str, tracks: int | None, rounds: int | None, seed: str | None, plot: str | None, json: bool
) -> bool:
    from playshuffle.audit import audited_orders, bias, heat_map, order_report

    order = audited_orders.audited(name, _TRACKS if tracks is None else tracks)
    rounds = _ROUNDS if rounds is None else rounds
    fewest = bias.ROUNDS_PER_TRACK * order.tracks
    if rounds < fewest:
        raise PlayshuffleError(
            f"--rounds takes at least {fewest:,} with {order.tracks} tracks; fewer say nothing.", Exit.USAGE
        )
    if plot is not None:
        from playshuffle.audit import picture

        picture.check(plot)
    source = System() if seed is None else Seeded(seed)
    seed_bits = None if seed is None else source.entropy_bits
    counts = bias.count(order, rounds, source)
    verdict = bias.judge(order, counts)
    lines = list(order_report.lines(order, counts, verdict, seed_bits))
    if plot is not None:
        from playshuffle.system import atomic_file

        svg = picture.picture(
            plot, bias.deviations(counts, order.guarantee), order_report.title(order, counts, verdict), lines
        )
        atomic_file.write(os.path.abspath(os.fsencode(plot)), [svg])
    if json:
        _print([order_report.as_json(order, counts, verdict, seed_bits)])
    else:
        _print([*lines, "", *heat_map.heat_map(counts, order.guarantee, colour=_has_colour())])
    return not verdict.reasons


def _playlist(name: str, json: bool) -> bool:
    from playshuffle.audit import playlist, playlist_report

    audit = playlist.look_into(os.path.abspath(os.fsencode(name)), _read_all)
    _print([playlist_report.as_json(audit)] if json else playlist_report.lines(audit))
    return audit.is_good


def _read_all(paths: Sequence[bytes]) -> Iterator[tuple[int, Reading]]:
    from playshuffle.library.reader_pool import read_all

    return read_all(paths)


def _print(lines: Iterable[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    write_out([text.encode(_encoding(), "backslashreplace")])


def _encoding() -> str:
    return (sys.stdout and sys.stdout.encoding) or "utf-8"


def _has_colour() -> bool:
    """Whether to use colours: on a terminal that can show them, unless asked not to (no-color.org)."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return _encoding().lower().startswith("utf")
