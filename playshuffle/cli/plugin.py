"""Install shuffle orders in Quod Libet."""

from typing import Annotated

import typer

from playshuffle.cli.streams import print_lines
from playshuffle.errors import shown
from playshuffle.install import plugins

EXAMPLES = """\b
Examples:
  playshuffle plugin install quodlibet
  playshuffle plugin remove quodlibet
"""

Player = Annotated[
    str, typer.Argument(metavar="PLAYER", help="quodlibet", autocompletion=lambda: ["quodlibet"])
]


def install(player: Player) -> None:
    """Install the shuffle orders into a player."""
    installed = plugins.install(player)
    outcome = "Installed" if installed.is_changed else "Already installed"
    print_lines(
        [
            f"{outcome}: {shown(installed.path)}",
            "Restart Quod Libet. Enable the orders in File > Plugins (search: playshuffle).",
            "Then choose one in the shuffle menu below the song list.",
        ]
    )


def remove(player: Player) -> None:
    """Remove the shuffle orders from a player."""
    removed = plugins.remove(player)
    print_lines([f"Removed: {shown(removed.path)}" if removed.is_changed else "The plugin is not installed."])


SUBCOMMANDS = (install, remove)
