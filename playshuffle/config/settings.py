"""List every value of the configuration that is in force, with the line that sets it."""

import os
from typing import NamedTuple

from playshuffle.config import keys
from playshuffle.config.model import POLL, SETTLE, Config, ConfiguredPlaylist
from playshuffle.config.own_players import TABLE
from playshuffle.config.toml_file import Document


class Setting(NamedTuple):
    """A value in force; its line is None for a default."""

    key: str
    value: object
    line: int | None


def settings(config: Config) -> dict[tuple[str, ...], list[Setting]]:
    """Find all values in force by their tables: () for the top, ("playlist", NAME), ("player", NAME).

    config: from a file.
    """
    document = config.document
    assert document is not None
    options = keys.options_of(document.table)
    top = {
        **{name: document.table.get(name, default) for name, default in (("settle", SETTLE), ("poll", POLL))},
        **{name: options[name] for name in keys.FOR_ALL if name in options},
        **({} if config.page is None else {"page": os.fsdecode(config.page)}),
    }
    return {
        (): [Setting(name, value, document.line(name)) for name, value in top.items()],
        **{("playlist", playlist.name): _of(document, playlist) for playlist in config.playlists},
        **{
            (TABLE, name): [
                Setting(key, value, document.line(TABLE, name, key))
                for key, value in document.table[TABLE][name].items()
            ]
            for name in config.players
        },
    }


def _of(document: Document, playlist: ConfiguredPlaylist) -> list[Setting]:
    """Return the values of one playlist, without options that are not given and have no default."""
    settings = []
    table = document.table["playlist"][playlist.name]
    for key in keys.PLAYLIST:
        line = document.line("playlist", playlist.name, key) or document.line(key)
        value: object
        if key == "folders":
            value = tuple(map(os.fsdecode, playlist.request.roots))
        elif key == "reshuffle":
            value = None if playlist.deal is not None else playlist.reshuffle.value
        elif key == "tell":
            value = table.get(key)
        else:
            value = getattr(playlist.options, keys.FIELDS[key])
        if value not in (None, ()):
            settings.append(Setting(key, value, line))
    return settings
