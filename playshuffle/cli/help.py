"""Show help on a command or a topic: `playshuffle help`."""

from collections.abc import Iterable
from typing import Annotated

import typer

from playshuffle.cli.help_topics import TOPICS
from playshuffle.cli.streams import write_out
from playshuffle.text import known

EXAMPLES = """\b
Examples:
  playshuffle help orders     # a topic
  playshuffle help make       # a command, as playshuffle make --help
"""


def help(  # noqa: A001 - the word on the command line
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[TOPIC|COMMAND]",
            help="What to explain",
            autocompletion=lambda: [*TOPICS],
        ),
    ] = None,
) -> None:
    """Explain a topic or a command."""
    if topic is None:
        width = max(map(len, TOPICS))
        lines = [f"  {name:{width}}  {summary}" for name, (summary, _) in TOPICS.items()]
        _print(["Topics:", *lines, "", "playshuffle help TOPIC, or playshuffle COMMAND --help"])
        return
    name = known("topic", topic, TOPICS, see="playshuffle help")
    _print(TOPICS[name][1]())


def _print(lines: Iterable[str]) -> None:
    write_out(f"{line}\n".encode() for line in lines)
