"""Define the options that several commands share; light enough for each of them."""

from collections.abc import Iterable
from typing import Annotated

from playshuffle.cli.parameters import Completion, Option
from playshuffle.config.option_groups import OUTPUT, PLACE, SAFETY

DryRun = Annotated[bool, Option("--dry-run", help="Show what would be written", group=SAFETY)]
Json = Annotated[bool, Option("--json", help="Print the result as JSON", group=OUTPUT)]
Quiet = Annotated[bool, Option("--quiet", "-q", help="Print only errors", group=OUTPUT)]
Verbose = Annotated[bool, Option("--verbose", "-v", help="List skipped files", group=OUTPUT)]
ConfigFile = Annotated[
    str | None,
    Option("--config", metavar="FILE", help="Configuration file to use", group=PLACE),
]


def completes(names: Iterable[str]) -> Completion:
    """Return a function that completes the beginning of one of these names in a shell."""
    return lambda incomplete, _: [str(name) for name in names if name.startswith(incomplete.casefold())]
