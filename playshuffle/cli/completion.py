"""Complete the names of playlists in a shell."""

import contextlib

import typer

from playshuffle.cli.lists import configuration
from playshuffle.config.known_list import known_lists
from playshuffle.errors import PlayshuffleError, shown


def lists(ctx: typer.Context) -> list[str]:
    """Return the names of all lists: those of the configuration, and those that make and deal wrote."""
    with contextlib.suppress(PlayshuffleError):
        return [shown(each.name) for each in known_lists(configuration(ctx.params.get("config")))]
    return []
