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
    run: for a music folder.
    """

    package: str
    run: Callable[[Path], AbstractContextManager[Opened]]


# By the names that --for takes.
DRIVERS: dict[str, Driver] = {
    "mpd": Driver("mpd", mpd.driven),
    "mpv": Driver("mpv", terminal.mpv),
    "vlc": Driver("libvlc5", lambda _: asked("vlc", "libvlc.so.5", package="libvlc5 vlc-plugin-base")),
    "cmus": Driver("cmus", terminal.cmus),
    "quodlibet": Driver("quodlibet", lambda _: asked("quodlibet", "quodlibet", package="quodlibet")),
    "mopidy": Driver(
        "mopidy", lambda music: asked("mopidy", "mopidy", package="mopidy", XDG_MUSIC_DIR=str(music))
    ),
    "rhythmbox": Driver(
        "libtotem-plparser18",
        lambda _: asked(
            "rhythmbox", "gi.repository.TotemPlParser", package="python3-gi gir1.2-totemplparser-1.0"
        ),
    ),
    "audacious": Driver(
        "audacious",
        lambda _: asked(
            "audacious",
            "gi",
            package="audacious python3-gi",
            before=("dbus-run-session", "--"),
            tools=("audacious",),
        ),
    ),
    "strawberry": Driver("strawberry", terminal.strawberry),
    "liquidsoap": Driver("liquidsoap", terminal.liquidsoap),
}
