"""Write the matrix in docs/player-names.md: the file names that players do not open."""

import os
from collections.abc import Collection, Iterable, Mapping

from tests.players import names
from tests.players.drivers import DRIVERS
from tests.support.program import CHECKOUT

_DOCS = CHECKOUT / "docs" / "player-names.md"
_BEGIN, _END = "<!-- matrix -->\n", "<!-- /matrix -->"


def text(music: bytes, tracks: Iterable[bytes], opened: Mapping[str, Collection[bytes]]) -> str:
    """Return the names that each player opens, from the tracks that it opened.

    A row has the players that do not open all names of a class, with the number that they open, or "none".
    """
    rows: dict[str, list[bytes]] = {row: [] for row in [*names.CLASSES, "all other names"]}
    for track in tracks:
        path = os.path.relpath(track, music)
        row = next((row for row, paths in names.CLASSES.items() if path in paths), "all other names")
        rows[row].append(track)
    safe, lines = [], ["| names | do not open all |", "|---|---|"]
    for row, those in rows.items():
        counts = {name: len({*paths}.intersection(those)) for name, paths in opened.items()}
        fewer = [f"`{name}` {count or 'none'}" for name, count in counts.items() if count < len(those)]
        if fewer:
            lines.append(f"| {row} ({len(those)}) | {', '.join(fewer)} |")
        elif those:
            safe.append(f"{row} ({len(those)})")
    run = ", ".join(f"`{name}`" for name in opened if name in DRIVERS)
    every = f"Opened by all players: {'; '.join(safe)}."
    return "\n".join(["", every, "", *lines, "", f"Players that were run: {run}.", ""])


def in_docs() -> str:
    """Return the matrix as it is in docs/player-names.md."""
    return _DOCS.read_text().partition(_BEGIN)[2].partition(_END)[0]


def write(table: str) -> None:
    """Replace the matrix in docs/player-names.md."""
    before, begin, rest = _DOCS.read_text().partition(_BEGIN)
    assert begin
    _DOCS.write_text(before + begin + table + _END + rest.partition(_END)[2])
