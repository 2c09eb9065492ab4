"""Draw the pictures of docs/shuffles.md and print its table: `python -m scripts.draw_orders`.

The seed is fixed, so that pictures and figures are the same each time.
"""

import itertools
import os
import sys
import textwrap

from playshuffle.audit import audited_orders, bias, guarantees
from playshuffle.shuffle import Seeded

SEED, TRACKS, ROUNDS = "docs", 60, 10_000
PICTURES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "docs/pictures")
# Their pictures look like the picture of `random`, so that one stands for all.
ALIKE = frozenset(
    ("forward", "fisher-yates", "inside-out", "by-keys", "insertion", "top-in", "table", "sparse-deal")
) | {"running", "spread", "specimen:little-state"}
HEAD = """\
| order | p | bits | verdict |
|---|---:|---:|---|
"""
# The title of each picture: its claim.
CLAIMS = {
    "random": "Every track comes everywhere, equally often",
    "deal": "The dealt tracks are mixed, the others stay",
    "sattolo": "No track keeps its position",
    "pinned": "Every third track keeps its position",
    "part": "Every second position keeps its track",
    "light": "One track in three keeps its position",
    "groups": "Tracks of a group stay in their order",
    "gap": "The last 15 tracks never start the next list",
    "favourites": "The first 30 tracks come earlier",
    "specimen:swap-any": "Too often just behind the old position",
    "specimen:random-swaps": "Too many tracks keep their position",
    "specimen:coin-sort": "Tracks stay near their old position",
    "specimen:tied-keys": "Tracks with the same key keep their old order",
}
# Lower limits, in standard deviations; below the first one a cell has the colour of the page.
# Red-green colour-blind people can distinguish blue and orange.
_STEPS = (2, 3, 5, 10, 30)
_OFTEN = tuple(f"o{step}" for step in _STEPS)
_RARELY = tuple(f"r{step}" for step in _STEPS)
_NEVER, _EVEN = "never", "even"
_LIGHT = (
    "#fdd0a2 #fdae6b #f16913 #d94801 #8c2d04 #c6dbef #9ecae1 #6baed6 #3182bd #08519c #969696 #fff #57606a"
)
_DARK = (
    "#4a2c17 #753f17 #b65a12 #ee8130 #ffc182 #16304f #1f4673 #2c6bab #4d9be6 #a5d2ff #5c636b #161b22 #9aa2ab"
)
# Pixels. The letters are still of 10 points on a phone, which shows the picture at 343 pixels.
_CELL, _FONT = 6, 16
_LEFT, _TOP, _WIDTH = 34, 56, 400


def _style() -> str:
    names = (*_OFTEN, *_RARELY, _NEVER, _EVEN, "text")
    light, dark = (
        "".join(f".{name}{{fill:{fill}}}" for name, fill in zip(names, fills.split(), strict=True))
        for fills in (_LIGHT, _DARK)
    )
    return f"<style>{light}\n@media (prefers-color-scheme:dark){{{dark}}}</style>\n"


def row(order: audited_orders.Audited) -> str:
    """Return a line of the table: the order tested against its own guarantee."""
    counts = bias.count(order, ROUNDS, Seeded(SEED))
    found = bias.judge(order, counts)
    bits = "" if order.guarantee.bits is None else f"{order.guarantee.bits:.1f}"
    if order.entropy_bits is not None:
        bits = f"{order.entropy_bits} of {bits}"
    p = "< 1e-300" if found.p < 1e-300 else f"{found.p:.2g}"
    verdict = "bad" if found.reasons else "good"
    return f"| {order.name} | {p} | {bits} | {verdict} |\n"


def drawn(order: audited_orders.Audited) -> str:
    """Return a picture as SVG of the difference between an order and a uniform one."""
    uniform = guarantees.uniform(order.tracks)
    counts = bias.count(order._replace(guarantee=uniform), ROUNDS, Seeded(SEED))
    offs = bias.deviations(counts, uniform)
    paths: dict[str, list[str]] = {}
    for track, line in enumerate(offs):
        colours = [_colour(off) if counts.cells[track][at] else _NEVER for at, off in enumerate(line)]
        at = 0
        for colour, cells in itertools.groupby(colours):
            width = len(list(cells))
            if colour != _EVEN:
                paths.setdefault(colour, []).append(f"M{at} {track}h{width}v1h-{width}z")
            at += width
    side = len(offs) * _CELL
    height = _TOP + side + 84
    middle = side / 2
    squares = "".join(f'<path class="{colour}" d="{"".join(path)}"/>\n' for colour, path in paths.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 {_WIDTH} {height}"'
        f' width="{_WIDTH}" font-family="sans-serif" font-size="{_FONT}">\n{_style()}'
        f"{_title(CLAIMS[order.name])}"
        f'<text class="text" transform="translate(22 {_TOP + middle}) rotate(-90)" text-anchor="middle">'
        "track, by its old position</text>\n"
        f'<text class="text" x="{_LEFT + middle}" y="{_TOP + side + 22}" text-anchor="middle">'
        "new position</text>\n"
        f'<g transform="translate({_LEFT} {_TOP})" shape-rendering="crispEdges">\n'
        f'<rect class="{_EVEN}" width="{side}" height="{side}" stroke="#808080"/>\n'
        f'<g transform="scale({_CELL})">\n{squares}</g></g>\n'
        f"{_legend(_TOP + side + 38)}</svg>\n"
    )


def _title(claim: str) -> str:
    lines = textwrap.wrap(claim, 34)
    return "".join(
        f'<text class="text" x="{_LEFT}" y="{_TOP - 12 - 20 * above}" font-weight="bold">{line}</text>\n'
        for above, line in zip(range(len(lines) - 1, -1, -1), lines, strict=True)
    )


def _colour(off: float) -> str:
    step = sum(abs(off) >= least for least in _STEPS)
    return _EVEN if step == 0 else (_OFTEN if off > 0 else _RARELY)[step - 1]


def _legend(y: int) -> str:
    names = (*reversed(_RARELY), _EVEN, *_OFTEN)
    boxes = [(_LEFT + 18 * at, name) for at, name in enumerate(names)]
    never, end = _LEFT + 18 * 13, _LEFT + 18 * len(names)
    parts = [
        f'<rect class="{name}" x="{x}" y="{y}" width="18" height="14" stroke="#808080"/>\n'
        for x, name in (*boxes, (never, _NEVER))
    ]
    words = ((_LEFT, y + 33, "start", "too rarely"), (end, y + 33, "end", "too often"))
    parts += [
        f'<text class="text" x="{x}" y="{below}" text-anchor="{anchor}">{word}</text>\n'
        for x, below, anchor, word in (*words, (never + 26, y + 13, "start", "never"))
    ]
    return "".join(parts)


def main() -> None:
    """Write a picture of each order with a distinct shape, and the table to standard output."""
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
