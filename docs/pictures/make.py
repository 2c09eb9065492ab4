"""Draw the pictures of docs/shuffles.md and print its table, as `python docs/pictures/make.py`.

Needs the extra `playshuffle[audit]`. The same seed, so the same pictures and figures each time.
"""

import os
import sys

from playshuffle.audit import bias, laws, audited_orders as orders, picture
from playshuffle.shuffle import Seeded

SEED, TRACKS, ROUNDS = "docs", 60, 10_000
HERE = os.path.dirname(__file__)
HEAD = """\
| order | chi-square | degrees of freedom | p | fixed points | expected | bits | verdict |
|---|---:|---:|---:|---:|---:|---:|---|
"""


def row(order: orders.Audited) -> str:
    """A line of the table: the order held against its own law."""
    found = bias.judge(order, bias.count(order, ROUNDS, Seeded(SEED)))
    bits = "" if found.bits_needed is None else f"{found.bits_needed:.1f}"
    if order.entropy_bits is not None:
        bits = f"{order.entropy_bits} of {bits}"
    p = "< 1e-300" if found.p < 1e-300 else f"{found.p:.2g}"
    verdict = "bad" if found.reasons else "good"
    return (
        f"| {order.name} | {found.chi_square:,.0f} | {found.freedom:,.0f} | {p} | {found.fixed:,} |"
        f" {found.fixed_expected:,.0f} | {bits} | {verdict} |\n"
    )


def drawn(order: orders.Audited) -> bytes:
    """The picture: how far it is from a uniform order, whatever its own law, since that shows its shape."""
    uniform = laws.uniform(order.tracks)
    counts = bias.count(order._replace(law=uniform), ROUNDS, Seeded(SEED))
    return picture.picture(
        ".png", bias.deviations(counts, uniform), f"{order.name}, {order.tracks} tracks", ()
    )


def main() -> None:
    """Write a picture a name, and the table to standard output."""
    sys.stdout.write(HEAD)
    for name in orders.NAMES:
        # The table of all orders is for few tracks only.
        order = orders.audited(name, 8 if name == "table" else TRACKS)
        sys.stdout.write(row(order))
        with open(os.path.join(HERE, f"{name.replace(':', '-')}.png"), "wb") as file:
            file.write(drawn(order))


if __name__ == "__main__":
    main()
