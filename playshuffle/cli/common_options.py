"""Make options and arguments, and define the options that several commands share."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from playshuffle.cli.help_layout import SHORT_HELP
from playshuffle.cli.streams import write_out
from playshuffle.options.help_groups import EXPERT, OUTPUT, PLACE, SAFETY

Complete = Callable[..., list[str]] | None


def option(flags: str, text: str, group: str | None = None, complete: Complete = None) -> Any:
    """Return an option for a command; `group` is the heading above it in the help.

    `flags` is written as in the help, with a placeholder for the value: `--quiet -q`, `--size SIZE`.
    """
    words = flags.split(" ")
    metavar = next((word for word in words if not word.startswith("-")), None)
    names = [word for word in words if word != metavar]
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel=group, autocompletion=complete)


def argument(metavar: str, text: str, complete: Complete = None) -> Any:
    """Return an argument for a command; `complete` lists values that the shell completes."""
    return typer.Argument(metavar=metavar, help=text, autocompletion=complete)


DryRun = Annotated[bool, option("--dry-run", "Show what would be written", SAFETY)]
Json = Annotated[bool, option("--json", "Print the result as JSON", OUTPUT)]
Quiet = Annotated[bool, option("--quiet -q", "Print only errors", OUTPUT)]
Verbose = Annotated[bool, option("--verbose -v", "List skipped files", OUTPUT)]
Save = Annotated[str | None, option("--save NAME", "Add the list to the configuration as NAME", PLACE)]
ConfigFile = Annotated[str | None, option("--config FILE", "Configuration file to use", EXPERT)]


def _show_short_help(context: typer.Context, is_asked: bool) -> None:
    if is_asked:
        context.meta[SHORT_HELP] = True
        write_out([f"{context.get_help()}\n".encode()])
        raise typer.Exit


# The help of --help names it.
ShortHelp = Annotated[bool, typer.Option("-h", is_eager=True, callback=_show_short_help, hidden=True)]
