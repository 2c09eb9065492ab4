"""Update a configured playlist: keep it, or deal it where a deal is due."""

from datetime import datetime

from playshuffle.pipeline.deal import Dealt, deal
from playshuffle.pipeline.keep import keep
from playshuffle.pipeline.open_library import OpenLibrary
from playshuffle.pipeline.open_playlist import open_playlist
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import chance


def update_playlist(
    opened: OpenLibrary,
    request: Request,
    tools: Tools,
    *,
    redraw_before_s: float = 0,
) -> Report | Dealt:
    """Keep one playlist, or deal it where a deal is due.

    Args:
        opened: the library, opened for this playlist and maybe others.
        request: the playlist.
        tools: what to work with. Where the playlist has a seed, that decides instead of chance.
        redraw_before_s: as in `keep`.

    Raises:
        PlayshuffleError: the playlist could not be updated; the file was not changed.
    """
    if request.seed is not None:
        tools = tools._replace(randbelow=chance(request.seed))
    deals = request.deal
    is_dealt = deals is not None
    with open_playlist(opened, request, tools, deals=is_dealt, keeps_choice_from_s=redraw_before_s) as run:
        if deals is None:
            return keep(run, redraw_before_s)
        now = datetime.fromtimestamp(tools.clock()).astimezone()
        return deal(run, deals.amount, deals.every, now)
