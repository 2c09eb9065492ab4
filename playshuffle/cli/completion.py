"""List names of playlists and values of options, for the completion of a shell."""

import contextlib
from collections.abc import Callable

import typer

from playshuffle.errors import PlayshuffleError, shown
from playshuffle.options.table import Row


def lists(ctx: typer.Context) -> list[str]:
    """Return the names of configured, made and dealt lists."""
    # Completion of options does not need them.
    from playshuffle.config.known_list import names_of
    from playshuffle.config.load import all_lists

    with contextlib.suppress(PlayshuffleError):
        return [*map(shown, names_of(all_lists(ctx.params.get("config"))))]
    return []


def of_option(row: Row) -> Callable[..., list[str]] | None:
    """Return a function that lists the values of an option; None if any text is a value."""
    if row.name in ("source", "without"):
        return lists
    if row.name == "history":
        return _histories
    kind = row.names
    return None if kind is None else lambda: _names(kind)


def _histories() -> list[str]:
    # As in `lists`.
    from playshuffle.history.histories import NAMES

    return [*NAMES]


def _names(kind: str) -> list[str]:
    # As in `lists`.
    from playshuffle.config.own_players import value_names

    return value_names(kind)
