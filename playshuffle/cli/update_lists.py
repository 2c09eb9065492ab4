"""Make or deal several lists over one library."""

from collections.abc import Mapping
from typing import NamedTuple

from playshuffle.cli.progress import progress_bar
from playshuffle.cli.streams import say_error
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.pipeline.deal import Dealt
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.report import Report
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.tools import Tools
from playshuffle.pipeline.update import update_playlist
from playshuffle.shuffle import System
from playshuffle.tags.reader_pool import read_all


class Updated(NamedTuple):
    """What was done, by the name of the list, and the exit code of each list that failed."""

    made: Mapping[str, Report]
    dealt: Mapping[str, Dealt]
    codes: list[Exit]


def update_lists(requests: Mapping[str, Request], *, quiet: bool, redraw_before_s: float = 0) -> Updated:
    """Update lists over one library; one that fails does not stop the others.

    Args:
        requests: by the names of the lists.
        quiet: print only errors.
        redraw_before_s: as in `update_playlist`.

    Raises:
        PlayshuffleError: the library cannot be opened.
    """
    made: dict[str, Report] = {}
    dealt: dict[str, Dealt] = {}
    errors: dict[str, PlayshuffleError] = {}
    if not requests:
        return Updated(made, dealt, [])
    writes = any(request.writes for request in requests.values())
    with progress_bar(quiet) as progress:
        tools = Tools(read_all, System(), progress)
        with open_library([*requests.values()], tools, must_remember=writes) as library:
            for name, request in requests.items():
                try:
                    done = update_playlist(library, request, tools, redraw_before_s=redraw_before_s)
                except PlayshuffleError as error:
                    errors[name] = error
                    continue
                if isinstance(done, Dealt):
                    dealt[name] = done
                else:
                    made[name] = done
    for name, failed in errors.items():
        say_error(f"{name}: {failed.in_configuration}" if len(requests) > 1 else str(failed))
    return Updated(made, dealt, [error.code for error in errors.values()])
