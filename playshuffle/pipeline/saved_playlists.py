"""Find the playlists that `make` and `deal` wrote, and the folders that their tracks are in.

The options that they were written with are not saved.
"""

import os
from collections.abc import Collection, Iterable

from playshuffle.pipeline.request import Request
from playshuffle.pipeline.target import Target
from playshuffle.playlist import parts
from playshuffle.store.decks import deck_paths
from playshuffle.store.state import State
from playshuffle.system import atomic_file


def saved_playlists() -> list[bytes]:
    """Return the playlists with a saved order or deck that exist, sorted by path."""
    with State(writes=False) as state:
        paths = {*state.playlists(), *deck_paths(state)}
    return sorted(path for path in paths if os.path.lexists(path) or parts.existing(path))


def saved_request(playlist: bytes) -> Request:
    """Return a request for a playlist that exists, with all folders that its tracks may come from.

    Its roots are empty if no known folder has a track of it, as in a playlist from another program.

    Raises:
        PlayshuffleError: the playlist cannot be read.
    """
    with State(writes=False) as state:
        roots = roots_with(state, Target(playlist, state, force=True).entries())
    return Request(roots, atomic_file.resolved(playlist), dry_run=True)


def roots_with(state: State, tracks: Collection[bytes]) -> tuple[bytes, ...]:
    """Return the music folders in the state that have any of these tracks, without those inside of others."""
    known = state.roots()
    # Tracks are named below a folder as it was given, which may be a link.
    names = {name for path in known for name in (path, os.path.realpath(path))}
    tops = _outermost(os.path.join(name, b"") for name in names)
    return tuple(top.rstrip(b"/") or b"/" for top in tops if any(path.startswith(top) for path in tracks))


def _outermost(folders: Iterable[bytes]) -> list[bytes]:
    """Return the folders, each with a slash at its end, that are not below another one."""
    tops: list[bytes] = []
    for folder in sorted(set(folders)):
        if not tops or not folder.startswith(tops[-1]):
            tops.append(folder)
    return tops
