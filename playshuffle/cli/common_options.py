"""Define the options that several commands share."""

from typing import Annotated

import typer

from playshuffle.cli.help_layout import SHORT_HELP
from playshuffle.cli.streams import write_out
from playshuffle.options.help_groups import EXPERT, OUTPUT, PLACE, SAFETY

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written", rich_help_panel=SAFETY)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON", rich_help_panel=OUTPUT)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors", rich_help_panel=OUTPUT)]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="List skipped files", rich_help_panel=OUTPUT)]
Save = Annotated[
    str | None,
    typer.Option(
        "--save", metavar="NAME", help="Add the list to the configuration as NAME", rich_help_panel=PLACE
    ),
]
ConfigFile = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Configuration file to use", rich_help_panel=EXPERT),
]


def _show_short_help(context: typer.Context, is_asked: bool) -> None:
    if is_asked:
        context.meta[SHORT_HELP] = True
        write_out([f"{context.get_help()}\n".encode()])
        raise typer.Exit


ShortHelp = Annotated[
    bool,
    typer.Option(
        "-h",
        is_eager=True,
        callback=_show_short_help,
        hidden=True,  # the help of --help names it
    ),
]
