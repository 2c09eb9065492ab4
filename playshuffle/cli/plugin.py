"""Install shuffle orders in Quod Libet."""

from typing import Annotated

from playshuffle.cli.common_options import argument
from playshuffle.cli.streams import print_lines
from playshuffle.errors import shown
from playshuffle.install import plugins
from playshuffle.text import known

EXAMPLES = """\b
Examples:
  playshuffle plugin install quodlibet
  playshuffle plugin remove quodlibet
"""

_PLAYERS = ("quodlibet",)
Player = Annotated[str, argument("PLAYER", "quodlibet", lambda: [*_PLAYERS])]


def install(player: Player) -> None:
    """Install the shuffle orders into a player."""
    known("player", player, _PLAYERS)
    outcome = "Installed" if plugins.install() else "Already installed"
    print_lines(
        [
            f"{outcome}: {shown(plugins.path())}",
            "Restart Quod Libet. Enable the orders in File > Plugins (search: playshuffle).",
            "Then choose one in the shuffle menu below the song list.",
        ]
    )


def remove(player: Player) -> None:
    """Remove the shuffle orders from a player."""
    known("player", player, _PLAYERS)
    print_lines([f"Removed: {shown(plugins.path())}" if plugins.remove() else "The plugin is not installed."])


SUBCOMMANDS = (install, remove)
