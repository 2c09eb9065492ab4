"""Build the request for a playlist from its options."""

import os
import re
import shlex
from collections.abc import Mapping
from typing import Any

from playshuffle.config.own_players import load_player
from playshuffle.config.places import never_list
from playshuffle.dealing.amount import DEAL_COUNT, Amount, Count, DealSettings
from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.history.sources import find_source
from playshuffle.options.contradictions import check
from playshuffle.options.table import ROWS, STDOUT, Options, parsed, to_json, with_paths
from playshuffle.ordering.gap import Gap
from playshuffle.ordering.recipe import Recipe
from playshuffle.pipeline.request import Request
from playshuffle.players.profiles import GENERIC, PLAYERS
from playshuffle.playlist.formats import FORMATS
from playshuffle.playlist.reading import STDIN, FileList, read_file_list
from playshuffle.selection.fields import FIELDS
from playshuffle.store.home_paths import named_paths
from playshuffle.system import mpd_conf
from playshuffle.text import ALIASES

PLAIN = "playshuffle"  # the name of a playlist that has no other

# Options that mean in a request what they say.
_SAME = set(Options._fields).intersection(Request._fields) - {
    "output",
    "relative_to",
    "without",
    "history",
}


def build_request(
    options: Options,
    *,
    files: tuple[bytes, ...] | None = None,
    name: str | None = None,
    plain: str = PLAIN,
) -> Request:
    """Build a request from options; relative paths start at the current folder.

    Args:
        options: with at least one folder, or `source`, unless there are files.
        files: absolute paths, at least one, to choose from instead of folders.
        name: of the playlist, for a file in the first folder if the options name none.
        plain: its name if `name` is empty.

    Raises:
        PlayshuffleError: an option has no valid value, or does not work with another one.
    """
    load_player(options.player)  # by which its values are known
    values = parsed(options)
    # Names as the tables spell them, such as vlc for VLC.
    options = options._replace(**{row.name: values[row.name] for row in ROWS if row.names is not None})
    check(options)
    recipe = _recipe(options, values)
    source = _files(options) if options.source is not None else None
    files = source.files if source is not None else files
    for folder in options.folders:
        _check_folder(folder)
    roots = tuple(absolute(folder, Exit.NO_INPUT) for folder in options.folders)
    if files is not None:
        roots = (os.path.commonpath([os.path.dirname(path) for path in files]),)
    if options.output is None:
        output: bytes | None = default_output(options.player, roots[0], name, plain)
    else:
        output = None if options.output == STDOUT else absolute(options.output, Exit.CANNOT_CREATE)
    without = tuple(dict.fromkeys(absolute(path, Exit.NO_INPUT) for path in options.without))
    request = Request(
        roots=roots,
        output=output,
        recipe=recipe,
        pins=options.pin,
        files=files,
        source_file=source.source if source is not None else None,
        streams=source.others if source is not None else (),
        history=tuple(
            find_source(text, absolute(text, Exit.NO_INPUT)) for text in dict.fromkeys(options.history)
        ),
        without=without,
        never=never_list(),
        style=values["paths"],
        relative_to=None if options.relative_to is None else absolute(options.relative_to, Exit.NO_INPUT),
        swaps=values["maps"],
        deal=_deal(values),
        **{name: values[name] for name in _SAME},
    )
    return request._replace(options=_options_to_save(options, request))


def _options_to_save(options: Options, request: Request) -> str:
    """Return the options as JSON. Their paths mean the same in another folder, and in a copy of the home.

    It is empty if the files cannot be listed again, since a pipe or a caller named them. A permission
    to lose something is left out: it was for one run.
    """
    list_file = request.source_file
    if request.files is not None and (list_file is None or list_file.startswith((b"/dev/", b"/proc/"))):
        return ""
    absolute_options = options._replace(
        folders=() if request.files is not None else tuple(map(os.fsdecode, request.roots)),
        output=_text(request.output),
        source=_text(list_file),
        without=tuple(map(os.fsdecode, request.without)),
        history=tuple(source.saved_text for source in request.history),
        relative_to=_text(request.relative_to),
        accept_missing=False,
        force=False,
    )
    return to_json(with_paths(absolute_options, named_paths().stored))


def _text(path: bytes | None) -> str | None:
    return None if path is None else os.fsdecode(path)


def _check_folder(folder: str) -> None:
    """Check that a folder is not meant as a query, such as genre:jazz, or as a playlist.

    Raises:
        PlayshuffleError: it is a playlist, or it is not there and begins like a query.
    """
    field, colon, value = folder.lstrip("-^").partition(":")
    hint = ""
    if colon and value and not os.path.lexists(folder) and field in {*FIELDS, *ALIASES["field"]}:
        hint = "not a folder. To choose tracks by a query, write --where {word} after the music folder."
    elif os.fsencode(os.path.splitext(folder)[1].lower()) in FORMATS and os.path.isfile(folder):
        hint = "a playlist. To shuffle its tracks: playshuffle make --from {word} -o NEW.m3u"
    if hint:
        raise OptionError("'{folder}' is " + hint, folder=folder, word=shlex.quote(folder))


def _files(options: Options) -> FileList:
    """Read the list that is the library.

    Raises:
        PlayshuffleError: it cannot be read, or names no file.
    """
    assert options.source is not None
    found = read_file_list(options.source)
    if not found.files:
        raise OptionError(
            "{name} lists no files, so there is nothing to play.",
            code=Exit.NOTHING_TO_PLAY,
            name="Standard input" if options.source == STDIN else options.source,
        )
    return found


def default_output(player: str, root: bytes, name: str | None = None, plain: str = PLAIN) -> bytes:
    """Return where the playlist of a player is put by default.

    Args:
        player: its name in the table of players.
        root: the first folder of music.
        name: of the file, without a suffix.
        plain: its name if it has none; each player has one of its own, so that the list for one player
            does not replace that for another.

    Raises:
        PlayshuffleError: the name would lead out of the folder, or cannot be shown; or it goes to the
            playlists of MPD, and these cannot be found.
    """
    if name is not None and (not name or "/" in name or name.startswith(".") or shown(name) != name):
        raise OptionError(
            "'{name}' cannot be the name of a file. Choose another name, or name the file with {}.",
            "output",
            name=name,
        )
    folder = mpd_conf.folders()[1] if PLAYERS[player].uses_mpd_conf else root
    file = plain_name(player, plain) if name is None else os.fsencode(name)
    return os.path.join(folder, file + PLAYERS[player].suffix)


def plain_name(player: str, plain: str = PLAIN) -> bytes:
    """Return the default name of a player's playlist, without folder and suffix."""
    has_own_folder = PLAYERS[player].uses_mpd_conf
    return os.fsencode(plain if player == GENERIC or has_own_folder else f"{plain}-{player}")


def absolute(path: str, code: Exit) -> bytes:
    """Make a path absolute, from the current folder.

    Raises:
        PlayshuffleError: it is empty, or not a path of this system; or, with this code, the current
            folder is gone.
    """
    if not path:
        raise PlayshuffleError("A file or folder name is empty. Is a shell variable not set?", Exit.USAGE)
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


def _deal(values: Mapping[str, Any]) -> DealSettings | None:
    """Return how much is dealt, and how often; None if the playlist is not dealt."""
    limit, time_ms, albums, every, count = (
        values[name] for name in ("limit", "time", "albums", "every", "done_when")
    )
    if every is None:
        return None
    is_sized = limit is not None or time_ms is not None or albums is not None
    amount = Amount(limit, time_ms, albums) if is_sized else Amount(DEAL_COUNT)
    return DealSettings(amount, every, count or Count.DEALT)


def _path_hint(path: str) -> str:
    """Return what to write in place of a path that means nothing to this system; empty for any other."""
    if path.startswith("~/") and not os.path.lexists("~"):
        bare = shlex.quote(path[2:])
        return f"was in quotes, so the shell did not expand ~. Write it without quotes: ~/{bare}"
    if re.match(r"(?:[A-Za-z]:)?\\", path) and not os.path.lexists(path):
        in_wsl = f"/mnt/{path[0].lower()}{path[2:]}".replace("\\", "/")
        return f"is a Windows path. {f'In WSL it is {in_wsl}' if path[1] == ':' else 'Mount it first'}."
    return ""


def _recipe(options: Options, values: Mapping[str, Any]) -> Recipe:
    is_dealt, gap = options.every is not None, values["gap"]
    if is_dealt and options.gap is not None and gap is None:  # no gap, not the usual one
        gap = Gap(1)
    return Recipe(
        order=options.order,
        limit=None if is_dealt else options.limit,
        time_ms=None if is_dealt else values["time"],
        group_by=options.group_by,
        inside=values["inside"],
        gap=gap,
        rest_ms=values["rest"],
    )
