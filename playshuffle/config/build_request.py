"""Build the request for a playlist from its options."""

import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, cast

from playshuffle import duration
from playshuffle.config.list_names import PLAIN
from playshuffle.config.places import never_list
from playshuffle.dealing.amount import DEAL_COUNT, PATIENCE, Amount, Count, DealSettings, parse_patience
from playshuffle.dealing.period import Every
from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.options.contradictions import check
from playshuffle.options.option_values import checked, parse_maps, parse_size
from playshuffle.options.table import STDOUT, Options
from playshuffle.ordering.gap import Gap, parse_gap
from playshuffle.ordering.limit_per_tag import parse_limit
from playshuffle.ordering.recipe import Recipe
from playshuffle.ordering.resting import parse_rest
from playshuffle.pipeline.request import Request
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist.formats import FORMATS
from playshuffle.playlist.m3u import PathStyle
from playshuffle.playlist.playlist_reader import STDIN, FileList, read_file_list
from playshuffle.selection.fields import is_query
from playshuffle.shuffle import Inside
from playshuffle.system import mpd_server
from playshuffle.text import shell_word

if TYPE_CHECKING:
    from playshuffle.history.sources import Source

T = TypeVar("T")


def build_request(
    options: Options, *, files: tuple[bytes, ...] | None = None, name: str | None = None, plain: str = PLAIN
) -> Request:
    """Build a request; relative paths in the options start at the current folder.

    Args:
        options: at least one folder or `source` is set, unless there are files.
        files: absolute paths, at least one, to choose from instead of folders.
        name: the playlist's name, and the name of its file if the options name no file.

    Raises:
        PlayshuffleError: an option is invalid, or does not work with another one.
    """
    if options.player not in PLAYERS:
        from playshuffle.config.own_players import load_player  # most players are built in

        load_player(options.player)  # adds the player to its possible values
    options = checked(options)
    check(options)
    listed = None if options.source is None else _listed(options.source)
    files = files if listed is None else listed.files
    roots = _roots(options.folders, files)
    sources = _sources(options.history)
    options = _with_absolute_paths(options, () if files is not None else roots, listed, sources)
    if options.output is None:
        options = options._replace(output=os.fsdecode(default_output(options.player, roots[0], name, plain)))
    return Request(
        roots=roots,
        output=None if options.output == STDOUT else _if_given(os.fsencode, options.output),
        recipe=_recipe(options),
        options=options,
        files=files,
        source_file=None if listed is None else listed.source,
        streams=listed.others if listed is not None else (),
        history=tuple(source._replace(text=source.saved_text) for source in sources),
        without=tuple(map(os.fsencode, options.without)),
        never=never_list(),
        most=_if_given(parse_limit, options.most),
        style=_if_given(PathStyle, options.paths),
        relative_to=_if_given(os.fsencode, options.relative_to),
        swaps=parse_maps(options.maps),
        deal=_deal(options),
    )


def _roots(folders: tuple[str, ...], files: tuple[bytes, ...] | None) -> tuple[bytes, ...]:
    for folder in folders:
        _check_folder(folder)
    if files is not None:
        return (os.path.commonpath([os.path.dirname(path) for path in files]),)
    return tuple(absolute(folder) for folder in folders)


def _sources(texts: tuple[str, ...]) -> "list[Source]":
    if not texts:
        return []
    from playshuffle.history.sources import find_source  # few lists have a history

    return [find_source(text, absolute(text)) for text in dict.fromkeys(texts)]


def _with_absolute_paths(
    options: Options, folders: tuple[bytes, ...], listed: FileList | None, sources: "list[Source]"
) -> Options:
    without = dict.fromkeys(absolute(path) for path in options.without)
    output, relative_to = options.output, options.relative_to
    if output not in (None, STDOUT):
        output = os.fsdecode(absolute(output, Exit.CANNOT_CREATE))
    if relative_to is not None:
        relative_to = os.fsdecode(absolute(relative_to))
    return options._replace(
        folders=tuple(map(os.fsdecode, folders)),
        output=output,
        source=None if listed is None or listed.source is None else os.fsdecode(listed.source),
        without=tuple(map(os.fsdecode, without)),
        history=tuple(source.saved_text for source in sources),
        relative_to=relative_to,
        where=tuple(filter(str.strip, options.where)),
        pin=tuple(map(_absolute_pin, options.pin)),
    )


def _absolute_pin(pin: str) -> str:
    """Make a pin that is the path of a file absolute, for later runs in other folders."""
    pin = os.path.expanduser(pin) if pin.startswith("~/") else pin  # as in the configuration
    is_file = any(os.path.lexists(path) for path in (pin, pin.rpartition("@")[0]))
    return os.fsdecode(absolute(pin)) if is_file else pin


def _if_given(convert: Callable[[str], T], text: str | None) -> T | None:
    return None if text is None else convert(text)


def _check_folder(folder: str) -> None:
    hint = ""
    if is_query(folder) and not os.path.lexists(folder):
        hint = "not a folder. To choose tracks by a query, write --where {word} after the music folder."
    elif os.fsencode(os.path.splitext(folder)[1].lower()) in FORMATS and os.path.isfile(folder):
        hint = "a playlist. To shuffle its tracks: playshuffle make --from {word} -o NEW.m3u"
    if hint:
        raise OptionError("'{folder}' is " + hint, folder=folder, word=shell_word(folder))


def _listed(source: str) -> FileList:
    listed = read_file_list(source)
    if not listed.files:
        raise OptionError(
            "{name} lists no files, so there is nothing to play.",
            code=Exit.NOTHING_TO_PLAY,
            name="Standard input" if source == STDIN else source,
        )
    return listed


def default_output(player: str, root: bytes, name: str | None = None, plain: str = PLAIN) -> bytes:
    """Return the default path of a player's playlist.

    Args:
        plain: name of the file if `name` is None; the player's name is added.

    Raises:
        PlayshuffleError: the name leads out of the folder or cannot be shown, or MPD's playlist folder cannot
            be found.
    """
    if name is not None and (not name or "/" in name or name.startswith(".") or shown(name) != name):
        raise OptionError(
            "'{name}' cannot be the name of a file. Choose another name, or name the file with {}.",
            "output",
            name=name,
        )
    folder = mpd_server.playlist_folder() if PLAYERS[player].uses_mpd_conf else root
    file = plain_name(player, plain) if name is None else os.fsencode(name)
    return os.path.join(folder, file + PLAYERS[player].suffix)


def plain_name(player: str, plain: str = PLAIN) -> bytes:
    """Return the default name of a player's playlist, without suffix."""
    has_own_folder = PLAYERS[player].uses_mpd_conf
    return os.fsencode(plain if player == GENERIC or has_own_folder else f"{plain}-{player}")


def absolute(path: str, code: Exit = Exit.NO_INPUT) -> bytes:
    """Make a path absolute, from the current folder.

    Raises:
        PlayshuffleError: the path is empty or from Windows; or the current folder no longer exists, with the
            exit code `code`.
    """
    if not path:
        raise PlayshuffleError("A file or folder name is empty. Is a shell variable not set?")
    if hint := _path_hint(path):
        raise OptionError("'{path}' {hint}", path=path, hint=hint)
    try:
        return os.path.abspath(os.fsencode(path))
    except FileNotFoundError:
        raise OptionError(
            "'{path}' cannot be found, since the current folder no longer exists. Give an absolute path, or"
            " change to another folder.",
            code=code,
            path=path,
        ) from None


def _deal(options: Options) -> DealSettings | None:
    if options.every is None:
        return None
    time_ms, size = _if_given(duration.parse, options.time), _if_given(parse_size, options.size)
    amount = Amount(options.limit, time_ms, options.groups, size)
    return DealSettings(
        Amount(DEAL_COUNT) if amount == Amount() else amount,
        Every(options.every),
        Count(options.done_when or Count.DEALT),
        PATIENCE if options.patience is None else parse_patience(options.patience),
    )


def _path_hint(path: str) -> str:
    """Return why a path with a quoted `~`, or from Windows, does not work; empty for any other."""
    if path.startswith("~/") and not os.path.lexists("~"):
        bare = shell_word(path[2:])
        return f"was in quotes, so the shell did not expand ~. Write it without quotes: ~/{bare}"
    if re.match(r"(?:[A-Za-z]:)?\\", path) and not os.path.lexists(path):
        in_wsl = f"/mnt/{path[0].lower()}{path[2:]}".replace("\\", "/")
        return f"is a Windows path. {f'In WSL it is {in_wsl}' if path[1] == ':' else 'Mount it first'}."
    return ""


def _recipe(options: Options) -> Recipe:
    is_dealt, gap = options.every is not None, _if_given(parse_gap, options.gap)
    if is_dealt and options.gap is not None and gap is None:  # no gap instead of the usual one
        gap = Gap(1)
    return Recipe(
        order_name=options.order,
        limit=None if is_dealt else options.limit,
        time_ms=None if is_dealt else _if_given(duration.parse, options.time),
        group_count=None if is_dealt else options.groups,
        size=None if is_dealt else _if_given(parse_size, options.size),
        group_by=options.group_by,
        inside=cast(Inside | None, options.inside),
        gap=gap,
        rests=() if options.rest is None else parse_rest(options.rest),
    )
