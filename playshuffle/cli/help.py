"""Explain a topic, order, player or command: `playshuffle help`."""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Annotated

from playshuffle.cli import help_topics
from playshuffle.cli.common_options import argument
from playshuffle.cli.everyday_words import answer_to
from playshuffle.cli.help_topics import TOPICS
from playshuffle.cli.player_profile import profile
from playshuffle.cli.screen import Screen, as_typed, screen_of
from playshuffle.cli.streams import print_lines
from playshuffle.config.own_players import known_player, value_names
from playshuffle.errors import PlayshuffleError
from playshuffle.ordering.orders import ORDERS
from playshuffle.text import known

EXAMPLES = """\b
Examples:
  playshuffle help orders     # a topic
  playshuffle help spread     # an order
  playshuffle help vlc        # a player
  playshuffle help make       # a command, as playshuffle make --help
"""

_OTHERS = "Also: playshuffle help ORDER, help PLAYER, or playshuffle COMMAND --help"


def _names() -> list[str]:
    return [*TOPICS, *ORDERS, *value_names("player")]


def help(  # noqa: A001 - the word on the command line
    topic: Annotated[str | None, argument("[TOPIC]", "Topic, order, player or command", _names)] = None,
) -> None:
    """Explain a topic, order, player or command."""
    screen = screen_of(sys.stdout)
    if topic is None:
        rows = [(name, summary) for name, (summary, _) in TOPICS.items()]
        print_lines(_fitted(["Topics:", *help_topics.columns(rows), "", _OTHERS], screen))
        return
    try:
        name = known("topic", topic, _names(), see="playshuffle help")
    except PlayshuffleError:
        if (answer := answer_to(topic)) is None:
            raise
        print_lines([*screen.wrapped(answer.text), *screen.wrapped(answer.command, "  ")])
        return
    if name in TOPICS:
        print_lines(_fitted(TOPICS[name][1](), screen))
    elif name in ORDERS:
        print_lines(help_topics.order_lines(name, screen))
    else:
        print_lines(profile(known_player(name), screen))


def _fitted(texts: Iterable[str], screen: Screen) -> Iterator[str]:
    """Yield lines that fit on the screen: wrap text in its last column, but no line with a comment."""
    screen = screen if screen.is_terminal else screen._replace(width=80)
    for line in as_typed("\n".join(texts)).split("\n"):
        start = re.match(r" *(?:\S+(?: \S+)* {2,})?", line)[0]  # type: ignore[index]
        yield from [line] if "# " in line else screen.wrapped(line[len(start) :], start)
