"""Update playlists of the configuration by name, and notify the service that manages them."""

import contextlib
import math
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from playshuffle import text
from playshuffle.cli import deal_report, make_report
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import say, say_error
from playshuffle.config.load import load
from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.config.places import find
from playshuffle.errors import Exit, PlayshuffleError, of_all, shown
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.tools import Tools
from playshuffle.pipeline.update import update_playlist
from playshuffle.service import running
from playshuffle.shuffle import System
from playshuffle.tags.reader_pool import read_all


def update_by_name(
    names: Sequence[str], config: str | None, *, is_due: bool, allow_shrink: bool, quiet: bool
) -> int:
    """Update playlists of the configuration and return the exit code.

    Args:
        names: of the playlists; none for all that are managed.
        config: the value of --config.
        is_due: they get a new order.
        allow_shrink: tracks that seem to be missing are removed.
        quiet: print only errors.

    Raises:
        PlayshuffleError: a playlist or the configuration does not exist.
    """
    config_file = load(find(config))
    # A deck cannot be reshuffled; missing tracks can be removed from either.
    playlists = {
        playlist.name: playlist for playlist in config_file.playlists if playlist.deal is None or allow_shrink
    }
    codes = []
    for broken in config_file.broken:
        if not names or broken.name in names:
            say_error(broken.text)
            codes.append(Exit.CONFIG)
    broken_names = {broken.name for broken in config_file.broken}
    decks = {playlist.name for playlist in config_file.playlists if playlist.deal is not None}
    if is_due and (dealt := [name for name in names if name in decks]):
        raise PlayshuffleError(
            f"'{shown(dealt[0])}' has `deal`, so it is not shuffled again but dealt. To deal what is due:"
            " playshuffle deal --due",
            Exit.USAGE,
        )
    chosen_names = [
        text.known("configured playlist", name, playlists) for name in names if name not in broken_names
    ] or ([] if names else list(playlists))
    chosen = [
        replace(playlists[name], request=playlists[name].request._replace(allow_shrink=allow_shrink))
        for name in chosen_names
    ]
    codes += update_all(chosen, quiet=quiet, redraw_before_s=math.inf if is_due else 0, is_run=False)
    for process in running.processes([playlist.request.output or b"" for playlist in chosen]):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is another user's
            os.kill(process, signal.SIGHUP)
    return of_all(codes)


def update_all(
    playlists: Sequence[ConfiguredPlaylist],
    *,
    quiet: bool,
    names: bool = False,
    redraw_before_s: float = 0,
    is_run: bool = True,
) -> list[Exit]:
    """Update playlists over one library, and return the exit code of each that fails.

    Args:
        playlists: of the configuration.
        quiet: print only errors.
        names: list the files that were skipped.
        redraw_before_s: as in `update_playlist`.
        is_run: as in `update_playlist`.

    Raises:
        PlayshuffleError: the library cannot be opened.
    """
    if not playlists:
        return []
    results: list[Report | Dealt | PlayshuffleError] = []
    with progress_bar(quiet) as progress:
        tools = Tools(read_all, System(), progress)
        with open_library([each.request for each in playlists], tools, must_remember=True) as library:
            for playlist in playlists:
                try:
                    done = update_playlist(
                        library,
                        playlist.request,
                        tools,
                        playlist.deal,
                        redraw_before_s=redraw_before_s,
                        is_run=is_run,
                    )
                    results.append(done)
                except PlayshuffleError as error:
                    results.append(error)
    for playlist, result in zip(playlists, results, strict=True):
        if isinstance(result, PlayshuffleError):
            say_error(f"{playlist.name}: {result.in_configuration}")
        elif not quiet:
            say(_lines(result, names=names))
    return [result.code for result in results if isinstance(result, PlayshuffleError)]


def _lines(done: Report | Dealt, *, names: bool) -> Iterator[str]:
    """Return what was done to one playlist."""
    screen = screen_of(sys.stderr)
    if isinstance(done, Report):
        return make_report.lines(done, screen, names=names)
    return deal_report.lines(done, screen, names=names, today=datetime.now().astimezone().date())
