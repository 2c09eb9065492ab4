"""Measure how well an order shuffles, or how mixed a playlist is: `playshuffle audit`."""

import os
import sys
from importlib.util import find_spec
from typing import Annotated

from playshuffle.audit import audited_orders, bias, heat_map
from playshuffle.audit.playlist_audit import look_into
from playshuffle.cli import audit_report, completion
from playshuffle.cli.common_options import ConfigFile, Json, ShortHelp, argument, option
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import home_path, screen_of
from playshuffle.cli.streams import print_json, print_lines, say
from playshuffle.config.load import all_lists
from playshuffle.config.words import find_file
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.options.help_groups import EXPERT
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import Seeded, System
from playshuffle.system import atomic_file
from playshuffle.tags.reader_pool import read_all

EXAMPLES = """\b
Examples:
  playshuffle audit --order random                # a fair shuffle
  playshuffle audit --order specimen:swap-any     # a biased one is found
  playshuffle audit --order sattolo --plot sattolo.png
  playshuffle audit today                         # a playlist
"""

_TRACKS, _ROUNDS = 60, 10_000


def audit(
    playlist: Annotated[str | None, argument("[LIST]", "A playlist to measure", completion.lists)] = None,
    order: Annotated[
        str | None,
        option(
            "--order NAME",
            "Order to measure, such as random",
            EXPERT,
            complete=lambda: list(audited_orders.NAMES),
        ),
    ] = None,
    tracks: Annotated[
        int | None, option("--tracks N", f"Number of tracks. Default: {_TRACKS}", EXPERT)
    ] = None,
    rounds: Annotated[
        int | None, option("--rounds N", f"Shuffles to simulate. Default: {_ROUNDS:,}", EXPERT)
    ] = None,
    seed: Annotated[str | None, option("--seed TEXT", "Make the results repeatable", EXPERT)] = None,
    plot: Annotated[str | None, option("--plot FILE", "Draw a picture: .png or .svg", EXPERT)] = None,
    config: ConfigFile = None,
    as_json: Json = False,
    is_short_help: ShortHelp = False,  # noqa: ARG001 - typer handles it
) -> Exit:
    """Measure an order or a playlist.

    An order is simulated many times. Exit code 1 if it is biased.
    """
    if (playlist is None) == (order is None):
        raise PlayshuffleError("Name either a playlist, or an order with --order.")
    if order is not None:
        return _order(order, tracks, rounds, seed, plot, as_json)
    if playlist is not None and (tracks, rounds, seed) == (None, None, None):
        _playlist(find_file(playlist, all_lists(config)), plot, as_json)
        return Exit.DONE
    raise PlayshuffleError("--tracks, --rounds and --seed do not work with a playlist. Remove them.")


def _order(
    name: str, tracks: int | None, rounds: int | None, seed: str | None, plot: str | None, as_json: bool
) -> Exit:
    order = audited_orders.audited(name, _TRACKS if tracks is None else tracks)
    rounds = _ROUNDS if rounds is None else rounds
    fewest = bias.ROUNDS_PER_TRACK * order.tracks
    if rounds < fewest:
        raise PlayshuffleError(
            f"--rounds must be at least {fewest:,} for {order.tracks} tracks: fewer prove nothing."
        )
    if plot is not None:
        _check_plot(plot)
    source = System() if seed is None else Seeded(seed)
    seed_bits = None if seed is None else source.entropy_bits
    with progress_bar(quiet=as_json) as progress:
        counts = bias.count(order, rounds, source, lambda done: progress.report("Shuffling", done, rounds))
    verdict = bias.judge(order, counts)
    if plot is not None:
        from playshuffle.audit.picture import picture  # Matplotlib is optional

        matrix = bias.deviations(counts, order.guarantee)
        title = (
            f"{order.name}: {order.tracks} tracks, {rounds:,} rounds: {'bad' if verdict.reasons else 'good'}"
        )
        _write_picture(plot, picture(plot, matrix, title))
    if as_json:
        print_lines([audit_report.order_json(order, counts, verdict, seed_bits)])
    else:
        facts = audit_report.order_facts(order, counts, verdict, seed_bits)
        print_lines([*screen_of(sys.stdout).facts(facts), "", *heat_map.heat_map(counts, order.guarantee)])
    return Exit.LOSSES if verdict.reasons else Exit.DONE


def _playlist(path: bytes, plot: str | None, as_json: bool) -> None:
    if plot is not None:
        _check_plot(plot)
    with progress_bar(quiet=as_json) as progress:
        result = look_into(path, Tools(read_all, System(), progress))
    if plot is not None:
        from playshuffle.audit.playlist_picture import draw  # Matplotlib is optional

        _write_picture(plot, draw(plot, shown(os.path.basename(path)), result.paths, result.by))
    if as_json:
        print_json(result.as_json())
    else:
        print_lines(audit_report.playlist_lines(result, screen_of(sys.stdout)))


def _check_plot(path: str) -> None:
    if not path.lower().endswith((".png", ".svg")):
        raise PlayshuffleError(f"--plot cannot write '{shown(path)}'. The name must end in .png or .svg.")
    if find_spec("matplotlib") is None:
        raise PlayshuffleError(
            "--plot needs Matplotlib. With pipx: pipx inject playshuffle matplotlib. With the Debian package:"
            " apt install python3-matplotlib. In a virtual environment: pip install matplotlib."
        )


def _write_picture(plot: str, content: bytes) -> None:
    path = os.path.abspath(os.fsencode(plot))
    atomic_file.write(path, [content])
    say([f"Wrote {home_path(path)}"])
