"""Complete the names of playlists, players and orders in a shell."""

from collections.abc import Iterator

import typer

from playshuffle.config.load import load
from playshuffle.config.model import ConfiguredPlaylist
from playshuffle.config.own_players import player_names
from playshuffle.config.places import find
from playshuffle.errors import PlayshuffleError
from playshuffle.ordering import plugin_orders
from playshuffle.ordering.orders import ORDERS


def playlists(ctx: typer.Context) -> list[str]:
    """Return the names of the configured playlists."""
    return [playlist.name for playlist in _configured(ctx)]


def shuffled_playlists(ctx: typer.Context) -> list[str]:
    """Return the names of the configured playlists that are not dealt."""
    return [playlist.name for playlist in _configured(ctx) if playlist.deal is None]


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
