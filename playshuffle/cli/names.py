"""Complete names in a shell: playlists, decks, fields of tags, players, orders to audit."""

import os
from collections.abc import Iterable, Iterator

import typer

from playshuffle.errors import PlayshuffleError, shown


def playlists(context: typer.Context, incomplete: str) -> list[str]:
    """Return the configured playlists that begin so."""
    return _beginning(incomplete, (name for name, _ in _configured(context)))


def shuffled_playlists(context: typer.Context, incomplete: str) -> list[str]:
    """Return the configured playlists that are not dealt."""
    return _beginning(incomplete, (name for name, is_dealt in _configured(context) if not is_dealt))


def decks(incomplete: str) -> list[str]:
    """Return the names of the decks: their files without folder and suffix."""
    from playshuffle.store.deck_summaries import summaries
    from playshuffle.store.state import State

    with State(writes=False) as state:
        files = [os.path.basename(path) for path, _ in summaries(state)]
    return _beginning(incomplete, (shown(os.path.splitext(file)[0]) for file in files))


def fields(incomplete: str) -> list[str]:
    """Return the fields of tags."""
    from playshuffle.selection.fields import FIELDS

    return _beginning(incomplete, FIELDS)


def checked_players(incomplete: str) -> list[str]:
    """Return the players for which a playlist can be checked."""
    from playshuffle.config.own_players import player_names

    return _beginning(incomplete, (*player_names(), "all"))


def audited_orders(incomplete: str) -> list[str]:
    """Return the orders that can be audited."""
    from playshuffle.audit.audited_orders import NAMES

    return _beginning(incomplete, NAMES)


def topics(incomplete: str) -> list[str]:
    """Return the topics of help."""
    from playshuffle.cli.help_topics import TOPICS

    return _beginning(incomplete, TOPICS)


def _configured(context: typer.Context) -> Iterator[tuple[str, bool]]:
    """Yield the name of each configured playlist, and whether it is dealt; none without a configuration."""
    from playshuffle.config.load import load
    from playshuffle.config.places import find

    try:
        found = load(find(context.params.get("config")))
    except PlayshuffleError:
        return
    for wanted in found.playlists:
        yield wanted.name, wanted.deal is not None


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
