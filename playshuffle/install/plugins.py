"""Install the plugin for Quod Libet: one self-contained file in its plugin folder."""

import os

import playshuffle
from playshuffle.system import atomic_file

_SOURCE = "quodlibet_orders.py"
_FILE = "playshuffle_orders.py"  # not playshuffle.py, which would hide the package
_UNSET = '_PACKAGE = ""'


def path() -> str:
    """Return the path of the plugin."""
    return os.path.join(_user_folder(), "plugins", _FILE)


def install() -> bool:
    """Write or update the plugin; return whether it was written."""
    package = os.path.dirname(os.path.abspath(playshuffle.__file__))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), _SOURCE), encoding="utf-8") as file:
        source = file.read()
    if source.count(_UNSET) != 1:
        raise ValueError(f"{_SOURCE} has no line {_UNSET}")
    content = source.replace(_UNSET, f"_PACKAGE = {package!a}").encode()
    atomic_file.make_folder_for(os.fsencode(path()))
    return atomic_file.write(os.fsencode(path()), [content])


def remove() -> bool:
    """Remove the plugin and its saved order; return whether it was installed."""
    atomic_file.remove(os.fsencode(os.path.join(_user_folder(), "playshuffle.json")))
    return atomic_file.remove(os.fsencode(path()))


def _user_folder() -> str:
    named = os.environ.get("QUODLIBET_USERDIR")
    if named:
        return os.path.abspath(named)
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    folder, old = os.path.join(config, "quodlibet"), os.path.expanduser("~/.quodlibet")
    return old if not os.path.exists(folder) and os.path.exists(old) else folder
