"""Store the entries of the skip lists of each playlist, as they were read last."""

import zlib
from collections.abc import Mapping, Sequence

from playshuffle.store import schema
from playshuffle.store.state import State
from playshuffle.system.sqlite import Connection


def playlists(state: State) -> list[bytes]:
    """Return all playlists with stored skip lists, even those that were never written."""
    rows = state.rows("SELECT DISTINCT playlist FROM skip_list")
    return sorted(state.real.absolute(path) for (path,) in rows)


def load(state: State, playlist: bytes) -> dict[bytes, list[bytes]]:
    """Return the stored entries of each skip list of a playlist."""
    entries: dict[bytes, list[bytes]] = {}
    absolute = state.named.absolute
    query = "SELECT list, paths FROM skip_list WHERE playlist = ?"
    for path, packed in state.rows(query, state.real.stored(playlist)):
        paths = zlib.decompress(packed)
        entries[absolute(path)] = list(map(absolute, paths.split(b"\0"))) if paths else []
    return entries


def entries(state: State, path: bytes) -> set[bytes]:
    """Return the entries of a skip list that are stored for any playlist."""
    rows = state.rows("SELECT paths FROM skip_list WHERE list = ?", state.named.stored(path))
    stored = {name for (packed,) in rows for name in zlib.decompress(packed).split(b"\0") if name}
    return set(map(state.named.absolute, stored))


def save(state: State, playlist: bytes, lists: Mapping[bytes, Sequence[bytes]]) -> None:
    """Replace the stored skip lists of a playlist by these."""
    key, stored = state.real.stored(playlist), state.named.stored
    rows = [
        (key, stored(path), zlib.compress(b"\0".join(map(stored, paths)), 1)) for path, paths in lists.items()
    ]

    def act(database: Connection) -> None:
        database.execute("DELETE FROM main.skip_list WHERE playlist = ?", (key,))
        database.executemany(schema.replace("skip_list"), rows)

    state.change(act, playlist)
