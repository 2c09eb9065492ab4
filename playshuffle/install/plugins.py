"""Install plugins into players: one self-contained file in the plugin folder of the player."""

import os
from dataclasses import dataclass

import playshuffle
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system import atomic_file
from playshuffle.text import known

QUODLIBET = "quodlibet"
PLAYERS = (QUODLIBET,)

_SOURCE = "quodlibet_orders.py"
_FILE = "playshuffle_orders.py"  # not playshuffle.py, which would hide the package
_UNSET = '_PACKAGE = ""'


@dataclass(frozen=True, slots=True)
class Installed:
    """A plugin file. is_changed: whether it was written or removed just now."""

    path: str
    is_changed: bool


def install(player: str) -> Installed:
    """Write the plugin for a player; one that is there already is brought up to date.

    Raises:
        PlayshuffleError: the player has no plugin, or the file can't be written.
    """
    path = _path(player)
    package = os.path.dirname(os.path.abspath(playshuffle.__file__))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), _SOURCE), encoding="utf-8") as file:
        source = file.read()
    if source.count(_UNSET) != 1:
        raise ValueError(f"{_SOURCE} has no line {_UNSET}")
    content = source.replace(_UNSET, f"_PACKAGE = {package!a}").encode()
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise PlayshuffleError(
            f"The folder {shown(os.path.dirname(path))} can't be created: {error.strerror}.",
            Exit.CANNOT_CREATE,
        ) from error
    return Installed(path, is_changed=atomic_file.write(os.fsencode(path), [content]))


def remove(player: str) -> Installed:
    """Remove the plugin of a player, and the order that it kept.

    Raises:
        PlayshuffleError: the player has no plugin, or the file can't be removed.
    """
    path = _path(player)
    is_changed = _remove(path)
    _remove(os.path.join(_user_folder(), "playshuffle.json"))
    return Installed(path, is_changed)


def _path(player: str) -> str:
    known("player", player, PLAYERS)
    return os.path.join(_user_folder(), "plugins", _FILE)


def _user_folder() -> str:
    """Return the folder in which Quod Libet keeps its configuration, as Quod Libet finds it."""
    named = os.environ.get("QUODLIBET_USERDIR")
    if named:
        return os.path.abspath(named)
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    folder, old = os.path.join(config, "quodlibet"), os.path.expanduser("~/.quodlibet")
    return old if not os.path.exists(folder) and os.path.exists(old) else folder


def _remove(path: str) -> bool:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise PlayshuffleError(
            f"{shown(path)} can't be removed: {error.strerror}.", Exit.CANNOT_CREATE
        ) from error
    return True
