"""Real players, each as a function from a playlist to the files that it would play, in order."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from tests.players.drivers import mpd, terminal
from tests.players.drivers.process import Opened, asked

__all__ = ["DRIVERS", "Driver", "Opened"]


class Driver(NamedTuple):
    """A player that runs without sound and window.

    package: its package in Debian.
    run: starts the player for a music folder.
    """

    package: str
    run: Callable[[Path], AbstractContextManager[Opened]]


def _by_system(player: str, package: str, module: str, packages: str, *, needs_dbus: bool = False) -> Driver:
    return Driver(package, lambda music: asked(player, music, module, packages, needs_dbus=needs_dbus))


# By the player's name as `--for` takes it.
DRIVERS: dict[str, Driver] = {
    "mpd": Driver("mpd", mpd.driven),
    "mpv": Driver("mpv", terminal.mpv),
    "vlc": _by_system("vlc", "libvlc5", "libvlc.so.5", "libvlc5 vlc-plugin-base"),
    "cmus": Driver("cmus", terminal.cmus),
    "quodlibet": _by_system("quodlibet", "quodlibet", "quodlibet", "quodlibet"),
    "mopidy": _by_system("mopidy", "mopidy", "mopidy", "mopidy"),
    "rhythmbox": _by_system(
        "rhythmbox", "libtotem-plparser18", "gi.repository.TotemPlParser", "gir1.2-totemplparser-1.0"
    ),
    "audacious": _by_system("audacious", "audacious", "gi", "audacious python3-gi", needs_dbus=True),
    "strawberry": Driver("strawberry", terminal.strawberry),
    "liquidsoap": Driver("liquidsoap", terminal.liquidsoap),
}
