"""`playshuffle orders`: the table of orders -> what each one promises, what not, and what it takes."""

import textwrap
from collections.abc import Iterator
from typing import Annotated

import typer

from playshuffle.cli.streams import write_out

_SCHEMA = 1
_WIDTH = 80
_FOR_ALL = ("--limit", "--time", "--seed")

EXAMPLES = """\b
Examples:
  playshuffle make ~/Music --order spread                # as seldom as can be one artist twice running
  playshuffle make ~/Music --order albums
  playshuffle make ~/Music --order blocks --by work      # movements stay together
  playshuffle make ~/Music --order uniform --gap 25%     # nothing that was played just now
"""


def orders(
    as_json: Annotated[bool, typer.Option("--json", help="Say it as JSON.")] = False,
) -> None:
    """Say what each order promises, what it does not, and which options it takes."""
    write_out([f"{line}\n".encode() for line in ([_json()] if as_json else _lines())])


def _lines() -> Iterator[str]:
    from playshuffle.ordering.groups import KNOWN
    from playshuffle.ordering.orders import ORDERS

    column = max(map(len, ORDERS)) + 2
    for name, order in ORDERS.items():
        takes = f"takes {', '.join(order.takes)}"
        for label, text in ((name, order.promise), ("", f"but {order.but}"), ("", takes)):
            yield f"{label:{column}}{text}"
    yield ""
    yield f"Every order takes {', '.join(_FOR_ALL)}, too."
    yield from textwrap.wrap(f"--by takes one of {', '.join(KNOWN)}.", _WIDTH, break_on_hyphens=False)


def _json() -> str:
    import json

    from playshuffle.ordering.groups import KNOWN
    from playshuffle.ordering.orders import ORDERS

    rows = [
        {
            "name": name,
            "promise": order.promise,
            "but": order.but,
            "goes_by": order.goes_by,
            "options": [*order.takes, *_FOR_ALL],
        }
        for name, order in ORDERS.items()
    ]
    return json.dumps({"schema": _SCHEMA, "orders": rows, "by": KNOWN}, indent=2)
