"""Change a database of the program or of a player, as another program does."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path


def execute(path: Path | bytes, query: str, *rows: Sequence[object]) -> None:
    """Run a query, for each of the rows of values if there are any, and commit."""
    with closing(sqlite3.connect(path)) as database, database:
        if rows:
            database.executemany(query, rows)
        else:
            database.execute(query)
