"""Complete the names of playlists, and the values of their options, in a shell."""

import contextlib
from collections.abc import Callable

import typer

from playshuffle.errors import PlayshuffleError, shown
from playshuffle.options.table import Row


def lists(ctx: typer.Context) -> list[str]:
    """Return the names of configured and written lists."""
    # Completion of options does not need them.
    from playshuffle.config.load import all_lists

    with contextlib.suppress(PlayshuffleError):
        return [shown(each.name) for each in all_lists(ctx.params.get("config"))]
    return []


def of_option(row: Row) -> Callable[..., list[str]] | None:
    """Return the function that completes the values of an option; None if no names are known."""
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
