"""Remove a playlist file from the state: `playshuffle forget`."""

from typing import Annotated

import typer

from playshuffle.cli import common_options
from playshuffle.cli.streams import say
from playshuffle.config.build_request import absolute
from playshuffle.errors import Exit, PlayshuffleError, shown
from playshuffle.store.state import State
from playshuffle.system import atomic_file

EXAMPLES = """\b
Examples:
  playshuffle forget ~/old.m3u    # `status` shows it no longer
"""


def forget(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Playlist files; they are not removed"),
    ],
    quiet: common_options.Quiet = False,
) -> None:
    """Forget the saved order and deck of a file."""
    with State(must_remember=True) as state:
        for file in files:
            path = atomic_file.resolved(absolute(file, Exit.USAGE))
            with state.locked():
                is_forgotten = state.forget(path)
            if not is_forgotten:
                raise PlayshuffleError(
                    f"No order or deck is saved for '{shown(file)}'. To see all: playshuffle status",
                    Exit.USAGE,
                )
            if not quiet:
                say([f"Forgot {shown(path)}. The file was not changed."])
        if not quiet:
            say(state.notes)
