"""Find the object that a word of the user names: a list, a file, a folder, a track or a query.

`playshuffle help names` has the order of the meanings; a command takes the first that it can use. Several
equal meanings are an error that lists them.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING

from playshuffle.config.build_request import absolute
from playshuffle.config.known_list import KnownList, names_of
from playshuffle.config.list_names import PLAIN
from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.library.cached_tags import cached_tags
from playshuffle.library.track_table import TrackTable
from playshuffle.options.given import Given
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist.formats import FORMATS
from playshuffle.playlist.playlist_reader import STDIN
from playshuffle.selection.fields import is_query
from playshuffle.selection.track_names import TrackNames
from playshuffle.store.state import State
from playshuffle.system import atomic_file, mpd_server
from playshuffle.system.near_file import near_file
from playshuffle.text import any_of, folded, nearest

if TYPE_CHECKING:
    from playshuffle.config.model import Config

_MOST_LISTED = 10  # lists in an error


class Kind(StrEnum):
    """What a word may name."""

    LIST = "list"
    FILE = "file"
    FOLDER = "folder"
    TRACK = "track"


class NoListError(PlayshuffleError):
    """No list was made of a folder that a command took for its list."""

    def __init__(self, folder: bytes) -> None:
        super().__init__(f"No list was made of {shown(folder)} yet.", Exit.NO_INPUT)
        self.folder = folder


def find_list(
    word: str, lists: Sequence[KnownList], player: str = GENERIC, here: bytes = b"."
) -> KnownList | None:
    """Return the list with this name or file.

    Of several, it is the one in the folder of the player, or else in the folder `here`.

    Raises:
        PlayshuffleError: several lists have this name.
    """
    if not lists:
        return None
    path = absolute(word)
    # A folder may be on a share that hangs, and is no list.
    if "/" not in word or os.path.splitext(path)[1].lower() in FORMATS:
        path = atomic_file.resolved(path)
    named = [playlist for playlist in lists if playlist.is_called(word)]
    inside = [playlist for playlist in lists if playlist.is_in(word)]
    for fitting in (
        [playlist for playlist in named if playlist.configured is not None],
        [playlist for playlist in lists if playlist.path == path],
        [playlist for playlist in named if playlist.exists],
        [playlist for playlist in inside if playlist.exists],
        named,
        inside,
        [playlist for playlist in lists if folded(playlist.name) == folded(word)],
    ):
        if fitting:
            folders = (_folder_of(player), os.path.abspath(here)) if len(fitting) > 1 else ()
            return _nearest(fitting, lists, folders, f"There are several lists '{shown(word)}'")
    return None


def _nearest(
    fitting: Sequence[KnownList], lists: Sequence[KnownList], folders: Sequence[bytes | None], problem: str
) -> KnownList:
    """Return the only list, or else the only one in the first of the folders that has just one.

    Raises:
        PlayshuffleError: there is no such list. The error has the names to use.
    """
    below = [[one for one in fitting if os.path.dirname(one.path) == folder] for folder in folders]
    for candidates in (fitting, *below):
        if len(candidates) == 1:
            return candidates[0]
    names = ", ".join(map(shown, names_of(fitting, lists)))
    raise PlayshuffleError(f"{problem}. Name one: {names}")


def _folder_of(player: str) -> bytes | None:
    """Return the folder where a player keeps its playlists, if it has one."""
    if PLAYERS[player].uses_mpd_conf:
        with suppress(PlayshuffleError):
            return os.path.realpath(mpd_server.playlist_folder())
    return None


def _list_of_folder(folder: bytes, lists: Sequence[KnownList], player: str) -> KnownList | None:
    """Return the list that was made of a music folder.

    Of several, it is the one in the folder of the player, or else the one with the default name.

    Raises:
        PlayshuffleError: there are several others.
    """
    real = os.path.realpath(folder)
    with State(writes=False) as state:
        options = [(playlist, playlist.saved_options(state)) for playlist in lists if playlist.exists]
    made = [
        playlist
        for playlist, saved in options
        if saved is not None and [os.path.realpath(os.fsencode(name)) for name in saved.folders] == [real]
    ]
    if len(made) > 1:
        players, usual = _folder_of(player), os.path.join(real, os.fsencode(PLAIN))
        made = (
            [playlist for playlist in made if os.path.dirname(playlist.path) == players]
            or [playlist for playlist in made if os.path.splitext(playlist.path)[0] == usual]
            or made
        )
    return _nearest(made, lists, (), f"{shown(folder)} has several lists") if made else None


def the_list(word: str, lists: Sequence[KnownList]) -> KnownList:
    """Return the list with this name or file, or of this folder.

    Raises:
        PlayshuffleError: no list has it, or several lists do.
    """
    one = find_list(word, lists)
    if one is None and os.path.isdir(folder := absolute(word)):
        one = _list_of_folder(folder, lists, GENERIC)
    if one is None:
        raise unknown(word, [Kind.LIST], lists)
    return one


def find(
    word: str, kind: Kind, lists: Sequence[KnownList], player: str = GENERIC
) -> tuple[bytes, KnownList | None] | None:
    """Return the path of the list, or existing file or folder, that a word names; and the list, if any.

    `kind` is FILE or FOLDER: the alternative to a list.

    Raises:
        PlayshuffleError: the word names several lists.
    """
    one, path = find_list(word, lists, player), absolute(word)
    if one is None and kind is Kind.FOLDER and "/" in word:
        return (path, None)  # threads find out whether it exists, since a share may hang
    is_here = os.path.lexists(path) and os.path.isdir(path) == (kind is Kind.FOLDER)
    if one is not None and (one.is_called(word) or (one.is_in(word) and kind is Kind.FILE)):
        is_path_meant = is_path(word) if kind is Kind.FILE else not (one.configured or one.exists)
        if not (is_here and is_path_meant):
            return (one.path, one)
    if not is_here:
        return None if one is None else (one.path, one)
    return (path, one if one is not None and one.path == atomic_file.resolved(path) else None)


def find_file(word: str, lists: Sequence[KnownList], player: str = GENERIC) -> bytes:
    """Return the path of the list or file that a word names, or of a folder's list. A file need not exist.

    Of several lists, it is the one in the folder of the player, or else in the current folder.

    Raises:
        PlayshuffleError: the word names nothing, or several lists.
        NoListError: no list was made of the folder.
    """
    named = find(word, Kind.FILE, lists, player)
    if named is not None:
        return named[0]
    if os.path.isdir(folder := absolute(word)):
        one = _list_of_folder(folder, lists, player)
        if one is None:
            raise NoListError(folder)
        return one.path
    if not is_path(word):
        raise unknown(word, [Kind.LIST, Kind.FILE], lists)
    return absolute(word)


def is_path(word: str) -> bool:
    """Return whether a word can only be a path: it has a slash or a suffix."""
    return "/" in word or bool(os.path.splitext(word)[1])


def named_lists(words: Sequence[str], lists: Sequence[KnownList], config: "Config | None") -> list[KnownList]:
    """Return the lists that words name; no lists if the words name folders, or without words.

    Raises:
        PlayshuffleError: a word names nothing or a broken list, or words name both lists and folders.
    """
    chosen = []
    for word in words:
        for broken in config.broken if config is not None else ():
            if broken.name == word:
                raise PlayshuffleError(broken.text, Exit.CONFIG)
        named = find(word, Kind.FOLDER, lists)
        if named is None and not (is_path(word) or is_query(word) or _may_be_missing(word)):
            raise unknown(word, [Kind.LIST, Kind.FOLDER], lists)
        chosen += [named[1]] if named is not None and named[1] is not None else []
    if chosen and len(chosen) < len(words):
        raise PlayshuffleError("Name either lists or music folders, not both. A folder is ./NAME")
    return chosen


def _may_be_missing(word: str) -> bool:
    with State(writes=False) as state:
        path = absolute(word)
        return os.path.lexists(path) or path in state.roots()


def with_files(given: Given, lists: Sequence[KnownList]) -> Given:
    """Return options with the name of each list replaced by the path of its file.

    Raises:
        PlayshuffleError: a value of `from` or `without` names neither a list nor a file.
    """

    def file_of(option: str, word: str) -> str:
        if word in ("", STDIN) or (option == "history" and _is_history(word)):
            return word
        named = find(word, Kind.FILE, lists)
        if named is None and option != "history" and not is_path(word):
            problem = unknown(word, [Kind.LIST, Kind.FILE], lists)
            raise OptionError("{}: {problem}", option, code=problem.code, problem=problem)
        return word if named is None else os.fsdecode(named[0])

    options = given.options
    return given._replace(
        options=options._replace(
            source=None if options.source is None else file_of("from", options.source),
            without=tuple(file_of("without", word) for word in options.without),
            history=tuple(file_of("history", word) for word in options.history),
        )
    )


def _is_history(word: str) -> bool:
    from playshuffle.history.histories import NAMES  # few lists have a history

    return word in NAMES


def known_tracks(table: TrackTable, roots: Sequence[bytes]) -> TrackNames:
    """Return an index that finds scanned tracks by name; relative paths may start at a root."""
    paths = [folder + name for folder, row in table.folders.items() for name in row.names.split(b"/")]
    return track_names(paths, roots)


def track_names(paths: Sequence[bytes], roots: Sequence[bytes] = ()) -> TrackNames:
    """Return an index that finds these tracks by name."""
    return TrackNames(paths, roots, lambda: list(map(cached_tags(paths).get, paths)))


def unknown(word: str, kinds: Sequence[Kind], lists: Sequence[KnownList], near: str = "") -> PlayshuffleError:
    """Return the error for a word that names nothing; `near` suggests similar names."""
    names = list(dict.fromkeys(map(shown, names_of(lists))))
    alike = nearest(folded(word), {folded(name): f"'{name}'" for name in names})
    if alike is None and not {*kinds}.isdisjoint((Kind.FILE, Kind.FOLDER)):
        file = near_file(absolute(word), is_folder=Kind.FOLDER in kinds)
        alike = None if file is None else shown(file)
    if alike is not None:
        near = f"Did you mean {alike}?"
    elif not near and (names or Kind.TRACK not in kinds):
        more = f" and {len(names) - _MOST_LISTED:,} more: playshuffle status --all"
        listed = ", ".join(names[:_MOST_LISTED]) + (more if len(names) > _MOST_LISTED else ".")
        near = f"Lists: {listed}" if names else "No list was made yet."
    name = shown(word) if word.startswith("/") else f"'{shown(word)}'"
    return PlayshuffleError(f"There is no {any_of(kinds)} {name}. {near.strip()}", Exit.NO_INPUT)
