"""Keep the order of one playlist, as an update of the service does."""

from playshuffle.library.walk import EVERYWHERE, Changes
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.open_playlist import open_run
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools


def keep_playlist(
    request: Request, tools: Tools, changes: Changes = EVERYWHERE, redraw_before_s: float = 0
) -> Report:
    """Open one playlist, and keep its order; the arguments are those of `open_run` and `keep`."""
    with open_run(request, tools, changes, must_remember=True, keeps_choice_from_s=redraw_before_s) as run:
        return keep(run, redraw_before_s)
