"""Complete names in a shell: playlists, decks, fields of tags, players, orders to audit."""

import os
from collections.abc import Iterable, Iterator, Sequence

from playshuffle.cli.common_options import completes
from playshuffle.errors import PlayshuffleError, shown


def playlists(incomplete: str, config: str | None) -> list[str]:
    """Return the configured playlists that begin so."""
    return _beginning(incomplete, (name for name, _ in _configured(config)))


def shuffled_playlists(incomplete: str, config: str | None) -> list[str]:
    """Return the configured playlists that are not dealt."""
    return _beginning(incomplete, (name for name, is_dealt in _configured(config) if not is_dealt))


def decks(incomplete: str, _: str | None) -> list[str]:
    """Return the names of the decks: their files without folder and suffix."""
    from playshuffle.store.decks import deck_paths
    from playshuffle.store.state import State

    with State(writes=False) as state:
        files = [os.path.basename(path) for path in deck_paths(state)]
    return _beginning(incomplete, (shown(os.path.splitext(file)[0]) for file in files))


def fields(incomplete: str, _: str | None) -> list[str]:
    """Return the fields of tags."""
    from playshuffle.selection.fields import FIELDS

    return _beginning(incomplete, FIELDS)


def players(incomplete: str, _: str | None) -> Sequence[str]:
    """Complete the name of a player, of those in the configuration too."""
    from playshuffle.config.own_players import player_names

    return completes(player_names())(incomplete, None)


def orders(incomplete: str, _: str | None) -> Sequence[str]:
    """Complete the name of an order, of those of other packages too."""
    from playshuffle.ordering import plugin_orders
    from playshuffle.ordering.orders import ORDERS

    return completes([*ORDERS, *plugin_orders.names()])(incomplete, None)


def checked_players(incomplete: str, _: str | None) -> list[str]:
    """Return the players for which a playlist can be checked."""
    from playshuffle.config.own_players import player_names

    return _beginning(incomplete, (*player_names(), "all"))


def audited_orders(incomplete: str, _: str | None) -> list[str]:
    """Return the orders that can be audited."""
    from playshuffle.audit.audited_orders import NAMES

    return _beginning(incomplete, NAMES)


def topics(incomplete: str, _: str | None) -> list[str]:
    """Return the topics of help."""
    from playshuffle.cli.help_topics import TOPICS

    return _beginning(incomplete, TOPICS)


def _configured(config: str | None) -> Iterator[tuple[str, bool]]:
    """Yield the name of each configured playlist, and whether it is dealt; none without a configuration."""
    from playshuffle.config.load import load
    from playshuffle.config.places import find

    try:
        found = load(find(config))
    except PlayshuffleError:
        return
    for wanted in found.playlists:
        yield wanted.name, wanted.deal is not None


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
