"""Complete the names of playlists, players and orders in a shell."""

import contextlib
from collections.abc import Iterator

import typer

from playshuffle.cli.lists import configuration, known_lists
from playshuffle.config.load import load
from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.config.own_players import player_names
from playshuffle.config.places import find
from playshuffle.errors import PlayshuffleError, shown
from playshuffle.ordering import plugin_orders
from playshuffle.ordering.orders import ORDERS


def playlists(ctx: typer.Context) -> list[str]:
    """Return the names of the configured playlists."""
    return [playlist.name for playlist in _configured(ctx)]


def shuffled_playlists(ctx: typer.Context) -> list[str]:
    """Return the names of the configured playlists that are not dealt."""
    return [playlist.name for playlist in _configured(ctx) if playlist.deal is None]


def lists(ctx: typer.Context) -> list[str]:
    """Return the names of all lists: those of the configuration, and those that make and deal wrote."""
    with contextlib.suppress(PlayshuffleError):
        return [shown(each.name) for each in known_lists(configuration(ctx.params.get("config")))]
    return []


def players() -> list[str]:
    """Return the names of the players, of those in the configuration too."""
    return list(player_names())


def orders() -> list[str]:
    """Return the names of the orders, of those of other packages too."""
    return [*ORDERS, *plugin_orders.names()]


def _configured(ctx: typer.Context) -> Iterator[ConfiguredPlaylist]:
    """Yield the configured playlists; none without a configuration."""
    try:
        config = load(find(ctx.params.get("config")))
    except PlayshuffleError:
        return
    yield from config.playlists
