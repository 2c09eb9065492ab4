"""Complete the names of playlists in a shell."""

import contextlib

import typer

from playshuffle.errors import PlayshuffleError, shown


def lists(ctx: typer.Context) -> list[str]:
    """Return the names of configured and written lists."""
    # Completion of options does not need them.
    from playshuffle.config.load import all_lists

    with contextlib.suppress(PlayshuffleError):
        return [shown(each.name) for each in all_lists(ctx.params.get("config"))]
    return []
