"""Draw the pictures of docs/shuffles.md and print its table: `python -m scripts.draw_orders`.

The seed is fixed, so that pictures and figures are the same each time.
"""

import itertools
import os
import sys

from playshuffle.audit import audited_orders, bias, guarantees
from playshuffle.shuffle import Seeded

SEED, TRACKS, ROUNDS = "docs", 60, 10_000
PICTURES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "docs/pictures")
# Pictures of these look like that of `random`, so that one stands for all.
ALIKE = frozenset(
    ("forward", "fisher-yates", "inside-out", "by-keys", "insertion", "top-in", "table", "sparse-deal")
) | {"running", "spread", "specimen:little-state"}
HEAD = """\
| order | chi-square | degrees of freedom | p | fixed points | expected | bits | verdict |
|---|---:|---:|---:|---:|---:|---:|---|
"""
# From this many standard deviations on; below the first one a cell stays white. Blue and orange can be told
# apart by people who cannot tell red from green.
_STEPS = (2, 3, 5, 10, 30)
_OFTEN = ("#fdd0a2", "#fdae6b", "#f16913", "#d94801", "#8c2d04")
_RARELY = ("#c6dbef", "#9ecae1", "#6baed6", "#3182bd", "#08519c")
_NEVER = "#969696"
_CELL = 6  # pixels


def row(order: audited_orders.Audited) -> str:
    """Return a line of the table: the order tested against its own guarantee."""
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


def drawn(order: audited_orders.Audited) -> str:
    """Return the picture as SVG: the difference from a uniform order, since that shows the shape."""
    uniform = guarantees.uniform(order.tracks)
    counts = bias.count(order._replace(guarantee=uniform), ROUNDS, Seeded(SEED))
    offs = bias.deviations(counts, uniform)
    paths: dict[str, list[str]] = {}
    for track, line in enumerate(offs):
        colours = [_NEVER if not counts.cells[track][at] else _colour(off) for at, off in enumerate(line)]
        at = 0
        for colour, cells in itertools.groupby(colours):
            width = len(list(cells))
            if colour:
                paths.setdefault(colour, []).append(f"M{at} {track}h{width}v1h-{width}z")
            at += width
    size = len(offs)
    side = size * _CELL
    body = "".join(f'<path fill="{colour}" d="{"".join(path)}"/>\n' for colour, path in paths.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side + 40} {side + 96}" width="{side + 40}"'
        ' font-family="sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n'
        f'<text x="28" y="18" font-size="14">{order.name}</text>\n'
        f'<text transform="translate(18 {side / 2 + 28}) rotate(-90)" text-anchor="middle">track</text>\n'
        f'<text x="{side / 2 + 28}" y="{side + 46}" text-anchor="middle">position</text>\n'
        f'<g transform="translate(28 28) scale({_CELL})" shape-rendering="crispEdges">\n{body}</g>\n'
        f'<rect x="28" y="28" width="{side}" height="{side}" fill="none" stroke="#666"/>\n'
        f"{_legend(side)}</svg>\n"
    )


def _colour(off: float) -> str:
    step = sum(abs(off) >= least for least in _STEPS)
    return "" if step == 0 else (_OFTEN if off > 0 else _RARELY)[step - 1]


def _legend(side: int) -> str:
    y = side + 62
    boxes = (*reversed(_RARELY), "#fff", *_OFTEN)
    parts = [
        f'<rect x="{28 + 14 * at}" y="{y}" width="14" height="12" fill="{colour}" stroke="#ccc"/>\n'
        for at, colour in enumerate(boxes)
    ]
    parts.append(f'<text x="28" y="{y + 26}">too rarely</text>\n')
    parts.append(f'<text x="{28 + 14 * 11}" y="{y + 26}" text-anchor="end">too often</text>\n')
    parts.append(f'<rect x="{28 + 14 * 13}" y="{y}" width="14" height="12" fill="{_NEVER}"/>\n')
    parts.append(f'<text x="{28 + 14 * 14 + 6}" y="{y + 11}">never seen</text>\n')
    return "".join(parts)


def main() -> None:
    """Write a picture of each order that has a shape of its own, and the table to standard output."""
    sys.stdout.write(HEAD)
    for name in audited_orders.NAMES:
        # The table of all orders is for few tracks only.
        order = audited_orders.audited(name, 8 if name == "table" else TRACKS)
        sys.stdout.write(row(order))
        if name not in ALIKE:
            with open(os.path.join(PICTURES, f"{name.replace(':', '-')}.svg"), "w") as file:
                file.write(drawn(order))


if __name__ == "__main__":
    main()
