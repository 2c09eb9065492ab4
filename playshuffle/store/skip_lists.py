"""Remember what playlists left out by the skip lists that they name, as these were read last."""

import zlib
from collections.abc import Mapping, Sequence

from playshuffle.store.state import State
from playshuffle.system.sqlite import Connection


def load(state: State, playlist: bytes) -> dict[bytes, list[bytes]]:
    """Return the entries that each skip list of a playlist had, by the path of the list."""
    known: dict[bytes, list[bytes]] = {}
    rows = state.rows("SELECT rowid, list, paths FROM skip_list WHERE playlist = ?", playlist)
    for row, path, packed in rows:
        try:
            paths = zlib.decompress(packed)
        except zlib.error:
            state.set_row_aside("skip_list", row, playlist)
        else:
            known[path] = paths.split(b"\0") if paths else []
    return known


def forget(state: State, playlist: bytes) -> None:
    """Delete what is stored of the skip lists of a playlist that names none any more.

    Raises:
        PlayshuffleError: it cannot be deleted.
    """
    if state.rows("SELECT 1 FROM skip_list WHERE playlist = ? LIMIT 1", playlist):
        save(state, playlist, {})


def save(state: State, playlist: bytes, lists: Mapping[bytes, Sequence[bytes]]) -> None:
    """Store the entries of all skip lists of a playlist; those of others are removed.

    Raises:
        PlayshuffleError: they cannot be written.
    """

    def act(database: Connection) -> None:
        database.execute("DELETE FROM skip_list WHERE playlist = ?", (playlist,))
        database.executemany(
            "INSERT INTO skip_list (playlist, list, paths) VALUES (?, ?, ?)",
            [(playlist, path, zlib.compress(b"\0".join(paths), 1)) for path, paths in lists.items()],
        )

    state.change(act, playlist)
