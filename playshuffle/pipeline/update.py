"""Update a playlist: keep it, or deal it where a deal is due."""

from playshuffle.pipeline.deal import Dealt, deal
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.run import Run


def update(run: Run) -> Report | Dealt:
    """Keep one playlist, or deal it where a deal is due.

    Raises:
        PlayshuffleError: the playlist could not be updated; the file was not changed.
    """
    return keep(run) if run.request.deal is None else deal(run)
