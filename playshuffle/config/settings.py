"""List every value of the configuration that is in force, with the line that sets it."""

import os
from typing import NamedTuple

from playshuffle.config import keys
from playshuffle.config.load import POLL, SETTLE, Config, Wanted
from playshuffle.config.own_players import TABLE, read_players
from playshuffle.config.toml_file import Document


class Setting(NamedTuple):
    """A value in force; its line is None for a default."""

    key: str
    value: object
    line: int | None


def settings(document: Document, config: Config) -> dict[str | None, list[Setting]]:
    """Find all values in force, of each playlist by its name, and None for those of all."""
    top = [
        Setting(name, document.table.get(name, default), document.line(name))
        for name, default in (("settle", SETTLE), ("poll", POLL))
    ]
    return {None: top, **{wanted.name: _of(document, wanted) for wanted in config.playlists}}


def player_settings(document: Document) -> dict[str, list[Setting]]:
    """Find the values that the configuration gives for its players, by the name of the player."""
    return {
        name: [
            Setting(key, value, document.line(TABLE, name, key))
            for key, value in document.table[TABLE][name].items()
        ]
        for name in read_players(document).players
    }


def _of(document: Document, wanted: Wanted) -> list[Setting]:
    """The values of one playlist, without what was not asked for and has no default."""
    found = []
    table = document.table["playlist"][wanted.name]
    for key in keys.PLAYLIST:
        line = document.line("playlist", wanted.name, key)
        value: object
        if key == "folders":
            value = tuple(map(os.fsdecode, wanted.request.roots))
            line = line or document.line("folders")
        elif key == "reshuffle":
            value = None if wanted.deal is not None else wanted.reshuffle.value
        elif key == "every":
            value = None if wanted.deal is None else wanted.deal.every.value
        elif key in ("deal", "tell"):
            value = table.get(key)
        else:
            value = getattr(wanted.options, keys.FIELDS[key])
        if value not in (None, ()):
            found.append(Setting(key, value, line))
    return found
