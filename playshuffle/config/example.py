"""Write an example configuration for the music folder of this user."""

import os
import re

from playshuffle.system.xdg import config_home

_MUSIC = re.compile(r'^\s*XDG_MUSIC_DIR="(.*)"\s*$', re.MULTILINE)

_EXAMPLE = """\
# The playlists that `playshuffle watch` keeps. After a change: playshuffle config check
# Every option of `playshuffle make` is a key here, without its dashes, and with _ for -.

# Folders of music, for every playlist that names none of its own. ~ is your home.
folders = [{music}]

# How long to wait after the last change before playlists are written.
# settle = "2s"

# How often to scan folders on file systems that do not report changes.
# poll = "5m"

# All tracks, in {music_in_words}/everything.m3u
[playlist.everything]

# Three hours, the same artist as seldom as can be twice in a row, shuffled anew every day:
# [playlist.calm]
# output = "~/calm.m3u"
# order = "spread"
# time = "3h"
# reshuffle = "daily"    # or: weekly, on-start, never

# Forty tracks a day, none again before all were dealt:
# [playlist.today]
# deal = 40              # or a time: "90m"
# every = "day"          # or: week, run
"""


def example() -> str:
    """Write the example, in TOML, for the music folder of this user."""
    folder = music_folder()
    return _EXAMPLE.format(music=_quoted(folder), music_in_words=_quoted(folder)[1:-1])


def music_folder() -> str:
    """Find where this user's desktop keeps music; `~/Music`, if it does not say."""
    folder = os.environ.get("XDG_MUSIC_DIR") or _of_the_desktop()
    home = os.path.expanduser("~")
    folder = re.sub(r"^\$HOME(?=/|$)", lambda _: home, folder or "")
    is_utf8 = not re.search("[\\ud800-\\udfff]", folder)  # TOML holds nothing else
    if not (os.path.isabs(folder) and is_utf8) or os.path.normpath(folder) == home:  # home stands for 'none'
        return "~/Music"
    folder = os.path.normpath(folder)
    return f"~{folder.removeprefix(home)}" if folder.startswith(home + "/") else folder


def _of_the_desktop() -> str | None:
    try:
        with open(os.path.join(config_home(), b"user-dirs.dirs"), encoding="utf-8") as file:
            match = _MUSIC.search(file.read())
    except (OSError, ValueError):
        return None
    return re.sub(r"\\(.)", r"\1", match[1]) if match else None


def _quoted(text: str) -> str:
    """Write a text as TOML does, with escapes for whatever is not printed."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in plain) + '"'
