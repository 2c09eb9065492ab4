"""Find lists by name or file: those of the configuration, and those that make and deal wrote."""

import contextlib
import os
import shlex
import signal
from collections import Counter
from collections.abc import Iterable, Sequence

from playshuffle.cli.screen import home_path
from playshuffle.cli.streams import say_error
from playshuffle.config.build_request import absolute
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.load import load
from playshuffle.config.model import Config
from playshuffle.config.places import find, places
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.options.given import Given
from playshuffle.pipeline.request import Request
from playshuffle.service import running
from playshuffle.system import atomic_file
from playshuffle.text import known, nearest

ONCE = frozenset(("accept_missing", "force"))  # options that are not saved with a list


def configuration(config: str | None) -> Config | None:
    """Return the configuration; None if none was named and there is none.

    Raises:
        PlayshuffleError: it cannot be read.
    """
    return load(find(config)) if config is not None or any(map(os.path.lexists, places())) else None


def all_lists(config: str | None) -> Sequence[KnownList]:
    """Return all lists: those of the configuration, and those that make and deal wrote."""
    return known_lists(configuration(config))


def say_broken(config: Config) -> list[Exit]:
    """Print the faults of the configuration's lists, and return an exit code for each."""
    for broken in config.broken:
        say_error(broken.text)
    return [Exit.CONFIG for _ in config.broken]


def find_list(word: str, lists: Sequence[KnownList]) -> KnownList | None:
    """Return the list with this name or file; None if there is none.

    Raises:
        PlayshuffleError: there are several.
    """
    path = atomic_file.resolved(absolute(word, Exit.NO_INPUT))
    named = [each for each in lists if each.is_called(word)]
    for fitting in (
        [each for each in named if each.configured is not None],
        [each for each in lists if each.path == path],
        [each for each in named if each.exists],
        named,
    ):
        if len(fitting) > 1:
            raise PlayshuffleError(
                f"There are several lists '{shown(word)}'. Name the file: {_files(fitting)}", Exit.USAGE
            )
        if fitting:
            return fitting[0]
    return None


def the_list(word: str, lists: Sequence[KnownList]) -> KnownList:
    """Return the list with this name or file.

    Raises:
        PlayshuffleError: there is none, or there are several.
    """
    found = find_list(word, lists)
    if found is None:
        name = known("list", word, [each.name for each in lists], see="playshuffle status --all")
        found = next(each for each in lists if each.name == name)
    return found


def named_lists(words: Sequence[str], lists: Sequence[KnownList], config: Config | None) -> list[KnownList]:
    """Return the lists that words name; an empty list for folders or no words.

    Raises:
        PlayshuffleError: a word is both, or its list is broken; or there are lists and folders.
    """
    chosen = []
    for word in words:
        for broken in config.broken if config is not None else ():
            if broken.name == word:
                raise PlayshuffleError(broken.text, Exit.CONFIG)
        one = find_list(word, lists)
        is_folder = os.path.isdir(word)
        if one is not None and is_folder:
            raise PlayshuffleError(
                f"'{shown(word)}' is a list, {home_path(one.path)}, and a folder. Name that file, or the"
                f" folder as ./{shown(word)}",
                Exit.USAGE,
            )
        if one is None and not is_folder and (near := nearest(word, [each.name for each in lists])):
            raise PlayshuffleError(
                f"Unknown list or folder '{shown(word)}'. Did you mean '{shown(near)}'?", Exit.NO_INPUT
            )
        chosen += [one] if one is not None else []
    if chosen and len(chosen) < len(words):
        raise PlayshuffleError("Name either lists or music folders, not both.", Exit.USAGE)
    return chosen


def request_of(one: KnownList, given: Given, *, is_dealt: bool, is_saved: bool = False) -> Request:
    """Return the request of a list to make or deal, with the options that were given now.

    Raises:
        PlayshuffleError: its options are not known, or are those of the configuration; or the list is dealt
            and should be made, or the other way round.
    """
    name = shlex.quote(shown(one.name))
    if one.configured is not None and not (is_saved or "output" in given.names or given.names <= ONCE):
        raise PlayshuffleError(
            f"The options of '{shown(one.name)}' are in the configuration. To change them there, add"
            f" --save {name}. For another list, add -o OTHER.m3u.",
            Exit.USAGE,
        )
    if one.is_dealt != is_dealt:
        text = "is dealt, not made. Its next deal: playshuffle deal"
        if is_dealt:
            text = "is made, not dealt. To make it again: playshuffle make"
        raise PlayshuffleError(f"{home_path(one.path)} {text} {name}", Exit.USAGE)
    request = one.request(given)
    if request is None:
        raise PlayshuffleError(
            f"The options of {home_path(one.path)} are not known: a pipe named its tracks. Make it as you did"
            " before.",
            Exit.USAGE,
        )
    return request


def titles(lists: Sequence[KnownList]) -> list[str]:
    """Return what to call each of these lists: its name, or its file if several have the name."""
    count = Counter(one.name for one in {each.path: each for each in lists}.values())
    return [shown(one.name) if count[one.name] == 1 else home_path(one.path) for one in lists]


def notify_services(lists: Iterable[KnownList]) -> None:
    """Notify the services that manage any of these lists that it was written."""
    notify(running.processes([each.path for each in lists]))


def notify(processes: Iterable[int]) -> None:
    """Notify services that something of theirs has changed."""
    for process in processes:
        with contextlib.suppress(OSError):  # it ended meanwhile, or is another user's
            os.kill(process, signal.SIGHUP)


def _files(lists: Sequence[KnownList]) -> str:
    return ", ".join(home_path(each.path) for each in lists)
