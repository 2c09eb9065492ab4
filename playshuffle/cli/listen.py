"""Record the plays of MPD and desktop players in a file: `playshuffle listen`."""

import os
import sys
import time
from datetime import datetime
from typing import Annotated

from playshuffle.cli.common_options import Quiet, option
from playshuffle.cli.screen import screen_of
from playshuffle.cli.streams import print_lines, say_error, say_wrapped
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.history.histories import LISTENED, usual_file
from playshuffle.listening import desktop, mpd_news, plays_file
from playshuffle.listening.listen import listen as listen_to
from playshuffle.listening.passes import Heard
from playshuffle.system import mpd_server

EXAMPLES = """\b
Examples:
  playshuffle listen                      # in the foreground
  playshuffle service install --listen    # in the background
  playshuffle deal ~/Music --history listen --count played
"""


def listen(
    count_in_mpd: Annotated[bool, option("--count-in-mpd", "Count in MPD's stickers, too")] = False,
    socket: Annotated[str | None, option("--socket PATH", "Socket of MPD")] = None,
    quiet: Quiet = False,
) -> None:
    """Write down what MPD and players play.

    It counts a play when half of a track was heard, and a skip when another track followed sooner.
    --history listen reads what all your machines have written.
    """
    places = mpd_server.addresses(os.environ, socket)
    file = os.path.join(usual_file(LISTENED), os.fsencode(f"{os.uname().nodename}.csv"))
    with plays_file.opened(file) as add:
        say_wrapped([] if quiet else [f"Plays go to {shown(file)}"])
        sources = {mpd_news.TITLE: lambda: mpd_news.opened(places), desktop.TITLE: desktop.opened}
        for news in listen_to(sources):
            if isinstance(news, str):
                say_wrapped([] if quiet else [news])
            elif (path := plays_file.path_of(news)) is not None:
                now_s = int(time.time())
                try:
                    now_s = add(news, now_s)
                except PlayshuffleError as error:  # it is written with the next one
                    say_error(str(error))
                print_lines([] if quiet else screen_of(sys.stdout).hanging(_line(news, path, now_s)))
                if count_in_mpd and news.player == mpd_news.TITLE:
                    _count(places, news, now_s)


def _line(heard: Heard, path: str, now_s: int) -> str:
    what = "played" if heard.is_play else "skipped"
    name = path or " - ".join(filter(None, heard.track[1:3]))
    when = datetime.fromtimestamp(now_s).astimezone()
    return f"{when:%Y-%m-%d %H:%M} {what:7} {shown(name)} ({shown(heard.player)})"


def _count(places: list[mpd_server.Address], heard: Heard, now_s: int) -> None:
    try:
        mpd_news.count(places, heard, now_s)
    except (OSError, PlayshuffleError) as error:
        say_error(f"MPD did not count it: {shown(str(error))}")
