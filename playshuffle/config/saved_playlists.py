"""Find the requests that playlists were written with."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from playshuffle.config.build_request import build_request
from playshuffle.options.table import Options
from playshuffle.pipeline.request import Request
from playshuffle.store.records import SavedRecord
from playshuffle.system import atomic_file


def saved_request(
    playlist: bytes,
    record: SavedRecord | None,
    given: Mapping[str, Any] = MappingProxyType({}),
) -> Request | None:
    """Return the request that a playlist was written with; None if its options are not known.

    Args:
        playlist: resolved path of its file.
        record: of the playlist; None if there is none.
        given: options that replace the saved ones, by their fields.

    Raises:
        PlayshuffleError: a saved option is not valid any more, such as a list that does not exist.
    """
    options = None if record is None else record.options
    if options is None:
        return None
    request = build_request(with_options(options, given))
    # A link that the user named may lead to another file by now.
    is_same = request.output is not None and atomic_file.resolved(request.output) == playlist
    return request if is_same or "output" in given else request._replace(output=playlist)


def with_options(options: Options, given: Mapping[str, Any]) -> Options:
    """Return options with those in place of them that were given now, by their fields."""
    if not given.keys().isdisjoint(("limit", "time", "albums")):
        options = options._replace(limit=None, time=None, albums=None)
    if "source" in given:
        options = options._replace(folders=())
    elif "folders" in given:
        options = options._replace(source=None)
    return options._replace(**given)
