"""Write the matrix in docs/player-names.md: how many names of each class a player opens."""

import os
from collections.abc import Collection, Mapping, Sequence

from tests.players import names
from tests.players.drivers import DRIVERS
from tests.support.program import CHECKOUT

_DOCS = CHECKOUT / "docs" / "player-names.md"
_BEGIN, _END = "<!-- matrix -->\n", "<!-- /matrix -->"


def text(
    music: bytes,
    tracks: Sequence[bytes],
    opened: Mapping[str, Collection[bytes]],
    lost: Mapping[str, Collection[bytes]],
) -> str:
    """Return the table, with the number of opened files of a class if it is not all.

    Raises:
        AssertionError: a loss was not reported, or a reported one did not happen.
    """
    rows: dict[str, list[bytes]] = {row: [] for row in names.CLASSES}
    rows["all other names"] = []
    for track in tracks:
        row = names.row_of(os.path.relpath(track, music))
        rows[row or "all other names"].append(track)
    lines = [f"| names | {' | '.join(f'`{name}`' for name in opened)} |", f"|---|{'---|' * len(opened)}"]
    for row, those in rows.items():
        if those:
            cells = [_cell(those, opened[name], lost[name]) for name in opened]
            lines.append(f"| {row.replace('|', chr(92) + '|')} ({len(those)}) | {' | '.join(cells)} |")
    run = ["yes" if name in DRIVERS else "\N{EN DASH}" for name in opened]
    lines.append(f"| the player itself is run | {' | '.join(run)} |")
    return "\n".join(lines) + "\n"


def _cell(those: Sequence[bytes], opened: Collection[bytes], lost: Collection[bytes]) -> str:
    right = [track for track in those if track in opened]
    untold = [track for track in those if (track in opened) == (track in lost)]
    assert untold == []
    if len(right) == len(those):
        return "all"
    return str(len(right)) if right else "none"


def in_docs() -> str:
    """The table as it stands there."""
    return _DOCS.read_text().partition(_BEGIN)[2].partition(_END)[0]


def write(table: str) -> None:
    """Put it there."""
    before, begin, rest = _DOCS.read_text().partition(_BEGIN)
    assert begin
    _DOCS.write_text(before + begin + table + _END + rest.partition(_END)[2])
