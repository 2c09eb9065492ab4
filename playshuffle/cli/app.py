"""Build the command line: the table of commands, whose modules are imported when they are called."""

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from playshuffle import __version__
from playshuffle.cli import bash_completion
from playshuffle.cli.help_layout import Command, Group
from playshuffle.cli.streams import write_out

EVERYDAY, SERVICE, ABOUT, LAB = "Everyday commands", "Service", "About files and playlists", "Shuffle lab"
HIDDEN = ""  # needed once by few: not in the help

# The commands in the order of the help, each with its group and the first sentence of its docstring.
# To import all modules for these sentences would take longer than most runs.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "make": (EVERYDAY, "Write a shuffled playlist of music folders."),
    "deal": (EVERYDAY, "Write today's tracks, and others tomorrow."),
    "export": (EVERYDAY, "Copy the tracks of a playlist to a stick."),
    "check": (EVERYDAY, "Check that the entries of a playlist work."),
    "undo": (EVERYDAY, "Take back the last make or deal of a list."),
    "status": (EVERYDAY, "Show folders, playlists and the service."),
    "never": (EVERYDAY, "Remove tracks from all playlists for good."),
    "help": (EVERYDAY, "Explain a topic, order, player or command."),
    "demo": (EVERYDAY, "Try it on a small library of tones."),
    "config": (SERVICE, "Create, check or show the configuration."),
    "service": (SERVICE, "Install, remove or check the service."),
    "page": (SERVICE, "Write the status as a page for browsers."),
    "watch": (SERVICE, "Keep playlists up to date in the foreground."),
    "forget": (SERVICE, "Forget the saved order or deck of a list."),
    "tell": (SERVICE, "Replace the queue of a running player."),
    "why": (ABOUT, "Explain why files are in a playlist or not."),
    "tags": (ABOUT, "Show tags and their values for queries."),
    "duplicates": (ABOUT, "List copies of the same recording."),
    "plugin": (HIDDEN, "Install shuffle orders in Quod Libet."),
    "audit": (LAB, "Measure an order or a playlist."),
    "trace": (LAB, "Show a shuffle step by step."),
}

_EXAMPLES = """\b
Examples:
  playshuffle make ~/Music                  # writes ~/Music/playshuffle.m3u
  playshuffle make ~/Music --order spread   # artists far apart
  playshuffle deal ~/Music                  # 40 tracks a day, each track once
  playshuffle help orders                   # or help spread, help vlc
"""


class _Commands(Group):
    """The program: it has only the summaries of its commands until one is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the command that the words name."""
        name, command, words = super().resolve_command(ctx, args)
        return name, command and load(name), words


def load(name: str) -> Any:
    """Import the module of a command, and return the command; a group where it has `SUBCOMMANDS`."""
    module = import_module(f"playshuffle.cli.{name.replace('-', '_')}")
    group = typer.Typer(
        cls=Group, help=module.__doc__, epilog=module.EXAMPLES, add_completion=False, rich_markup_mode=None
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
bash_completion.use_script()


def _show_version(is_asked: bool) -> None:
    if is_asked:
        write_out([f"playshuffle {__version__}\n".encode()])
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version")
    ] = False,
) -> None:
    pass


for _name, (_group, _summary) in COMMANDS.items():
    app.command(_name, cls=Command, help=_summary, rich_help_panel=_group, hidden=_group == HIDDEN)(
        lambda: None
    )
