"""Find this user's folders by the XDG standard, and create the folders of playshuffle.

These have mode 0700, because the names of music files in them are private. If HOME is not set, or a folder
cannot be created, the function raises an OSError.
"""

import errno
import os
import re

from playshuffle.system.regular_file import read_if_any

_MUSIC = rb'(?m)^\s*XDG_MUSIC_DIR="(.*)"\s*$'
_LONGEST = 1 << 20  # bytes of a configuration


def cache_folder(*, make: bool = True) -> bytes:
    """Return the folder for files that may be lost; `make` creates it."""
    return _our_folder(_base("XDG_CACHE_HOME", b".cache"), make=make)


def state_folder(*, make: bool = True) -> bytes:
    """Return the folder for files that must not be lost; `make` creates it."""
    return _our_folder(state_home(), make=make)


def moving_mark() -> bytes:
    """Return the file that exists while the command `move` changes saved paths."""
    return os.path.join(state_folder(make=False), b"moving")


def config_home() -> bytes:
    """Return the folder for the configuration of all programs."""
    return _base("XDG_CONFIG_HOME", b".config")


def data_home() -> bytes:
    """Return the folder for the data of all programs."""
    return _base("XDG_DATA_HOME", b".local/share")


def state_home() -> bytes:
    """Return the folder for the state of all programs."""
    return _base("XDG_STATE_HOME", b".local/state")


def desktop_music(config: bytes, home: bytes) -> bytes | None:
    """Return the music folder that the desktop's configuration in `config` names, if any."""
    match = re.search(_MUSIC, read_if_any(os.path.join(config, b"user-dirs.dirs"), _LONGEST))
    folder = re.sub(rb"\\(.)", rb"\1", match[1]) if match else b""
    return os.path.normpath(re.sub(rb"^\$HOME(?=/|$)", lambda _: home, folder)) if folder else None


def _base(variable: str, below_home: bytes) -> bytes:
    base = os.fsencode(os.environ.get(variable, ""))
    return base if base.startswith(b"/") else os.path.join(os.path.expanduser(b"~"), below_home)


def _our_folder(base: bytes, *, make: bool) -> bytes:
    if not base.startswith(b"/"):
        raise FileNotFoundError(errno.ENOENT, "HOME is not set")
    folder = os.path.join(base, b"playshuffle")
    if make:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder
