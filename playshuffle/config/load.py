"""Load the configuration: its playlists, and the faults of broken playlists."""

import functools
import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from playshuffle import duration
from playshuffle.config import keys
from playshuffle.config.build_request import build_request, default_output
from playshuffle.config.known_list import KnownList, known_lists
from playshuffle.config.model import Config, ConfiguredPlaylist, QueuePlayer, Reshuffle
from playshuffle.config.own_players import TABLE as PLAYER_TABLE
from playshuffle.config.own_players import Faults, read_players
from playshuffle.config.places import find, is_any
from playshuffle.config.skip_circles import in_circles
from playshuffle.config.toml_file import ConfigError, Document, Fault, read
from playshuffle.config.words import find_list, is_path
from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.history.histories import NAMES
from playshuffle.options.option_values import checked, known_value
from playshuffle.options.table import Options
from playshuffle.players.profiles import GENERIC, PLAYERS, set_own_players
from playshuffle.playlist.playlist_file import check_name
from playshuffle.system import atomic_file
from playshuffle.text import folded

_LONGEST_S = 7 * 86_400  # for durations; a mistyped unit would stop the service for years
_LONGEST_NAME = 200  # bytes; a file name has at most 255, with suffix and number

# Keys whose values are paths; `map` has some in its values.
PATHS = ("page", "folders", "output", "without", "relative_to", "history")

# The kind of name of a key's value, as in `text.known`, and all values.
_CHOICES: Mapping[str, tuple[str, Iterable[str]]] = {
    "reshuffle": ("reshuffle", Reshuffle),
    "tell": ("tell", QueuePlayer),
}


def load(path: bytes) -> Config:
    """Read a configuration. A fault in a playlist breaks only this playlist.

    Raises:
        ConfigError: the file has a fault outside of the playlists. The error has all faults.
    """
    return understand(read(path))


def all_lists(config: str | None) -> Sequence[KnownList]:
    """Return all lists; only unconfigured ones if the default configuration is broken."""
    try:
        return known_lists(load(find(config)) if is_any(config) else None)
    except PlayshuffleError:
        if config is not None:
            raise
        return known_lists(None)


def understand(document: Document) -> Config:
    """Return the configuration in a TOML document.

    Raises:
        ConfigError: as `load` does.
    """
    players, player_faults = read_players(document)
    set_own_players(players)
    top = _top_faults(document, player_faults)
    for_all: Mapping[str, Any] = {"folders": ["/"]} if top else with_absolute_paths(document, document.table)
    playlists: dict[bytes, ConfiguredPlaylist] = {}
    broken = [
        fault._replace(name=f"{PLAYER_TABLE}.{name}")
        for name, faults in player_faults.items()
        for fault in faults
    ]
    tables = document.table.get("playlist", {})
    for name, content in tables.items() if isinstance(tables, dict) else ():
        faults = _faults_of(document, name, content, player_faults)
        if not faults:
            try:
                _add(playlists, _wanted(document, name, content, for_all))
            except PlayshuffleError as error:
                key = [key for key in error.keys if key in content][:1]
                faults = [document.fault(error.in_configuration, "playlist", name, *key)]
        broken += [fault._replace(name=name) for fault in faults]
    broken += _circles(document, playlists)
    if top:
        raise ConfigError(sorted([*top, *broken], key=lambda fault: fault.line or 0))
    page = os.fsencode(for_all["page"]) if "page" in for_all else None
    given = [name for name in keys.DURATIONS if name in document.table]
    return Config(
        document=document,
        playlists=tuple(playlists.values()),
        broken=tuple(broken),
        page=page,
        players=players,
        **{f"{name}_s": duration.parse(document.table[name]) / 1000 for name in given},
    )


def _top_faults(document: Document, player_faults: Faults) -> list[Fault]:
    table = {name: value for name, value in document.table.items() if name not in ("playlist", PLAYER_TABLE)}
    faults = keys.faults(document, (), table, keys.TOP, functools.partial(_value_fault, player_faults))
    right = {
        name: value for name, value in table.items() if name in keys.TOP and keys.TOP[name].is_right(value)
    }
    try:
        with_absolute_paths(document, right)
    except PlayshuffleError as error:
        faults.append(document.fault(error.in_configuration, *error.keys))
    tables = document.table.get("playlist", {})
    if not isinstance(tables, dict):
        faults.append(document.fault("Write a playlist as [playlist.NAME], with its keys below.", "playlist"))
    elif not tables and not faults:
        faults.append(document.fault("The file has no playlist. Begin one with a line [playlist.NAME]."))
    return faults


def _add(playlists: dict[bytes, ConfiguredPlaylist], wanted: ConfiguredPlaylist) -> None:
    path = atomic_file.resolved(wanted.output)
    first = playlists.setdefault(path, wanted)
    if first is not wanted:
        raise OptionError(
            "Playlists '{first}' and '{second}' both write {path}. Give one of them another {}.",
            "output",
            first=first.name,
            second=wanted.name,
            path=path,
        )


def _circles(document: Document, playlists: dict[bytes, ConfiguredPlaylist]) -> list[Fault]:
    circles = in_circles({path: playlist.request for path, playlist in playlists.items()})
    broken = []
    for path, named in circles.items():
        name = playlists.pop(path).name
        text = f"without: {shown(named)} omits the tracks of this playlist, too. Remove one of them."
        if atomic_file.resolved(named) == path:
            text = f"without: {shown(named)} is this playlist itself. Remove it."
        broken.append(document.fault(text, "playlist", name, "without")._replace(name=name))
    return broken


def _value_fault(player_faults: Faults, name: str, value: Any) -> str | None:
    if name == "for" and value in player_faults:
        return f"The player '{shown(value)}' has a mistake. Correct [player.{shown(value)}]."
    try:
        if name in keys.DURATIONS and duration.parse(value) > _LONGEST_S * 1000:
            return f"{name} must be at most 7d."
        if name in _CHOICES:
            for one in value if isinstance(value, list) else [value]:
                known_value(name, one, *_CHOICES[name])
        elif fields := keys.options_of({name: value}):
            checked(Options(**fields))
    except PlayshuffleError as error:
        return error.in_configuration if error.keys else f"{name}: {error}"
    return None


def _faults_of(document: Document, name: str, content: object, player_faults: Faults) -> list[Fault]:
    if not isinstance(content, dict):
        message = f"'{shown(name)}' is not a playlist. Begin one with [playlist.NAME], its keys below."
        return [document.fault(message, "playlist", name)]
    check = functools.partial(_value_fault, player_faults)
    problems = keys.faults(document, ("playlist", name), content, keys.PLAYLIST, check)
    if wrong_name := _name_fault(name, document.table["playlist"]):
        problems.insert(0, document.fault(wrong_name, "playlist", name))
    return problems


def _name_fault(name: str, names: Iterable[str]) -> str:
    if name != name.strip(" "):
        return f"The name '{shown(name)}' begins or ends with a space. Rename the playlist."
    if len(name.encode()) > _LONGEST_NAME:
        return f"The name of a playlist has at most {_LONGEST_NAME} bytes, this one {len(name.encode()):,}."
    earlier = itertools.takewhile(lambda other: other != name, names)
    twin = next((other for other in earlier if folded(other) == folded(name)), None)
    if twin is None:
        return ""
    return f"Playlists '{shown(twin)}' and '{shown(name)}' differ only in upper and lower case. Rename one."


def with_absolute_paths(document: Document, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with absolute paths; relative ones start at the document's folder."""
    absolute = dict(table)
    for key in filter(table.__contains__, PATHS):
        is_text = isinstance(table[key], str)
        try:
            paths = [_absolute(document, key, path) for path in ([table[key]] if is_text else table[key])]
        except PlayshuffleError as error:
            raise OptionError("{}: {problem}", key, problem=error) from error
        absolute[key] = paths[0] if is_text else paths
    return absolute


def _absolute(document: Document, key: str, word: str) -> str:
    """Return the absolute path that a word means, also as a list's name. A history's name (`mpd`) stays."""
    path = keys.expanded(word, os.path.dirname(document.path))
    if key not in ("without", "history") or "/" in word or os.path.lexists(path):
        return os.fsdecode(path)
    if key == "history" and word in NAMES:
        return word
    if (output := _output_of(document, word)) is not None:
        return output
    if (one := find_list(word, known_lists(None), here=os.path.dirname(document.path))) is not None:
        return os.fsdecode(one.path)
    return word if key == "history" and not is_path(word) else os.fsdecode(path)


def _output_of(document: Document, name: str) -> str | None:
    tables = document.table.get("playlist")
    content = tables.get(name) if isinstance(tables, dict) else None
    if not isinstance(content, dict):
        return None
    above = {key: value for key, value in document.table.items() if key == "folders"}
    content = above | {key: content[key] for key in ("folders", "output", "for") if key in content}
    if keys.faults(document, (), content, keys.PLAYLIST) or not content.get("folders"):
        return None
    return _output(name, with_absolute_paths(document, content))


def _output(name: str, content: Mapping[str, Any]) -> str:
    if "output" in content:
        return str(content["output"])
    player = known_value("for", content.get("for", GENERIC), "player", PLAYERS)
    return os.fsdecode(default_output(player, os.fsencode(content["folders"][0]), name))


def _wanted(
    document: Document, name: str, content: Mapping[str, Any], for_all: Mapping[str, Any]
) -> ConfiguredPlaylist:
    content = with_absolute_paths(document, content)
    folders = tuple(content.get("folders", for_all.get("folders", ())))
    if not folders:
        raise PlayshuffleError(
            f"Playlist '{shown(name)}' has no folders. Write folders = [...] below it, or at the top for all"
            " playlists.",
            Exit.CONFIG,
        )
    fields = keys.options_of(content)
    if "output" in fields:
        check_name(os.fsencode(fields["output"]))
    fields["output"] = _output(name, {**content, "folders": folders})
    options = _with_rules(Options(folders=folders, **fields), keys.options_of(for_all))
    if options.every is not None and "reshuffle" in content:
        raise OptionError("Remove {}: {} already says when there are other tracks.", "reshuffle", "every")
    reshuffle = known_value("reshuffle", content.get("reshuffle", Reshuffle.NEVER), *_CHOICES["reshuffle"])
    tell = tuple(
        QueuePlayer(known_value("tell", player, *_CHOICES["tell"])) for player in content.get("tell", ())
    )
    return ConfiguredPlaylist(name, build_request(options), Reshuffle(reshuffle), tell)


def _with_rules(options: Options, rules: Mapping[str, Any]) -> Options:
    """Add the queries, histories and skip lists for all playlists in front of a playlist's own.

    A playlist that is itself a skip list for all keeps its own tracks.
    """
    lists = (path for path in rules.get("without", ()) if path != options.output)
    return options._replace(
        where=(*rules.get("where", ()), *options.where),
        history=(*rules.get("history", ()), *options.history),
        without=(*lists, *options.without),
    )
