"""Define the facts that several generated pages share: exit codes, files, environment, keys."""

from collections.abc import Sequence
from typing import NamedTuple

from playshuffle.cli.help_facts import ENVIRONMENT, EXIT_CODES, FILES
from playshuffle.config import keys
from playshuffle.options.table import ROWS

__all__ = ["ENVIRONMENT", "EXIT_CODES", "FILES", "KEYS_OF_ALL", "Key", "playlist_keys"]


class Key(NamedTuple):
    """A key of the configuration, for readers."""

    name: str
    example: str
    default: str
    meaning: str


KEYS_OF_ALL: Sequence[Key] = (
    Key("folders", '["~/Music"]', "", "Music folders of every playlist without folders of its own."),
    *(
        Key(row.key, row.example or "", "", f"For all playlists, in addition to their own. {row.help}.")
        for row in ROWS
        if row.key in keys.FOR_ALL
    ),
    Key("settle", '"2s"', '"2s"', "How long to wait after the last change, at most 7d."),
    Key("poll", '"5m"', '"5m"', "Time between scans of folders on network drives, at most 7d."),
    Key(
        "page",
        '"~/playshuffle.html"',
        "",
        "Page with the status, for browsers. The service keeps it up to date.",
    ),
)

_OWN: Sequence[Key] = (
    Key("folders", '["~/Music/Ambient"]', "the folders of all", "Music folders of this playlist."),
    Key("reshuffle", '"daily"', '"never"', "When to shuffle again: daily, weekly, on-start or never."),
    Key("tell", '["mpd"]', "", "Players whose queue to replace after a change: mpd, mpv, commands."),
    Key(
        "every",
        '"week"',
        "",
        "Deal it each day, week, month or `2d`. `run`: only when you run `deal NAME`.",
    ),
)
PLAYER_KEYS: Sequence[Key] = (
    Key("like", '"car"', '"generic"', "Player of `playshuffle help players` that this one is like."),
    Key("title", '"the van"', "the name", "Its name in messages."),
    Key("suffix", '".m3u8"', "", "Suffix of its playlists, if no `output` is given."),
    Key("paths", '"relative"', "", "How paths are written: relative, absolute or uri."),
    Key("extinf", "false", "", "Whether it gets #EXTINF lines."),
)


def playlist_keys() -> list[Key]:
    """Return the keys of a playlist: first the options of commands, then all others."""
    own = {key.name: key for key in _OWN}
    return [own.get(name) or _of_option(name) for name in keys.PLAYLIST]


def _of_option(name: str) -> Key:
    row = next(row for row in ROWS if row.has_key and row.key == name)
    default = row.default
    if isinstance(default, bool):
        example, shown = str(not default).lower(), str(default).lower()
        # The flag gives the opposite of the key, and so does its help.
        is_option = f" is the option {row.flags[0]}" if row.verbs else ""
        meaning = f"`{name} = false`{is_option}: {row.help}" if row.is_negated else row.help
    else:
        example = row.example or ""
        shown, meaning = f'"{default}"' if default else "", row.help
    return Key(name, example, shown, meaning if meaning.endswith(".") else f"{meaning}.")
