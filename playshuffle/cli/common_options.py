"""Define the options that several commands share; light enough for each of them."""

from collections.abc import Callable, Iterable
from typing import Annotated

import typer

from playshuffle.config.option_groups import OUTPUT, PLACE, SAFETY

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be written", rich_help_panel=SAFETY)]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON", rich_help_panel=OUTPUT)]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors", rich_help_panel=OUTPUT)]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="List skipped files", rich_help_panel=OUTPUT)]
ConfigFile = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Configuration file to use", rich_help_panel=PLACE),
]


def completes(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes the beginning of one of these names in a shell."""
    return lambda incomplete: [str(name) for name in names if name.startswith(incomplete.casefold())]
