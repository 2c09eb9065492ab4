"""Read the players of the configuration, and find the player that a user names.

A table `[player.NAME]` defines a player as a built-in one (`like`) with a few values changed.
"""

import contextlib
import os
import re
from collections.abc import Mapping
from typing import Any

from playshuffle.config.keys import Key, is_text
from playshuffle.config.keys import faults as faults_of
from playshuffle.config.places import places
from playshuffle.config.toml_file import Document, Fault, read
from playshuffle.errors import Exit, OptionError, PlayshuffleError, shown
from playshuffle.options.option_values import NAMES, known_value
from playshuffle.players.player import Player
from playshuffle.players.profiles import BUILT_IN, GENERIC, PLAYERS, set_own_players
from playshuffle.playlist.formats import FORMATS
from playshuffle.playlist.m3u import PathStyle
from playshuffle.text import folded

TABLE = "player"
_NAME = r"[a-z0-9][a-z0-9_-]*"
_RESERVED = ("all",)  # check --for all

# Oddities that a player does not lose if its table says that it reads this style.
_REFUSES = {PathStyle.URI: "uri", PathStyle.RELATIVE: "music", PathStyle.ABSOLUTE: "device"}


Faults = Mapping[str, tuple[Fault, ...]]
"""The faults of invalid players, by name."""


def known_player(name: str) -> str:
    """Return the name of the built-in or configured player that a user means.

    Raises:
        PlayshuffleError: the player is unknown, or its table has a mistake.
    """
    load_player(name)
    return known_value("for", name, "player", PLAYERS)


def load_player(name: str) -> None:
    """Add the players of the configuration to PLAYERS, unless PLAYERS has `name`.

    Raises:
        PlayshuffleError: the player's table in the configuration has a mistake.
    """
    if name not in PLAYERS and folded(name.strip()) not in BUILT_IN:
        faults = add_own_players().get(name, ())
        if faults:
            raise PlayshuffleError(faults[0].text, Exit.CONFIG)


def add_own_players() -> Faults:
    """Add the configuration's players to PLAYERS; return the faults of invalid players by name."""
    path = next(filter(os.path.lexists, places()), None)
    if path is None:
        return {}
    players, faults = read_players(read(path))
    set_own_players(players)
    return faults


def value_names(kind: str) -> list[str]:
    """Return the names of a kind in `NAMES`; of players, also readable ones in the configuration."""
    if kind == "player":
        with contextlib.suppress(PlayshuffleError):
            add_own_players()
    return list(NAMES[kind])


def player_keys() -> Mapping[str, Key]:
    """Return the keys of a table `[player.NAME]`."""
    return {
        "like": Key("the name of a player", is_text, '"car"'),
        "title": Key("a text in quotes", is_text, '"Kitchen radio"'),
        "suffix": Key("a suffix in quotes", is_text, '".m3u8"'),
        "paths": Key(f"one of {', '.join(PathStyle)}", is_text, '"relative"'),
        "extinf": Key("true or false", lambda value: isinstance(value, bool), "true"),
    }


def read_players(document: Document) -> tuple[dict[str, Player], Faults]:
    """Return the valid players of a configuration, and the faults of invalid ones, by name."""
    tables = document.table.get(TABLE, {})
    if not isinstance(tables, dict):
        fault = document.fault("Write a player as [player.NAME], with its keys below.", TABLE)
        return {}, {"": (fault,)}
    players: dict[str, Player] = {}
    faults: dict[str, tuple[Fault, ...]] = {}
    for name, table in tables.items():
        text = _name_fault(name, table)
        problems = [document.fault(text, TABLE, name)] if text else []
        problems = problems or faults_of(document, (TABLE, name), table, player_keys())
        if not problems:
            try:
                players[name] = _player(name, table)
            except OptionError as error:
                (key,) = error.keys
                problems = [document.fault(f"{key}: {error}", TABLE, name, key)]
        if problems:
            faults[name] = tuple(problems)
    return players, faults


def _name_fault(name: str, table: object) -> str | None:
    if not isinstance(table, dict):
        return f"'{shown(name)}' is not a player. Write [player.NAME], with its keys below."
    if name in BUILT_IN or name in _RESERVED:
        return f"The name '{shown(name)}' is taken. Give the player another name."
    if not re.fullmatch(_NAME, name):
        return (
            f"'{shown(name)}' cannot be the name of a player. Use small letters, digits, hyphens and"
            " underscores."
        )
    return None


def _player(name: str, table: Mapping[str, Any]) -> Player:
    like = known_value("like", table.get("like", GENERIC), "player", BUILT_IN)
    base = BUILT_IN[like]
    changes: dict[str, Any] = {
        "title": table.get("title", name),
        "measured": "",
        "source": f"[player.{name}] in the configuration, like {like}",
        "like": like,
        "play": base.play if like != GENERIC else "",
    }
    if not changes["title"].strip():
        raise OptionError("The title is empty.", "title", code=Exit.CONFIG)
    if "suffix" in table:
        suffix = known_value(
            "suffix", table["suffix"], "suffix", [ending.decode() for ending in FORMATS]
        ).encode()
        changes |= {"suffix": suffix, "loads": (*base.loads, suffix)}
    if "paths" in table:
        style = PathStyle(known_value("paths", table["paths"], "path style", PathStyle))
        loses = {key: lost for key, lost in base.loses.items() if key != _REFUSES[style]}
        changes |= {"style": style, "loses": loses}
    if "extinf" in table:
        changes["extinf"] = table["extinf"]
    return base._replace(**changes)
