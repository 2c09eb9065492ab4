"""Write an example configuration for the music folder of this user."""

import os
import re

from playshuffle.system.xdg import config_home, desktop_music

_EXAMPLE = """\
# Playlists that are kept up to date. After a change: playshuffle config check
# Options of `make` are keys here: order for --order, group_by for --group-by.

# Music folders of each playlist without its own. ~ is your home folder.
folders = [{music}]

# How long to wait after the last change of a folder.
# settle = "2s"

# How often to scan folders on file systems that do not report changes.
# poll = "5m"

# All tracks, in {music_in_words}/everything.m3u
[playlist.everything]

# Three hours, artists apart, shuffled again every day:
# [playlist.calm]
# output = "~/calm.m3u"
# order = "spread"
# time = "3h"
# reshuffle = "daily"    # or: weekly, on-start, never

# 40 tracks a day, none again before every track was dealt:
# [playlist.today]
# limit = 40             # or time = "90m"
# every = "day"          # or: week, month, 2d, run
# tell = ["mpd"]         # replace the queue of a player
# To deal tracks again until you have heard them: playshuffle help history
"""


def example() -> str:
    """Return an example in TOML."""
    folder = music_folder()
    return _EXAMPLE.format(music=_quoted(folder), music_in_words=_quoted(folder)[1:-1])


def music_folder() -> str:
    """Return the music folder that the desktop names, or else `~/Music`."""
    home = os.path.expanduser("~")
    named = desktop_music(config_home(), os.fsencode(home)) or b""
    folder = os.environ.get("XDG_MUSIC_DIR") or os.fsdecode(named)
    is_utf8 = not re.search("[\\ud800-\\udfff]", folder)  # TOML cannot contain other characters
    if not (os.path.isabs(folder) and is_utf8) or os.path.normpath(folder) == home:  # home means none
        return "~/Music"
    folder = os.path.normpath(folder)
    return f"~{folder.removeprefix(home)}" if folder.startswith(home + "/") else folder


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in plain) + '"'
