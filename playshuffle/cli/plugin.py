"""Install shuffle orders in Quod Libet."""

from typing import Annotated

from playshuffle.cli.common_options import completes
from playshuffle.cli.parameters import Argument
from playshuffle.cli.streams import write_out
from playshuffle.errors import shown

EXAMPLES = """\b
Examples:
  playshuffle plugin install quodlibet
  playshuffle plugin remove quodlibet
"""

Player = Annotated[str, Argument(metavar="PLAYER", help="quodlibet", completion=completes(("quodlibet",)))]


def install(player: Player) -> None:
    """Install the shuffle orders into a player."""
    from playshuffle.install import plugins

    installed = plugins.install(player)
    outcome = "Installed" if installed.is_changed else "Already installed"
    _print(f"{outcome}: {shown(installed.path)}")
    _print("Restart Quod Libet. Enable the orders in File > Plugins (search: playshuffle).")
    _print("Then choose one in the shuffle menu below the song list.")


def remove(player: Player) -> None:
    """Remove the shuffle orders from a player."""
    from playshuffle.install import plugins

    removed = plugins.remove(player)
    _print(f"Removed: {shown(removed.path)}" if removed.is_changed else "The plugin is not installed.")


VERBS = (install, remove)


def _print(line: str) -> None:
    write_out([f"{line}\n".encode()])
