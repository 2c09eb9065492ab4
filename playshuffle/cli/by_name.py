"""Playlists of the configuration, by name: each is settled by hand, and a service that keeps it told."""

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import replace

from playshuffle import text
from playshuffle.cli import make_report as summary
from playshuffle.cli.make import progress_bar, read_all
from playshuffle.cli.streams import say
from playshuffle.config.load import Wanted, find, load
from playshuffle.errors import Exit, PlayshuffleError, of_all
from playshuffle.library.walk import EVERYWHERE
from playshuffle.pipeline import run as pipeline
from playshuffle.service import running as services
from playshuffle.shuffle import chance


def settle_again(
    names: Sequence[str], config: str | None, *, is_due: bool, allow_shrink: bool, quiet: bool
) -> int:
    """Settle playlists of the configuration; the exit code of those that failed.

    Args:
        names: of the playlists; none for all that are kept.
        config: what --config said.
        is_due: they get a new order.
        allow_shrink: what seems to be away is gone.
        quiet: say nothing but errors.

    Raises:
        PlayshuffleError: there is no such playlist, or no configuration.
    """
    known = load(find(config))
    kept = {one.name: one for one in known.playlists if one.deal is None}
    failed = []
    for broken in known.broken:
        if not names or broken.name in names:
            say([f"playshuffle: {broken.text}"])
            failed.append(Exit.CONFIG)
    faulty = {broken.name for broken in known.broken}
    chosen = [text.known("kept playlist", name, kept) for name in names if name not in faulty] or (
        [] if names else list(kept)
    )
    for name in chosen:
        try:
            _settle(kept[name], is_due=is_due, allow_shrink=allow_shrink, quiet=quiet)
        except PlayshuffleError as error:
            say([f"playshuffle: {name}: {error}"])
            failed.append(error.code)
    for process in services.processes([kept[name].request.output or b"" for name in chosen]):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is another user's
            os.kill(process, signal.SIGHUP)
    return of_all(failed)


def _settle(wanted: Wanted, *, is_due: bool, allow_shrink: bool, quiet: bool) -> None:
    began = time.monotonic()
    request = replace(wanted.request, allow_shrink=allow_shrink)
    with progress_bar(quiet) as progress:
        report = pipeline.keep(
            request, chance(request.seed), read_all, progress, EVERYWHERE, is_due=lambda _: is_due
        )
    if not quiet:
        say(summary.lines(report, seconds=time.monotonic() - began, names=False, dry_run=False))
