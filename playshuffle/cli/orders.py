"""Show the orders: what each one guarantees, its drawback and its options."""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from playshuffle.cli import completion
from playshuffle.cli.screen import Screen, screen_of
from playshuffle.cli.streams import say, write_out
from playshuffle.errors import PlayshuffleError, flag
from playshuffle.ordering import plugin_orders
from playshuffle.ordering.groups import KEYS
from playshuffle.ordering.orders import ORDERS, Order
from playshuffle.text import ALIASES, known

_SCHEMA = 1
_FOR_ALL = ("--limit", "--time", "--seed")

EXAMPLES = """\b
Examples:
  playshuffle orders spread                  # what this order guarantees
  playshuffle make ~/Music --order spread    # artists far apart
  playshuffle make ~/Music --order albums
  playshuffle make ~/Music --order groups --group-by work  # whole works
  playshuffle make ~/Music --order random --gap 25%
"""


def orders(
    order: Annotated[
        str | None,
        typer.Argument(
            metavar="[ORDER]",
            help="Only this order, such as spread",
            autocompletion=completion.orders,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON")] = False,
) -> None:
    """Show the orders and what they guarantee."""
    rows = _all() if order is None else {name: ORDERS[name] for name in [known("order", order, ORDERS)]}
    screen = screen_of(sys.stdout)
    write_out([f"{line}\n".encode() for line in ([_json(rows)] if as_json else _lines(rows, screen))])


def _all() -> dict[str, Order]:
    """Return the orders of the table, then those of other packages; one that can't be loaded is named."""
    rows = dict(ORDERS)
    for name in plugin_orders.names():
        if name not in rows and name not in ALIASES["order"]:
            try:
                rows[name] = ORDERS[name]
            except PlayshuffleError as error:
                say([str(error)])
    return rows


def _lines(rows: Mapping[str, Order], screen: Screen) -> Iterator[str]:
    column = max(map(len, rows)) + 2
    for name, order in rows.items():
        texts = [(name, order.guarantee), ("", f"but {order.drawback}")]
        texts += [("", f"takes {', '.join(map(flag, order.takes))}")] if order.takes else []
        for label, text in texts:
            yield from screen.wrapped(text, f"{label:{column}}")
    yield ""
    yield from screen.wrapped(f"Every order takes {', '.join(_FOR_ALL)}, too.")
    if any("group_by" in order.takes for order in rows.values()):
        names = ", ".join(KEYS)
        yield from screen.wrapped(f"--group-by takes one of {names}.")


def _json(rows: Mapping[str, Order]) -> str:
    orders = [
        {
            "name": name,
            "guarantee": order.guarantee,
            "drawback": order.drawback,
            "tag": order.tag,
            "options": [*map(flag, order.takes), *_FOR_ALL],
        }
        for name, order in rows.items()
    ]
    return json.dumps({"schema": _SCHEMA, "orders": orders, "group_by": KEYS}, indent=2)
