"""Find lists by name or file: those of the configuration, and those that make and deal wrote."""

import contextlib
import os
import shlex
import signal
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from playshuffle.cli.screen import home_path
from playshuffle.cli.streams import say_error
from playshuffle.config.build_request import absolute, build_request
from playshuffle.config.load import load
from playshuffle.config.model import Config, ConfiguredPlaylist
from playshuffle.config.places import find, places
from playshuffle.config.saved_playlists import saved_request, with_options
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.pipeline.request import Request
from playshuffle.playlist.playlist_file import existing_parts
from playshuffle.service import running
from playshuffle.store import records
from playshuffle.store.state import State
from playshuffle.system import atomic_file
from playshuffle.text import known, nearest

ONCE = frozenset(("accept_missing", "force"))  # options that are not saved with a list


class KnownList(NamedTuple):
    """A list of the configuration, or one that make or deal wrote.

    path: resolved path of its file. configured: None if it is not in the configuration.
    is_dealt: for a configured list, what the configuration says; else what was done last.
    """

    path: bytes
    configured: ConfiguredPlaylist | None = None
    is_dealt: bool = False

    @property
    def name(self) -> str:
        """Return what a user calls it."""
        if self.configured is not None:
            return self.configured.name
        return os.fsdecode(os.path.splitext(os.path.basename(self.path))[0])

    @property
    def exists(self) -> bool:
        """Return whether its file or the parts of it exist."""
        return os.path.lexists(self.path) or bool(existing_parts(self.path))

    def is_called(self, word: str) -> bool:
        """Return whether a word is its name or that of its file."""
        is_file_name = self.configured is None and word == os.fsdecode(os.path.basename(self.path))
        return word == self.name or is_file_name


def configuration(config: str | None) -> Config | None:
    """Return the configuration; None if none was named and there is none.

    Raises:
        PlayshuffleError: it cannot be read.
    """
    return load(find(config)) if config is not None or any(map(os.path.lexists, places())) else None


def known_lists(config: Config | None, *, must_remember: bool = False) -> Sequence[KnownList]:
    """Return all lists, those of the configuration first.

    Raises:
        PlayshuffleError: with `must_remember`, the state cannot be used.
    """
    configured = {
        atomic_file.resolved(playlist.request.output or b""): playlist
        for playlist in (config.playlists if config is not None else ())
    }
    with State(writes=must_remember, must_remember=must_remember) as state:
        written = records.dealt(state)
    return [
        *(KnownList(path, one, one.deal is not None) for path, one in configured.items()),
        *(KnownList(path, None, is_dealt) for path, is_dealt in written.items() if path not in configured),
    ]


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


def request_of(
    one: KnownList, given: Mapping[str, Any], *, is_dealt: bool, is_saved: bool = False
) -> Request:
    """Return the request of a list, with the options that were given now in place of its own.

    Raises:
        PlayshuffleError: its options are not known, or are those of the configuration; or the list is dealt
            and should be made, or the other way round.
    """
    name = shlex.quote(shown(one.name))
    if one.configured is not None and not (is_saved or "output" in given or ONCE.issuperset(given)):
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
    if one.configured is not None:
        return build_request(with_options(one.configured.request.options, given))
    with State(writes=False) as state:
        record = records.last(state, one.path)
    request = saved_request(one.path, record, given)
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
