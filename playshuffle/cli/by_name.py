"""Update playlists of the configuration by name, and notify the service that manages them."""

import contextlib
import math
import os
import signal
import sys
from collections.abc import Sequence
from datetime import datetime

from playshuffle import text
from playshuffle.cli import deal_report, make_report
from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import say, say_error
from playshuffle.config.load import load
from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.config.places import find
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, PlayshuffleError, of_all, shown
from playshuffle.pipeline.deal import deal_again, deal_playlist
from playshuffle.pipeline.keep import keep_playlist
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.service import running
from playshuffle.shuffle import System, chance
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
    for name in chosen_names:
        try:
            _update(playlists[name], is_due=is_due, allow_shrink=allow_shrink, quiet=quiet)
        except PlayshuffleError as error:
            say_error(f"{name}: {error.in_configuration}")
            codes.append(error.code)
    for process in running.processes([playlists[name].request.output or b"" for name in chosen_names]):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is another user's
            os.kill(process, signal.SIGHUP)
    return of_all(codes)


def _update(playlist: ConfiguredPlaylist, *, is_due: bool, allow_shrink: bool, quiet: bool) -> None:
    request = playlist.request._replace(allow_shrink=allow_shrink)
    if playlist.deal is not None:
        _deal_without_missing(playlist, request, quiet=quiet)
        return
    with progress_bar(quiet) as progress:
        tools = Tools(read_all, chance(request.seed), progress)
        report = keep_playlist(request, tools, redraw_before_s=math.inf if is_due else 0)
    if not quiet:
        say(make_report.lines(report, screen_of(sys.stderr), names=False))


def _deal_without_missing(playlist: ConfiguredPlaylist, request: Request, *, quiet: bool) -> None:
    """Deal a playlist without its missing tracks if a deal is due, else write its last deal again."""
    assert playlist.deal is not None
    now = datetime.now().astimezone()
    with progress_bar(quiet) as progress:
        tools = Tools(read_all, System(), progress)
        if playlist.deal.every is Every.RUN:  # only `deal` may deal that
            dealt = deal_again(request, tools, playlist.deal.every, now)
        else:
            dealt = deal_playlist(request, tools, playlist.deal.amount, playlist.deal.every, now)
    if not quiet:
        say(deal_report.lines(dealt, screen_of(sys.stderr), names=False, today=now.date()))
