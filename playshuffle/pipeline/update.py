"""Update a playlist: keep it, or deal it where a deal is due."""

from datetime import datetime

from playshuffle.pipeline.deal import Dealt, deal
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run


def update(run: Run) -> Report | Dealt:
    """Keep one playlist, or deal it where a deal is due.

    Raises:
        PlayshuffleError: the playlist could not be updated; the file was not changed.
    """
    settings = run.request.deal
    if settings is None:
        return keep(run)
    now = datetime.fromtimestamp(run.tools.clock()).astimezone()
    return deal(run, settings.amount, settings.every, now)
