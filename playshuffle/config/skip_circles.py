"""Find playlists of a configuration that omit each other's tracks in a circle.

Each update of one would change the next, for ever.
"""

from collections.abc import Mapping

from playshuffle.pipeline.request import Request
from playshuffle.system import atomic_file


def in_circles(requests: Mapping[bytes, Request]) -> dict[bytes, bytes]:
    """Map the path of each playlist in a circle to its skip list in the same circle."""
    lists = {
        path: {atomic_file.resolved(skip_list): skip_list for skip_list in request.without}
        for path, request in requests.items()
    }
    circles = {}
    for path in requests:
        for target, named in lists[path].items():
            if target in requests and path in _reached(target, lists):
                circles[path] = named
    return circles


def _reached(start: bytes, lists: Mapping[bytes, Mapping[bytes, bytes]]) -> set[bytes]:
    reached = {start}
    while new := {path for path in reached for path in lists.get(path, ())} - reached:
        reached |= new
    return reached
