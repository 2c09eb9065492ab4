"""Find the configuration file."""

import os

from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.system.xdg import config_home
from playshuffle.text import shell_word


def places(config_name: str | None = None) -> list[bytes]:
    """Return the possible paths of the configuration, or only the named one."""
    config_name = config_name or os.environ.get("PLAYSHUFFLE_CONFIG") or None
    if config_name is not None:
        return [os.path.abspath(os.fsencode(config_name))]
    return [os.path.join(config_home(), b"playshuffle/config.toml"), b"/etc/playshuffle/config.toml"]


def is_any(config_name: str | None) -> bool:
    """Return whether a configuration is named (--config), or exists."""
    return config_name is not None or any(map(os.path.lexists, places()))


def never_list() -> bytes:
    """Return the path of never.m3u, the skip list of all playlists; the file need not exist."""
    return os.path.join(os.path.dirname(places()[0]), b"never.m3u")


def find(config_name: str | None = None) -> bytes:
    """Return the path of the configuration, named or usual.

    Raises:
        PlayshuffleError: the file does not exist.
    """
    candidates = places(config_name)
    for path in candidates:
        if os.path.lexists(path):
            return path
    place, problem, option = shown(candidates[0]), "There is no configuration yet.", ""
    if config_name is not None:
        problem, option = f"{place} does not exist.", f" --config {shell_word(config_name)}"
    raise PlayshuffleError(f"{problem} To create {place}: playshuffle config init{option}", Exit.CONFIG)
