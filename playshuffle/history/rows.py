"""Define what a play history knows of a track."""

from typing import NamedTuple
from urllib.parse import unquote_to_bytes


class Played(NamedTuple):
    """The plays of one track, as a source knows them; None if it does not know.

    last_played, last_skipped: Unix seconds. rating: from 0 to 1.
    """

    last_played: int | None = None
    last_skipped: int | None = None
    plays: int | None = None
    skips: int | None = None
    rating: float | None = None


class Names(NamedTuple):
    """The tags by which a source without paths names a track."""

    artist: str
    title: str
    album: str = ""
    recording_id: str = ""


class Row(NamedTuple):
    """One track of a source. path: absolute, or relative to a music folder; empty if tags name the track."""

    path: bytes
    played: Played
    names: Names | None = None


def path_of_uri(uri: bytes) -> bytes:
    """Return the path of a `file://` URI; empty for a stream or a path."""
    return unquote_to_bytes(uri[7:]) if uri.startswith(b"file:///") else b""
