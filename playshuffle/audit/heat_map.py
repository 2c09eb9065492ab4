"""Draw the deviations of an audited order as a matrix of signs, for a terminal of 80 columns."""

import math
from collections.abc import Iterator

from playshuffle.audit.bias import Counts, deviations
from playshuffle.audit.guarantees import Guarantee

_COLUMNS = 72
_GUTTER = 8

# In standard deviations. A cell of a good matrix is beyond the first once in 22, beyond the second
# once in 16,000.
_CLEAR, _STARK = 2, 4


def heat_map(counts: Counts, guarantee: Guarantee) -> Iterator[str]:
    """Draw the matrix: tracks downwards, positions to the right."""
    size = len(counts.cells)
    pooled = -(-size // _COLUMNS)
    yield f"{'track':{_GUTTER}}position 1 to {size}, left to right"
    for position, row in enumerate(deviations(counts, guarantee, pooled)):
        yield f"{1 + position * pooled:{_GUTTER - 3}}   " + "".join(map(_sign, row))
    yield ""
    yield f"+ # too often   - = too rarely, by {_CLEAR} or {_STARK} standard deviations and more"
    if any(not chance for chances in guarantee.chances for chance in chances):
        yield "blank: never, which this order guarantees"


def _sign(off: float) -> str:
    if math.isnan(off):
        return " "
    level = (abs(off) >= _CLEAR) + (abs(off) >= _STARK)
    return ".+#"[level] if off > 0 else ".-="[level]
