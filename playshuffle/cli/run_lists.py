"""Make, update or deal several lists of one library."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from playshuffle.cli.progress import progress_bar
from playshuffle.cli.screen import home_path
from playshuffle.cli.streams import say_error
from playshuffle.config.known_list import KnownList, names_of
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.options.given import Given
from playshuffle.pipeline.open_library import open_library
from playshuffle.pipeline.open_playlist import open_playlist
from playshuffle.pipeline.request import Request
from playshuffle.pipeline.run import Run
from playshuffle.pipeline.tools import Tools
from playshuffle.shuffle import System
from playshuffle.store.state import State
from playshuffle.tags.reader_pool import read_all
from playshuffle.text import list_word, shell_word

if TYPE_CHECKING:
    from playshuffle.config.model import Config

Done = TypeVar("Done")

ONCE = frozenset(("accept_missing", "force"))  # options that are not saved with a list


def run_lists(
    requests: Mapping[str, Request],
    act: Callable[[Run], Done],
    *,
    quiet: bool,
    must_remember: bool = True,
    state: State | None = None,
) -> tuple[dict[str, Done], list[Exit]]:
    """Open lists of one library, and call `act` for each list; a failure does not stop the other lists.

    Return results by name, and an exit code for each failed list.

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
        must_remember &= writes
        with open_library([*requests.values()], tools, must_remember=must_remember, state=state) as opened:
            for name, request in requests.items():
                try:
                    with open_playlist(opened, request, tools) as run:
                        done[name] = act(run)
                except PlayshuffleError as error:
                    if len(requests) == 1:
                        raise
                    errors[name] = error
    for name, failed in errors.items():
        say_error(f"{name}: {failed.in_configuration}")
    return done, [error.code for error in errors.values()]


def request_of(
    one: KnownList, given: Given, state: State, *, is_dealt: bool, is_saved: bool = False
) -> Request:
    """Return the request of a list to make or deal; options in `given` replace options of the list.

    Raises:
        PlayshuffleError: the options of the list are unknown; or `given` would change configured options; or
            the list belongs to the other command, make or deal.
    """
    if one.configured is not None and not (is_saved or "output" in given.names or given.names <= ONCE):
        raise PlayshuffleError(
            f"The options of '{shown(one.name)}' are in the configuration. To change them there, add"
            f" --save {shell_word(one.name)}. For another list, add -o OTHER.m3u."
        )
    if one.is_dealt != is_dealt:
        text = "is dealt, not made. Its next deal: playshuffle deal"
        if is_dealt:
            text = "is made, not dealt. To make it again: playshuffle make"
        raise PlayshuffleError(f"{home_path(one.path)} {text} {list_word(one.name, one.path)}")
    request = one.request(state, given)
    if request is None:
        raise PlayshuffleError(
            f"The options of {home_path(one.path)} are not known: a pipe named its tracks. Make it as you did"
            " before."
        )
    return request


def titles(lists: Sequence[KnownList], among: Sequence[KnownList] = ()) -> list[str]:
    """Return the name of each list, or its file if other lists, also in `among`, have that name."""
    return [home_path(name) for name in names_of(lists, among)]


def say_broken(config: "Config") -> list[Exit]:
    """Print the faults of configured lists, and return an exit code for each fault."""
    for broken in config.broken:
        say_error(broken.text)
    return [Exit.CONFIG for _ in config.broken]
