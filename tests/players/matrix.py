"""Write the matrix in docs/player-names.md: how many file names of each class a player opens."""

import os
from collections.abc import Collection, Iterable, Mapping

from tests.players import names
from tests.players.drivers import DRIVERS
from tests.support.program import CHECKOUT

_DOCS = CHECKOUT / "docs" / "player-names.md"
_BEGIN, _END = "<!-- matrix -->\n", "<!-- /matrix -->"


def text(music: bytes, tracks: Iterable[bytes], opened: Mapping[str, Collection[bytes]]) -> str:
    """Return the matrix for these tracks below `music`, from the tracks that each player opened.

    A cell has the number of opened tracks, or "all" or "none".
    """
    rows: dict[str, list[bytes]] = {row: [] for row in [*names.CLASSES, "all other names"]}
    for track in tracks:
        path = os.path.relpath(track, music)
        row = next((row for row, paths in names.CLASSES.items() if path in paths), "all other names")
        rows[row].append(track)
    lines = [f"| names | {' | '.join(f'`{name}`' for name in opened)} |", f"|---|{'---|' * len(opened)}"]
    for row, those in rows.items():
        if those:
            counts = [len(paths.intersection(those)) for paths in map(set, opened.values())]
            cells = ["all" if count == len(those) else str(count or "none") for count in counts]
            lines.append(f"| {row.replace('|', chr(92) + '|')} ({len(those)}) | {' | '.join(cells)} |")
    run = ["yes" if name in DRIVERS else "\N{EN DASH}" for name in opened]
    lines.append(f"| the player itself is run | {' | '.join(run)} |")
    return "\n".join(lines) + "\n"


def in_docs() -> str:
    """Return the matrix as it is in docs/player-names.md."""
    return _DOCS.read_text().partition(_BEGIN)[2].partition(_END)[0]


def write(table: str) -> None:
    """Replace the matrix in docs/player-names.md."""
    before, begin, rest = _DOCS.read_text().partition(_BEGIN)
    assert begin
    _DOCS.write_text(before + begin + table + _END + rest.partition(_END)[2])
