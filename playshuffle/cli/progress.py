"""Show a progress bar on the terminal if a run takes longer than a moment."""

import sys
import time
from typing import Any

from playshuffle.library import scan

_PATIENCE_S = 1.0
_EVERY_S = 0.1


def progress_bar(quiet: bool) -> scan.Progress:
    """Return a bar on a terminal, otherwise an object that shows nothing."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        return scan.Progress()
    return Bar()


class Bar(scan.Progress):
    """A bar on stderr; it disappears when the work is done."""

    def __init__(self) -> None:
        self._shows_from = time.monotonic() + _PATIENCE_S
        self._next = self._shows_from
        self._bar: Any = None  # a bar of rich

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def report(self, activity: str, done_count: int, of: int | None = None) -> None:
        now = time.monotonic()
        if now < self._next and done_count != of:
            return
        self._next = now + _EVERY_S
        if self._bar is None:
            if now < self._shows_from:
                return
            self._bar = _rich_bar()
            self._bar.start()
            self._bar.add_task(activity, total=of)
        self._bar.update(
            self._bar.task_ids[0], description=activity, completed=done_count, total=of, refresh=True
        )


def _rich_bar() -> Any:
    # rich takes as long to import as a short run, and most runs end before a bar is shown.
    from rich import console, progress

    return progress.Progress(
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
        console=console.Console(stderr=True),
        transient=True,
        auto_refresh=False,
    )
