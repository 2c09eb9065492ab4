"""Make, keep or deal lists over one library."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from playshuffle.cli.progress import progress_bar
from playshuffle.cli.streams import say_error
from playshuffle.errors import Exit, PlayshuffleError
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.open_playlist import open_playlist
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.run import Run
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import System
from playshuffle.tags.reader_pool import read_all

Done = TypeVar("Done")


def run_lists(
    requests: Mapping[str, Request],
    act: Callable[[Run], Done],
    *,
    quiet: bool,
    must_remember: bool = True,
) -> tuple[dict[str, Done], list[Exit]]:
    """Open lists over one library, each to do the same; one that fails does not stop the others.

    Args:
        requests: by the names of the lists.
        act: makes, keeps or deals a list.
        quiet: print only errors.
        must_remember: raise an error if the state cannot be written.

    Returns:
        What was done, by the name of the list, and the exit code of each list that failed.

    Raises:
        PlayshuffleError: the library cannot be opened, or the only list failed.
    """
    done: dict[str, Done] = {}
    errors: dict[str, PlayshuffleError] = {}
    if not requests:
        return done, []
    writes = any(request.writes for request in requests.values())
    with progress_bar(quiet) as progress:
        tools = Tools(read_all, System(), progress)
        with open_library([*requests.values()], tools, must_remember=must_remember and writes) as library:
            for name, request in requests.items():
                try:
                    with open_playlist(library, request, tools) as run:
                        done[name] = act(run)
                except PlayshuffleError as error:
                    if len(requests) == 1:
                        raise
                    errors[name] = error
    for name, failed in errors.items():
        say_error(f"{name}: {failed.in_configuration}")
    return done, [error.code for error in errors.values()]
