"""Find the playlists that `make` and `deal` wrote, and the requests that they were written with."""

import os
from collections.abc import Sequence

from playshuffle.config.build_request import build_request
from playshuffle.config.options import Options, from_json, with_paths
from playshuffle.pipeline.request import Request
from playshuffle.playlist.playlist_file import existing_parts
from playshuffle.store.decks import StoredDeck, deck_paths
from playshuffle.store.home_paths import named_paths
from playshuffle.store.state import SavedOrder, State
from playshuffle.system import atomic_file

_DEFAULTS = Options()


def saved_playlists(state: State) -> list[bytes]:
    """Return the playlists with a saved order or deck that exist, sorted by path."""
    paths = {*state.playlists(), *deck_paths(state)}
    return sorted(path for path in paths if os.path.lexists(path) or existing_parts(path))


def saved_request(
    playlist: bytes, records: Sequence[SavedOrder | StoredDeck | None], given: Options = _DEFAULTS
) -> Request | None:
    """Return the request that a playlist was written with; None if its options are not known.

    Args:
        playlist: resolved path of its file.
        records: of the playlist; the first one with options counts.
        given: options that replace the saved ones where they differ from the default.

    Raises:
        PlayshuffleError: a saved option is not valid any more, such as a list that does not exist.
    """
    text = next((record.options for record in records if record is not None and record.options), "")
    try:
        options = with_paths(from_json(text), named_paths().absolute)
    except ValueError:
        return None
    if not (options.folders or options.source):
        return None
    new = {name: value for name, value in given._asdict().items() if value != getattr(_DEFAULTS, name)}
    request = build_request(options._replace(**new))
    # A link that the user named may lead to another file by now.
    is_same = request.output is not None and atomic_file.resolved(request.output) == playlist
    return request if is_same else request._replace(output=playlist)
