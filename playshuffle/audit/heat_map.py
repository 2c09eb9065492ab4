"""Draw the deviations of an audited order as a matrix for a terminal of 80 columns.

Blue is too rare and orange too frequent, which red-green colour-blind people can distinguish.
Without colour, signs are used.
"""

import math
from collections.abc import Iterator, Sequence

from playshuffle.audit.bias import Counts, deviations
from playshuffle.audit.guarantees import Guarantee

_COLUMNS = 72
_GUTTER = 8

# In standard deviations. A cell of a good matrix is beyond the first once in 22, beyond the second
# once in 16,000.
_CLEAR, _STARK = 2, 4
_SIGNS = {-2: "=", -1: "-", 0: ".", 1: "+", 2: "#"}

# In the palette of 256 colours, on white as in the picture.
_COLOURS = {-2: 25, -1: 110, 0: 255, 1: 215, 2: 166}
_NOTHING = 245


def heat_map(counts: Counts, guarantee: Guarantee, *, colour: bool) -> Iterator[str]:
    """Draw the matrix: tracks downwards, positions to the right; in colour two tracks a line."""
    size = len(counts.cells)
    pooled = -(-size // _COLUMNS)
    matrix = deviations(counts, guarantee, pooled)
    yield f"{'track':{_GUTTER}}position 1 to {size}, left to right"
    step = 2 if colour else 1
    for top in range(0, len(matrix), step):
        label = f"{1 + top * pooled:{_GUTTER - 3}}   "
        yield label + ("".join(_halves(matrix[top : top + 2])) if colour else _signs(matrix[top]))
    yield ""
    if colour:
        swatch = {level: f"\x1b[48;5;{code}m  \x1b[0m" for level, code in _COLOURS.items()}
        swatches = f"{swatch[1]}{swatch[2]}  too often   {swatch[-1]}{swatch[-2]}  too rarely"
        yield f"{swatches}, by {_CLEAR} or {_STARK} standard deviations and more"
    else:
        yield f"+ # too often   - = too rarely, by {_CLEAR} or {_STARK} standard deviations and more"
    if any(not chance for row in guarantee.chances for chance in row):
        yield f"{'grey' if colour else 'blank'}: never, which this order guarantees"


def _level(off: float) -> int:
    size = (abs(off) >= _CLEAR) + (abs(off) >= _STARK)
    return size if off > 0 else -size


def _signs(row: Sequence[float]) -> str:
    return "".join(" " if math.isnan(off) else _SIGNS[_level(off)] for off in row)


def _halves(pair: Sequence[Sequence[float]]) -> Iterator[str]:
    upper, lower = pair[0], pair[1] if len(pair) > 1 else None
    last = None
    for at, off in enumerate(upper):
        codes = f"38;5;{_code(off)};" + ("49" if lower is None else f"48;5;{_code(lower[at])}")
        yield f"\x1b[{codes}m▀" if codes != last else "▀"
        last = codes
    yield "\x1b[0m"


def _code(off: float) -> int:
    return _NOTHING if math.isnan(off) else _COLOURS[_level(off)]
