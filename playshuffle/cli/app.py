"""Build the command line from a table of commands, each imported only when it is called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from playshuffle import __version__
from playshuffle.cli.common_options import ShortHelp
from playshuffle.cli.help_layout import Command, CommandGroup
from playshuffle.cli.streams import write_out
from playshuffle.options.help_groups import EXPERT

LISTS, ANSWERS, SERVICE = "Make and play lists", "Get answers", "Keep lists up to date"

# The commands in the order of the help, each with its group and the first sentence of its docstring.
# The short help omits commands for special cases.
# Importing all modules for these sentences would take longer than most runs.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "make": (LISTS, "Write a shuffled playlist of music folders."),
    "deal": (LISTS, "Write a different set of tracks each day."),
    "undo": (LISTS, "Take back the last make or deal of a list."),
    "never": (LISTS, "Remove tracks from all playlists for good."),
    "export": (LISTS, "Copy the tracks of a playlist to a stick."),
    "tell": (LISTS, "Replace the queue of a running player."),
    "status": (ANSWERS, "Show folders, playlists and the service."),
    "why": (ANSWERS, "Explain why files are in a playlist or not."),
    "tags": (ANSWERS, "Show tags and their values, for --where."),
    "check": (ANSWERS, "Check that the entries of a playlist work."),
    "help": (ANSWERS, "Explain a topic, order, player or command."),
    "config": (SERVICE, "Create or check the configuration."),
    "service": (SERVICE, "Install, remove or check the service."),
    "watch": (SERVICE, "Keep playlists up to date in the foreground."),
    "listen": (SERVICE, "Write down what MPD and players play."),
    "demo": (EXPERT, "Try it on a small library of tones."),
    "move": (EXPERT, "Follow music that was moved elsewhere."),
    "forget": (EXPERT, "Forget the saved order or deals of a list."),
    "plugin": (EXPERT, "Install shuffle orders in Quod Libet."),
    "audit": (EXPERT, "Measure an order or a playlist."),
    "trace": (EXPERT, "Show a shuffle step by step."),
}

_EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                  # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order spread   # artists far apart
  playshuffle deal ~/Music                  # 40 tracks a day, each track once
  playshuffle help orders                   # or help spread, help vlc
  playshuffle demo                          # try it on a library of tones
"""


class _Commands(CommandGroup):
    """The command `playshuffle`, which imports only the subcommand that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {
            name: Command(name, help=summary, rich_help_panel=group)
            for name, (group, summary) in COMMANDS.items()
        }

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, words = super().resolve_command(ctx, args)
        return name, None if command is None else load(name), words


def load(name: str) -> Any:
    """Import the module of a command, and return the command, or a group of its `SUBCOMMANDS`."""
    module = import_module(f"playshuffle.cli.{name.replace('-', '_')}")
    group = typer.Typer(
        cls=CommandGroup,
        help=module.__doc__,
        epilog=module.EXAMPLES,
        add_completion=False,
        rich_markup_mode=None,
    )
    for subcommand in getattr(module, "SUBCOMMANDS", ()):
        group.command(cls=Command)(subcommand)
    if not group.registered_commands:
        group.command(cls=Command, epilog=module.EXAMPLES)(getattr(module, name.replace("-", "_")))
    return typer.main.get_command(group)


app = typer.Typer(
    cls=_Commands,
    help="Write shuffled playlists for any player: every track, exactly once.",
    epilog=_EXAMPLES,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        write_out([f"playshuffle {__version__}\n".encode()])
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version")
    ] = False,
    *,
    is_short_help: ShortHelp = False,
) -> None:
    pass
